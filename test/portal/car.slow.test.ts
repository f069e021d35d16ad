import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { carHome, OWNER } from "./car-home.js";
import { PASSWORD } from "./harness.js";
import { isChromiumMissing, launchChromium, watch } from "./page-checks.js";

describe.skipIf(isChromiumMissing)("the slider of a car in a browser", () => {
  let home: Awaited<ReturnType<typeof carHome>>;
  let browser: Browser;
  beforeAll(async () => {
    home = await carHome();
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser.close();
    await home.close();
  });

  const opened = async (javaScriptEnabled: boolean): Promise<Page> => {
    const context = await browser.newContext({
      javaScriptEnabled,
      viewport: { width: 360, height: 740 },
      locale: "de-AT",
    });
    const page = await context.newPage();
    await page.goto(`${home.portal.url}/login?lang=de`);
    await page.fill("input[name=email]", OWNER);
    await page.fill("input[name=password]", PASSWORD);
    await page.click("form[action='/login'] button[type=submit]");
    await page.goto(`${home.portal.url}/car`);
    return page;
  };
  const cost = (page: Page) => page.locator("#car-offer .cost strong").innerText();

  it("is followed by its cost, which the button below takes", async () => {
    const page = await opened(true);
    const faults = watch(page, home.portal.url);
    expect(await cost(page)).toMatch(/^12,0 kWh · \d,\d\d €$/);
    await page.locator("#target").fill("100");
    expect(await page.locator("#target-shown").innerText()).toBe("100 %");
    await expect.poll(() => cost(page), { timeout: 10_000 }).toMatch(/^20,0 kWh · \d,\d\d €$/);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    expect(await page.locator(".show-cost").isVisible()).toBe(false);
    await page.getByRole("button", { name: "Auf 100 % laden bis morgen 07:00" }).click();
    await page.getByText("Einmal: 100 %").waitFor();
    expect(home.plan().override).toMatchObject({ action: "target", targetSocPct: 100 });
    expect(faults).toEqual([]);
    await home.services.flex.sites.of("home").override(1, { action: "auto" });
    await page.context().close();
  });

  it("shows its cost by a button without scripts", async () => {
    const page = await opened(false);
    await page.locator("#target").focus();
    await page.keyboard.press("End");
    await page.getByRole("button", { name: "Kosten zeigen" }).click();
    expect(await cost(page)).toMatch(/^20,0 kWh · \d,\d\d €$/);
    expect(await page.locator("#target").inputValue()).toBe("100");
    expect(home.plan().override).toBeUndefined();
    await page.context().close();
  });
});
