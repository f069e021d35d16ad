import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { createGateway, type Gateway } from "../../src/app/gateway.js";
import { parse } from "../../src/config/load.js";
import { HOUR_MS, MINUTE_MS } from "../../src/core/domain/interval.js";
import { silentLog } from "../../src/core/log.js";
import { PAGES } from "../access/tables.js";
import { manualClock } from "../support/manual-clock.js";
import { DAY_KWH, importKwh, writeMeasuredDays } from "../support/measured-days.js";
import { HOURLY_PRICES, recentPricesFile, recordedText } from "../support/recorded-data.js";
import { inaccessible, isChromiumMissing, launchChromium, unreachable, watch } from "./page-checks.js";

const PRICES = recentPricesFile();
const PASSWORD = "correct horse battery";
const KEY = `hg_live_${"o".repeat(43)}`;

/** A month without a change of clocks, before the time of the gateway. */
const MONTH_START = new Date("2025-12-01T00:00:00+01:00");
const MONTH_DAYS = 31;
const BATTERY = { capacity_kwh: 10, min_soc_pct: 0, efficiency_pct: 100, max_charge_power_kw: 5 };

/** The pages of the owner, and those that need no sign-in. */
const PATHS = [...PAGES.matchAll(/^GET (\/\S+) +(\S+)/gm)]
  .map(([, path, nobody]) => ({ path: path!, isPublic: nobody !== "sign" }))
  .filter(({ path }) => !/^\/portal\/|csv|^\/dashboard$/.test(path));
const PUBLIC = PATHS.filter(({ isPublic }) => isPublic).map(({ path }) => path);
const OWN = [
  ...PATHS.filter(({ isPublic }) => !isPublic).map(({ path }) => path),
  "/dashboard?hours=168",
  "/settings/ems/tariff",
  "/settings/ems/slots?row=1",
  "/history?period=month",
  "/devices/new?controls=feed_in&template=http",
  "/help?q=battery",
];

