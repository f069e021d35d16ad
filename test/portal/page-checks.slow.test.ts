import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isChromiumMissing, type Looks, launchChromium, lowContrast, showing } from "./page-checks.js";

describe.skipIf(isChromiumMissing)("the check of contrast, which passes over looks that it has seen", () => {
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    browser = await launchChromium();
    page = await browser.newPage();
  });
  afterAll(() => browser?.close());

  const style = `<style>
    body { color: #111; background: #fff }
    .pale { color: #ccc }
    .night { color: #111 }
    @media (prefers-color-scheme: dark) { body { color: #eee; background: #111 } .dim { color: #333 } }
  </style>`;
  const faultsOf = async (body: string, passed: Looks, theme: "light" | "dark" = "light") => {
    await page.setContent(
      `<!doctype html><html lang="en"><title>x</title>${style}<body>${body}</body></html>`,
    );
    return lowContrast(page, theme, passed);
  };

  it("finds each text that is hard to read, on every page again", async () => {
    const passed: Looks = { light: new Set(), dark: new Set() };
    expect(await faultsOf("<p>Good</p>", passed)).toEqual([]);
    expect(passed.light.size).toBe(1);
    for (let page = 0; page < 2; page++)
      expect(await faultsOf('<p>Good</p><p class="pale">Pale</p>', passed)).toEqual([
        'color-contrast: <p class="pale">Pale</p>',
      ]);
    expect(passed.light.size).toBe(1);
  });

  it.each([
    ["another colour", '<p style="color: #ddd">Text</p>'],
    ["a background behind its parents", '<div style="background: #333"><div><p>Text</p></div></div>'],
    ["a parent that is let through", '<div style="opacity: 0.3"><p>Text</p></div>'],
    ["a field", '<label>Name <input style="color: #ccc; background: #fff" value="Text"></label>'],
    ["a background of its own", '<p style="background: #222">Text</p>'],
  ])("looks again at a text with %s", async (_what, body) => {
    const passed: Looks = { light: new Set(), dark: new Set() };
    await faultsOf(
      "<div><div><p>Text</p></div></div><p>Text</p><label>Name <input value=Text></label>",
      passed,
    );
    expect(passed.light.size).toBeGreaterThan(0);
    expect(await faultsOf(body, passed)).toHaveLength(1);
  });

  it("looks at light and dark by themselves, and says when the page is in the other one", async () => {
    const passed: Looks = { light: new Set(), dark: new Set() };
    const body = '<p class="dim">Text</p>';
    const show = await showing(page);
    await show(390, "light");
    expect(await faultsOf(body, passed, "light")).toEqual([]);
    expect(await faultsOf(body, passed, "dark")).toEqual(["is not shown in dark"]);
    await show(390, "dark");
    expect(await faultsOf(body, passed, "dark")).toEqual(['color-contrast: <p class="dim">Text</p>']);
    expect(await page.evaluate(() => innerWidth)).toBe(390);
  });
});
