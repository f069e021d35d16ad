import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { renderPage } from "../../src/portal/help/markdown.js";
import { type OpenPortal, openPortal } from "./harness.js";

describe("the help", () => {
  let portal: OpenPortal;
  beforeAll(async () => {
    portal = await openPortal();
  });
  afterAll(() => portal.close());

  it("lists the pages of the documentation and shows each with working links", async () => {
    const browser = portal.browser();
    const index = await browser.get("/help");
    expect(index.status).toBe(200);
    const pages = [...index.text.matchAll(/<(?:dt|li)><a href="(\/help\/[^"]+)"/g)].map(([, path]) => path!);
    expect(pages).toEqual(
      expect.arrayContaining([
        "/help/home/sign-in",
        "/help/portal",
        "/help/actuators/relays",
        "/help/spec/mqtt",
      ]),
    );
    const texts = new Map<string, string>();
    for (const path of pages) {
      const { status, text } = await browser.get(path);
      expect(status, path).toBe(200);
      texts.set(path, text);
    }
    const broken: string[] = [];
    for (const [path, text] of texts) {
      for (const [, target = "", anchor] of text.matchAll(/<a href="(\/help\/[^"#?]+)?(?:#([^"]+))?"/g)) {
        const aim = texts.get(target === "" ? path : target);
        if (
          aim === undefined ||
          (anchor !== undefined && anchor !== "content" && !aim.includes(`id="${anchor}"`))
        )
          broken.push(`${path}: ${target}#${anchor ?? ""}`);
      }
    }
    expect(broken).toEqual([]);
  });

  it("finds sections by their words, headings first, and summarises the page in German", async () => {
    const browser = portal.browser();
    const found = await browser.get("/help?q=MQTT+APPROVALS");
    expect(found.text).toMatch(/<ol><li><a href="\/help\/[^"]+"/);
    expect(found.text).toContain('href="/help/mqtt#mqtt-approvals"');
    const none = await browser.get("/help?q=%3Cscript%3Exyzzy");
    expect(none.text).toContain("No section has all these words. Try one word alone");
    expect(none.text).toContain('<a href="/help?q=battery">battery</a>');
    expect(none.text).toContain('value="&lt;script>xyzzy"');
    const german = await browser.get("/help/savings?lang=de");
    expect(german.text).toContain("So werden Kosten und Ersparnis eines Tages berechnet.");
    expect(german.text).toContain('<article class="card help" lang="en">');
  });

  it("shows German pages in German, and the technical documents behind them, marked as English", async () => {
    const browser = portal.browser();
    const { text } = await browser.get("/help?lang=de");
    const sections = [...text.matchAll(/<h2 id="[a-z]+">([^<]+)<\/h2>/g)].map(([, title]) => title);
    expect(sections).toEqual([
      "Erste Schritte",
      "Geräte",
      "Tarif",
      "Rechnung",
      "Ersparnis",
      "Auto",
      "Probleme",
    ]);
    expect(text.indexOf("Technische Dokumente (auf Englisch)")).toBeGreaterThan(text.indexOf("Probleme"));
    const forUsers = text.slice(text.indexOf("<dl"), text.indexOf("<h2>Weitere Seiten</h2>"));
    const without = [...forUsers.matchAll(/<dt><a href="([^"]+)"[^>]*>[^<]*<\/a><\/dt>(?!<dd>)/g)];
    expect(without.map(([, path]) => path)).toEqual([]);
    const page = (await browser.get("/help/home/charge-car?lang=de")).text;
    expect(page).toContain("Das Auto günstig laden");
    expect(page).toContain('<article class="card help" lang="de">');
    expect(page).not.toContain("auf Englisch");
    expect((await browser.get("/help/home/charge-car?lang=en")).text).toContain("Charge the car cheaply");
  });

  it("leads from each field of the settings to its entry of the reference", async () => {
    await portal.addAccount("anna@example.org");
    const anna = await portal.signedIn("anna@example.org");
    const { text } = await anna.get("/settings/ems/battery");
    const reference = (await anna.get("/help/configuration")).text;
    const keys = [...text.matchAll(/href="\/help\/configuration#([^"]+)"/g)].map(([, key]) => key!);
    expect(keys.length).toBeGreaterThan(6);
    expect(keys.filter((key) => !reference.includes(`<span id="${key}">`))).toEqual([]);
  });

  it("escapes HTML and refuses scripts as links", () => {
    const html = renderPage(
      "# T\n\n<script>alert(1)</script>\n\n<b>x</b> [a](javascript:alert(1)) [b](other.md#c) [d](../src/x.ts)",
      "page.md",
      (path) => (path === "other" ? path : undefined),
    );
    expect(html).not.toMatch(/<script|<b>|javascript/);
    expect(html).toContain('<a href="/help/other#c">b</a>');
    expect(html).toContain('/blob/main/src/x.ts">d</a>');
  });
});
