import { readdirSync } from "node:fs";
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
import {
  addAxe,
  inaccessible,
  isChromiumMissing,
  type Looks,
  launchChromium,
  lowContrast,
  type Show,
  showing,
  type Theme,
  unreachable,
  watch,
} from "./page-checks.js";
import { layoutFaults, measureFaults, readPage, TOKENS } from "./page-faults.js";

const PRICES = recentPricesFile();
const PASSWORD = "correct horse battery";
const KEY = `hg_live_${"o".repeat(43)}`;

/** A month without a change of clocks, before the time of the gateway. */
const MONTH_START = new Date("2025-12-01T00:00:00+01:00");
const MONTH_DAYS = 31;
const BATTERY = { capacity_kwh: 10, min_soc_pct: 0, efficiency_pct: 100, max_charge_power_kw: 5 };

/** Ids as a program makes them: no page of the owner shows one. */
const SITE = "site_x1";
const IDS = [SITE, "wb_7f3", "dhw_relay_9"];

/** What pages need to show something; other pages are opened as they are. */
const QUERIES: Readonly<Record<string, readonly string[]>> = {
  "/dashboard": ["", "?hours=168"],
  "/car": ["?slot=1"],
  "/dashboard/override": ["?slot=2&override=run", "?slot=battery&override=charge&target_soc_pct=80"],
  "/devices/device": ["?id=dhw_relay_9"],
  "/devices/add": [
    "",
    "?template=fronius-gen24",
    "?template=http",
    "?template=http&controls=feed_in",
    "?id=dhw_relay_9",
  ],
  "/history": ["", "?period=month&date=2025-12-10", "?period=year"],
  "/history/money": ["", "?month=2025-12"],
  "/bill": ["", "?month=2025-12", "?month=2025"],
  "/start": ["place", "find", "tariff", "battery", "pv", "devices", "soc", "plan"].map(
    (step) => `?step=${step}`,
  ),
  "/settings/ems/battery": ["", "?remove=battery"],
  "/settings/ems/pv": ["", "?row=0"],
  "/settings/ems/slots": ["", "?row=1", "?row=2"],
  "/settings/ems/telemetry": ["", "?row=new"],
  "/what-if": ["", "?ask=tariffs"],
  "/help": ["", "?q=battery"],
};

/** Addresses that answer with no page: data, downloads, pages that have moved, and one that asks Home Assistant. */
const NO_PAGE =
  /^\/portal\/|csv|node-red\/(flow|palette)|^\/(actuators|(savings|compare)$)|^\/devices\/(sources|new|edit)$|^\/car\/offer$/;

/** Pages that a form leads to. */
const LED_TO: Readonly<Record<string, (page: Page, base: string) => Promise<unknown>>> = {
  "/devices/check": async (page, base) => {
    await page.goto(`${base}/devices/add?template=fronius-gen24`);
    await page.locator("main input[name='p.host']").fill("127.0.0.1:9");
    await page.locator("main form button[type=submit]").first().click();
    await page.waitForURL("**/devices/check**");
  },
};

/** The pages of the portal: the table of access has all that the router has. */
const PATHS = [...PAGES.matchAll(/^GET (\/\S+) +(\S+)/gm)]
  .map(([, path, nobody]) => ({ path: path!, isPublic: nobody !== "sign" }))
  .filter(({ path }) => !NO_PAGE.test(path))
  // Asks before it signs out.
  .map((page) => (page.path === "/logout" ? { ...page, isPublic: false } : page));
const addressesOf = (isFor: boolean) =>
  PATHS.filter(({ isPublic }) => isPublic === isFor).flatMap(({ path }) =>
    (QUERIES[path] ?? [""]).map((query) => path + query),
  );
/** Help for owners. */
const OWNER_HELP = readdirSync("docs/help/en").map((name) => `/help/home/${name.slice(0, -3)}`);
/** Documentation for technicians, the same in both languages. */
const DOCUMENTATION = readdirSync("docs")
  .filter((name) => name.endsWith(".md") && name !== "index.md")
  .map((name) => `/help/${name.slice(0, -3)}`);