describe.skipIf(isChromiumMissing)("every page of the portal", () => {
  let folder: string;
  let gateway: Gateway;
  let browser: Browser;
  let base: string;
  const clock = manualClock(new Date("2026-01-15T10:00:00+01:00"));

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "hourgate-browser-"));
    await writeMeasuredDays(join(folder, "data"), { siteId: "home", from: MONTH_START, days: MONTH_DAYS });
    const { settings } = parse(
      stringify({
        data_dir: join(folder, "data"),
        http: { host: "127.0.0.1", port: 0 },
        clock: { publish_at: "13:00" },
        owner: { password: PASSWORD, key: KEY },
        accounts: { registration: "open" },
        market: { sources: [{ type: "file", path: PRICES }] },
        weather: { sources: [] },
        mqtt: { broker: { enabled: false } },
        node_red: { enabled: false },
        plants: [
          { id: "home", timezone: "Europe/Vienna", battery: BATTERY, slots: [{ slot: 1, label: "Boiler" }] },
        ],
      }),
    );
    gateway = createGateway(settings, { log: silentLog, clock, sampledLoads: 2 });
    const [launched] = await Promise.all([launchChromium(), gateway.start()]);
    browser = launched;
    base = `http://127.0.0.1:${gateway.ports.http}`;
  });

  afterAll(async () => {
    await browser?.close();
    await gateway?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function signInAsOwner(page: Page): Promise<void> {
    await page.goto(`${base}/login`);
    await page.locator("input[name=email]").fill("owner@localhost");
    await page.locator("input[name=password]").fill(PASSWORD);
    await page.locator("main button[type=submit]").click();
    await page.waitForURL((url) => url.pathname !== "/login");
    await page.goto(`${base}/dashboard`);
  }

  it("has no faults for axe-core on any page, narrow and light or wide and dark", async () => {
    const faults: string[] = [];
    const views = await Promise.all(
      (["light", "dark"] as const).map(async (colorScheme) => {
        const [locale, width] = colorScheme === "light" ? ["en-GB", 390] : ["de-AT", 1400];
        const context = await browser.newContext({ locale, colorScheme, viewport: { width, height: 800 } });
        const page = await context.newPage();
        return { context, page, faults: watch(page, base) };
      }),
    );
    const visit = async ({ page }: { page: Page }, path: string) => {
      const isPage = await page.goto(base + path).catch((error: Error) => {
        if (!error.message.includes("Download is starting")) throw error;
      });
      if (!isPage) return;
      for (const fault of await inaccessible(page)) faults.push(`${path}: ${fault}`);
    };
    // Each page once: both views load the same stylesheets.
    for (const [index, path] of PUBLIC.entries()) await visit(views[index % 2]!, path);
    for (const { page } of views) await signInAsOwner(page);
    for (const view of views) await visit(view, "/dashboard");
    for (const [index, path] of OWN.entries()) await visit(views[index % 2]!, path);
    for (const view of views) {
      faults.push(...view.faults.filter((fault) => !/status of 404/.test(fault)));
      await view.context.close();
    }
    expect(faults).toEqual([]);
  }, 300_000);

  it("can be used with the keyboard, and without scripts", async () => {
    const context = await browser.newContext({ locale: "en-GB", javaScriptEnabled: false });
    const page = await context.newPage();
    await signInAsOwner(page);
    expect(await page.locator("svg.chart-svg .hit title").count()).toBeGreaterThan(0);
    for (const path of ["/dashboard", "/devices/new"]) {
      await page.goto(base + path);
      expect(await unreachable(page), path).toEqual([]);
    }
    await context.close();
  }, 300_000);

  it("shows a measured month with its sums", async () => {
    const context = await browser.newContext({ locale: "en-GB" });
    const page = await context.newPage();
    await signInAsOwner(page);
    await page.getByRole("link", { name: "History", exact: true }).click();
    await page.getByRole("link", { name: "Month", exact: true }).click();
    await page.getByRole("link", { name: /Previous/ }).click();
    const main = page.getByRole("main");
    await main.getByText("December 2025").first().waitFor();
    const costEur = recordedText(HOURLY_PRICES)
      .split("\n")
      .map((line) => line.split(","))
      .reduce((sum, [start = "", eurPerMwh]) => {
        const hour = (Date.parse(start) - MONTH_START.getTime()) / HOUR_MS;
        const isIn = hour >= 0 && hour < 24 * MONTH_DAYS;
        return sum + (isIn ? (importKwh(hour % 24) * Number(eurPerMwh)) / 1000 : 0);
      }, 0);
    await main
      .getByText(`${costEur.toFixed(2)} €`)
      .first()
      .waitFor();
    await main.getByText("Values", { exact: true }).click();
    const total = await main.getByRole("row", { name: /^Sum/ }).first().innerText();
    for (const kwh of [DAY_KWH.load, DAY_KWH.import, DAY_KWH.charge, DAY_KWH.discharge])
      expect(total).toContain((MONTH_DAYS * kwh).toFixed(1));
    await page.setViewportSize({ width: 390, height: 800 });
    for (const path of [page.url(), `${base}/history/money?month=2025-12`]) {
      await page.goto(path);
      const charts = await page.locator("svg.plot").evaluateAll(axisTexts);
      expect(charts.length).toBeGreaterThan(0);
      for (const { least, overlaps, count } of charts) {
        expect(count).toBeGreaterThan(3);
        expect(least).toBeGreaterThanOrEqual(11);
        expect(overlaps).toEqual([]);
      }
    }
    await context.close();
  }, 300_000);

  async function send(telemetry: Record<string, number>): Promise<void> {
    const answer = await fetch(`${base}/v1/plant/telemetry`, {
      method: "POST",
      headers: { "X-API-Key": KEY, "Content-Type": "application/json" },
      body: JSON.stringify(telemetry),
    });
    expect(answer.status).toBe(200);
  }

  describe("the open overview", () => {
    let page: Page;
    let faults: string[];
    const part = (id: string) => page.locator(`#${id}`);
    const button = (name: string) => part("slots").getByRole("button", { name });

    beforeAll(async () => {
      const context = await browser.newContext({ locale: "en-GB" });
      page = await context.newPage();
      faults = watch(page, base);
      await send({ soc_pct: 40 });
      await signInAsOwner(page);
    });
    afterAll(() => page?.context().close());

    it("charges the battery on a click, says until when, and goes back to the plan at the end", async () => {
      const slots = part("slots");
      await slots.getByText("automatic, by the plan").waitFor();
      await slots.getByLabel("Charge up to").fill("80");
      await slots.getByLabel("no later than").fill("10:15");
      // The page is updated while the form is in use, which keeps what was typed.
      await button("Charge now").focus();
      await clock.advance(MINUTE_MS);
      await part("soc").getByText("reported 1 minute ago").waitFor();
      await button("Charge now").click();
      // What it costs is shown first.
      await page.getByRole("button", { name: "Confirm" }).click();
      await slots.getByText("charging to 80 %, no later than today 10:15 (14 minutes left)").waitFor();
      const command = part("flow").getByText("charge at 5.0 kW up to 80 %");
      await command.waitFor();
      // From here on the changes come to the page by themselves.
      await clock.advance(13 * MINUTE_MS);
      await slots.getByText("10:15 (1 minute left)").waitFor();
      expect(await command.count()).toBe(1);
      await clock.advance(MINUTE_MS);
      await slots.getByText("automatic, by the plan").waitFor();
      expect(await button("Automatic").count()).toBe(0);
      expect(await command.count()).toBe(0);
      expect(faults).toEqual([]);
    });

    it("warns of a battery that does not charge on command, with the cause, until it does", async () => {
      await send({ soc_pct: 40 });
      await button("Charge now").click();
      // What it costs is shown first.
      await page.getByRole("button", { name: "Confirm" }).click();
      await part("flow").getByText("charge at 5.0 kW").waitFor();
      const warning = part("components").getByText("The battery does not follow its commands");
      const pass = async (minutes: number) => {
        for (let minute = 0; minute < minutes; minute++) {
          await send({ soc_pct: 40, battery_power_kw: 0 });
          await clock.advance(MINUTE_MS);
        }
      };
      // 5 minutes to carry out the command, then a deviation of 2 minutes.
      await pass(6);
      await page.reload();
      expect(await warning.count()).toBe(0);
      await pass(1);
      await warning.waitFor();
      await part("components").getByText("charges less or not at all. Check the controller").waitFor();
      await part("flow").getByText("✗ The battery does not follow since").waitFor();
      await send({ soc_pct: 40, battery_power_kw: 5 });
      await part("flow").getByText("The battery follows.").waitFor();
      expect(await warning.count()).toBe(0);
      expect(faults).toEqual([]);
    });
  });
});

/** Of each chart: number of texts, size in px of the smallest as shown, and which lie over each other. */
function axisTexts(charts: Element[]) {
  return charts.map((chart) => {
    const texts = [...chart.querySelectorAll("text")].filter((one) => one.checkVisibility());
    const boxes = texts.map((one) => one.getBoundingClientRect());
    const sizes = texts.map((one) => parseFloat(getComputedStyle(one).fontSize) * one.getScreenCTM()!.a);
    const overlaps = boxes.flatMap((a, index) =>
      boxes
        .slice(index + 1)
        .filter((b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)
        .map(() => texts[index]!.textContent),
    );
    return { count: texts.length, least: Math.min(...sizes), overlaps };
  });
}
