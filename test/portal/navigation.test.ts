import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dashboardAssets } from "../../src/portal/dashboard/client-files.js";
import { type OpenPortal, openPortal } from "./harness.js";

/** Addresses of the links in a part of a page, with their labels. */
function links(html: string, part: RegExp): Record<string, string> {
  const [inner = ""] = part.exec(html) ?? [];
  return Object.fromEntries(
    [...inner.matchAll(/<a href="([^"]*)"[^>]*>(.*?)<\/a>/gs)].map(([, path, label]) => [
      path!,
      label!.replace(/<[^>]*>/g, ""),
    ]),
  );
}

const BAR = /<nav class="bar".*?<\/nav>/s;
const MAIN = /<main.*<\/main>/s;

describe("the frame", () => {
  let portal: OpenPortal;
  beforeAll(async () => {
    portal = await openPortal();
    await portal.addAccount("owner@example.org", { administrator: true });
  });
  afterAll(() => portal.close());

  it("has exactly four areas on every page after the sign-in, and marks the present one", async () => {
    const owner = await portal.signedIn("owner@example.org", { "accept-language": "de" });
    const present: Record<string, string> = {
      "/history/money": "Verlauf",
      "/devices/add": "Geräte",
      "/more": "Mehr",
      "/settings/ems/battery": "Mehr",
      "/developers/outputs": "Mehr",
      "/help": "Mehr",
      "/settings/nowhere": "Mehr",
    };
    for (const [path, label] of Object.entries(present)) {
      const { text } = await owner.get(path);
      const [bar = ""] = BAR.exec(text) ?? [];
      expect(Object.values(links(bar, BAR)), path).toEqual(["Übersicht", "Verlauf", "Geräte", "Mehr"]);
      const [, marked] = /aria-current="\w+".*?<span>(.*?)</s.exec(bar) ?? [];
      expect(marked, path).toBe(label);
    }
    expect((await portal.browser().get("/help")).text).not.toMatch(BAR);
  });

  it("lists the other pages in three groups, with language and sign-out at the end", async () => {
    const owner = await portal.signedIn("owner@example.org");
    const { text } = await owner.get("/more");
    expect([...text.matchAll(/<h2[^>]*>(.*?)</g)].map(([, title]) => title)).toEqual([
      "Money",
      "Home",
      "Technical",
    ]);
    const listed = links(text, MAIN);
    expect(listed).toMatchObject({ "/bill": "Bill", "/settings/ems": "My home", "/connect": "Connect" });
    const paths = Object.keys(listed).filter((path) => !path.includes("?"));
    expect(paths.slice(-3)).toEqual(["/developers", "/admin", "/help"]);
    // The owner of the only home has no page about several of them.
    expect(paths).not.toContain("/settings/sites");
    for (const path of paths) expect((await owner.get(path)).status, path).toBe(200);
    expect(text.slice(text.indexOf("/help"))).toMatch(/lang=de.*Sign out/s);
  });

  it("shows nothing of plans while there is one account", async () => {
    const owner = await portal.signedIn("owner@example.org");
    expect(links((await owner.get("/more")).text, MAIN)).toHaveProperty(
      ["/settings/plan"],
      "Change the password",
    );
    expect(links((await owner.get("/developers")).text, MAIN)).toEqual({
      "/developers/outputs": "Outputs and service",
      "/settings/keys": "API keys",
      "/settings/webhook": "Webhook",
      "/settings/sites": "Sites",
      "/developers/components": "Components",
    });
    const { text } = await owner.get("/settings/plan");
    expect(text).toContain("Change the password</h1>");
    expect(text).not.toMatch(/Professional|owner@example.org, who/);
    expect((await owner.get("/admin")).text).not.toContain("Professional");
  });

  it("shows the plans once there are several accounts, and the administration to administrators", async () => {
    await portal.addAccount("anna@example.org");
    const anna = await portal.signedIn("anna@example.org");
    expect((await anna.get("/settings/plan")).text).toContain("Professional");
    const listed = links((await anna.get("/more")).text, MAIN);
    expect(listed).not.toHaveProperty(["/settings/plan"]);
    expect(listed).not.toHaveProperty(["/admin"]);
    expect(links((await anna.get("/developers")).text, MAIN)).toHaveProperty(["/settings/plan"], "Plan");
  });

  it("loads less than 120 kB of scripts", () => {
    const scripts = dashboardAssets().filter(({ name }) => name.endsWith(".js"));
    expect(scripts.length).toBeGreaterThan(0);
    const bytes = scripts.reduce((sum, { body }) => sum + Buffer.byteLength(body as string | Buffer), 0);
    expect(bytes).toBeLessThan(120_000);
  });

  it("can be installed: the manifest names icons that exist", async () => {
    const browser = portal.browser();
    const { text } = await browser.get("/login");
    const [, path] = /rel="manifest" href="([^"]+)"/.exec(text) ?? [];
    const manifest = await browser.get(path!);
    expect(manifest.headers.get("content-type")).toBe("application/manifest+json");
    const { icons, start_url, scope } = JSON.parse(manifest.text);
    const target = (address: string) => new URL(address, portal.url + path).pathname;
    expect([target(start_url), target(scope)]).toEqual(["/dashboard", "/"]);
    for (const { src, type } of icons)
      expect((await browser.get(target(src))).headers.get("content-type")).toBe(type);
    const names = icons.map(
      ({ sizes, purpose }: { sizes: string; purpose: string }) => `${sizes} ${purpose}`,
    );
    // Chromium installs with a PNG of 192 and one of 512 pixels.
    expect(names).toEqual(
      expect.arrayContaining(["any any", "192x192 any", "512x512 any", "512x512 maskable"]),
    );
    expect(text).toMatch(/rel="apple-touch-icon" href="[^"]+\.png"/);
  });

  it("has a service worker for the whole portal that stores nothing but the page without a connection", async () => {
    const browser = portal.browser();
    const [, path] = /type="module" src="([^"]+install\.js)"/.exec((await browser.get("/login")).text) ?? [];
    const [, registered] = /new URL\("([^"]+)"/.exec((await browser.get(path!)).text) ?? [];
    const address = new URL(registered!, portal.url + path);
    const worker = await browser.get(address.pathname);
    const scope = worker.headers.get("service-worker-allowed");
    expect(new URL(scope!, address).pathname).toBe("/");
    const [, offline] = /new URL\("([^"]+)", self/.exec(worker.text) ?? [];
    const page = await browser.get(new URL(offline!, address).pathname);
    expect(page.text).toContain("No connection to your home");
    // What it stores: the page and the styles and icons that the page names.
    expect(worker.text.match(/\.(put|add|addAll)\(/g)).toEqual([".put(", ".addAll("]);
    const owner = await portal.signedIn("owner@example.org");
    expect((await owner.get("/offline")).text).not.toMatch(/owner@example|_csrf/);
  });
});