/** Pages that are not the owner's: there, technical words and ids may be used. */
const TECHNICAL = /^\/(developers|admin|help|settings\/(keys|webhook|sites|audit))(\/|\?|$)/;
const FORBIDDEN = {
  de: /\b(Slots?|Aktor(en)?|EMS|soc_pct|O(1[0-6]|[1-9]))\b/g,
  en: /\b([Ss]lots?|[Aa]ctuators?|EMS|soc_pct|O(1[0-6]|[1-9]))\b/g,
};
const BAR = {
  de: ["Übersicht", "Verlauf", "Geräte", "Mehr"],
  en: ["Overview", "History", "Devices", "More"],
};
const WIDTHS = [390, 360, 768, 1280];

interface Visit {
  language: "de" | "en";
  isSignedIn: boolean;
  /** From the last view to the first. */
  isReversed: boolean;
  show: Show;
  passed: Looks;
}

describe.skipIf(isChromiumMissing)("every page of the portal", () => {
  let folder: string;
  let gateway: Gateway;
  let browser: Browser;
  let base: string;
  const clock = manualClock(new Date("2026-01-15T10:00:00+01:00"));

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "hourgate-browser-"));
    await writeMeasuredDays(join(folder, "data"), { siteId: SITE, from: MONTH_START, days: MONTH_DAYS });
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
          {
            id: SITE,
            name: "Haus Gruber",
            timezone: "Europe/Vienna",
            latitude: 48.2,
            longitude: 14.2,
            battery: BATTERY,
            pv: [{ peak_kw: 8, tilt_deg: 30, azimuth_deg: 180 }],
            slots: [
              {
                slot: 1,
                label: "Wallbox",
                kind: "wallbox",
                power_kw: 11,
                vehicle: { capacity_kwh: 60, departure: { mon: "07:00", sat: "10:30" } },
              },
              { slot: 2, label: "Warmwasserboiler", kind: "boiler", power_kw: 2, hours: 2.5 },
            ],
            actuators: [
              {
                id: "dhw_relay_9",
                controls: "slot 2",
                template: "shelly-gen2",
                with: { transport: "http", host: "127.0.0.1:9" },
                dry_run: true,
              },
            ],
          },
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

  it.each(["de", "en"] as const)(
    "has no faults in any width, light and dark: %s",
    async (language) => {
      const faults: string[] = [];
      const passed: Looks = { light: new Set(), dark: new Set() };
      const browse = async (addresses: readonly string[], isSignedIn: boolean) => {
        const left = [...addresses];
        const locale = language === "de" ? "de-AT" : "en-GB";
        // Pages are laid out for other sizes than the window's, of which only this little is drawn.
        const viewport = { width: 200, height: 100 };
        const context = await browser.newContext({ locale, viewport, serviceWorkers: "block" });
        await addAxe(context);
        const first = await context.newPage();
        if (isSignedIn) await signInAsOwner(first);
        const tabs = [first, ...(isSignedIn ? [await context.newPage()] : [])];
        const visitAll = async (page: Page) => {
          const seen = watch(page, base);
          const show = await showing(page);
          // The next page begins as this one ends: laying out a page that is left is for nothing.
          let isReversed = false;
          for (let at = left.shift(); at !== undefined; at = left.shift()) {
            const found = [
              ...(await faultsOf(page, at, { language, isSignedIn, isReversed, show, passed })),
              ...seen.splice(0),
            ];
            isReversed = !isReversed;
            faults.push(...found.filter((one) => !/status of 404/.test(one)).map((one) => `${at} ${one}`));
          }
        };
        await Promise.all(tabs.map(visitAll));
        await context.close();
      };
      await browse(addressesOf(true), false);
      await browse([...addressesOf(false), ...OWNER_HELP, ...(language === "de" ? DOCUMENTATION : [])], true);
      expect(faults).toEqual([]);
    },
    600_000,
  );

  async function faultsOf(page: Page, address: string, options: Visit): Promise<string[]> {
    const { language, isSignedIn, isReversed, show, passed } = options;
    const lead = LED_TO[address];
    const answer =
      lead === undefined ? await page.goto(base + address) : await lead(page, base).then(() => undefined);
    // A link of a mail without its token.
    const isRefused = /^\/(confirm|reset)$/.test(address);
    if (lead === undefined && answer?.status() !== (isRefused ? 404 : 200))
      return [`answers ${answer?.status()}`];
    if (!isRefused && new URL(page.url()).pathname !== address.split("?")[0])
      return [`leads to ${page.url()}`];
    const faults: string[] = [];
    const { bar, text } = await page.evaluate(readPage);
    if (bar.join() !== (isSignedIn ? BAR[language].join() : "")) faults.push(`bar: ${bar.join()}`);
    // The documentation has such words.
    for (const [code] of address.startsWith("/help/")
      ? []
      : text.matchAll(/undefined|\[object|NaN|&&|[!=]==/g))
      faults.push(`shows code: ${code}`);
    if (!TECHNICAL.test(address)) {
      for (const [word] of text.matchAll(FORBIDDEN[language])) faults.push(`word ${word}`);
      for (const id of IDS) if (text.includes(id)) faults.push(`id ${id}`);
    }
    // Rendered by the same code: one of each kind has all checks.
    const isText = [DOCUMENTATION, OWNER_HELP].some((all) => all.indexOf(address) > 0);
    const isContrastSeen = language === "de" && !isText;
    const views: { width: number; theme: Theme; check: () => Promise<string[]> }[] = (
      isText ? [360] : WIDTHS
    ).map((width) => ({
      ...{ width, theme: "light" },
      check: async () => (await page.evaluate(layoutFaults, width)).map((fault) => `${width} px: ${fault}`),
    }));
    views.unshift({
      ...{ width: views[0]!.width, theme: "light" },
      check: async () => [
        ...(language === "de" ? await page.evaluate(measureFaults, TOKENS) : []),
        ...(isText ? [] : await inaccessible(page, language === "de" ? "all but contrast" : "texts")),
        ...(isContrastSeen ? await lowContrast(page, "light", passed) : []),
      ],
    });
    if (isContrastSeen)
      views.push({
        ...{ width: WIDTHS.at(-1)!, theme: "dark" },
        check: async () => (await lowContrast(page, "dark", passed)).map((fault) => `dark: ${fault}`),
      });
    for (const { width, theme, check } of isReversed ? views.toReversed() : views) {
      await show(width, theme);
      faults.push(...(await check()));
    }
    return faults;
  }

  it("can be used with the keyboard, and without scripts", async () => {
    const context = await browser.newContext({ locale: "en-GB", javaScriptEnabled: false });
    const page = await context.newPage();
    await signInAsOwner(page);
    expect(await page.locator("svg.plan-chart .hit title").count()).toBeGreaterThan(0);
    for (const path of ["/dashboard", "/devices/add?template=http"]) {
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

    beforeAll(async () => {
      const context = await browser.newContext({ locale: "en-GB" });
      page = await context.newPage();
      faults = watch(page, base);
      await send({ soc_pct: 40 });
      await signInAsOwner(page);
    });
    afterAll(() => page?.context().close());

    it("warns of a battery that does not charge on command, with the cause, until it does", async () => {
      await send({ soc_pct: 40 });
      // The name of the button ends with what it costs.
      await part("slots").locator('button[value="charge"]').click();
      // What it costs is shown first.
      await page.getByRole("button", { name: "Confirm" }).click();
      await page.waitForURL("**/dashboard**");
      const warning = part("components").getByText("The battery does not follow its commands").first();
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
      await part("components")
        .getByText("charges less or not at all. Check the controller")
        .waitFor({ state: "attached" });
      await send({ soc_pct: 40, battery_power_kw: 5 });
      await warning.waitFor({ state: "detached" });
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
