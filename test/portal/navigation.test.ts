import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dashboardAssets } from "../../src/portal/dashboard/client-files.js";
import { type OpenPortal, openPortal } from "./harness.js";

/** Entries of the menus of a page: of the areas, and of the present one. */
function menus(html: string): string[][] {
  return [...html.matchAll(/<nav class="menu[^>]*>(.*?)<\/nav>/gs)].map(([, list]) =>
    [...list!.matchAll(/<a [^>]*>(.*?)<\/a>/g)].map(([, label]) => label!),
  );
}

describe("the menu", () => {
  let portal: OpenPortal;
  beforeAll(async () => {
    portal = await openPortal();
    await portal.addAccount("owner@example.org", { administrator: true });
  });
  afterAll(() => portal.close());

  it("groups the pages, and shows nothing of plans while there is one account", async () => {
    const owner = await portal.signedIn("owner@example.org");
    const [areas, pages] = menus((await owner.get("/savings")).text);
    expect(areas).toEqual(
      expect.arrayContaining(["Overview", "History", "Devices", "My home", "Connect", "Developers"]),
    );
    expect(areas?.at(-1)).toBe("Administration");
    expect(pages).toEqual(expect.arrayContaining(["Savings", "Bill", "Meter data"]));
    const { text } = await owner.get("/settings/plan");
    expect(text).toContain("Change the password</h1>");
    expect(text).toContain('<a href="/settings/plan" aria-current="page">');
    expect(text).not.toMatch(/Professional|owner@example.org, who/);
    expect((await owner.get("/admin")).text).not.toContain("Professional");
    expect(menus((await owner.get("/settings/keys")).text)[1]).toEqual([
      "Outputs and service",
      "API keys",
      "Webhook",
    ]);
  });

  it("shows the plans once there are several accounts, and the administration to administrators", async () => {
    await portal.addAccount("anna@example.org");
    const anna = await portal.signedIn("anna@example.org");
    const { text } = await anna.get("/settings/plan");
    expect(text).toContain("Professional");
    const [areas, pages] = menus(text);
    expect(pages).toEqual(["Outputs and service", "API keys", "Webhook", "Plan"]);
    expect(areas).not.toContain("Administration");
    expect(menus((await anna.get("/savings?lang=de")).text)[0]).toEqual(
      expect.arrayContaining(["Übersicht", "Verlauf", "Geräte", "Mein Haus", "Verbinden", "Entwickler"]),
    );
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
});
