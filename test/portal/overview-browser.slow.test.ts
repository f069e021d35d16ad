import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HOUR_MS, QUARTER_MS } from "../../src/core/domain/interval.js";
import type { LiveState } from "../../src/core/domain/sample.js";
import type { HealthRegistry } from "../../src/core/health-registry.js";
import type { Action } from "../../src/plan/explain.js";
import type { SitePlan } from "../../src/plan/site-plan.js";
import type { FlexResult } from "../../src/plan/windows/result.js";
import type { SlotPlan } from "../../src/plan/windows/slot-schedule.js";
import { LiveEvents } from "../../src/portal/dashboard/live-events.js";
import { dashboardPages } from "../../src/portal/dashboard/pages.js";
import { RecentReadingsReader } from "../../src/portal/dashboard/recent-readings.js";
import { fakeServices, samplePlan, slotSettings } from "../api/fake-services.js";
import { detailOf } from "../support/components.js";
import { NOW, type OpenPortal, openPortal, PASSWORD } from "./harness.js";
import { inaccessible, isChromiumMissing, launchChromium, watch } from "./page-checks.js";

const MAIL = "owner@example.org";
/** Height of the window of a phone less the tabs. */
const TABS_TOP = 844 - 64;

const SLOTS = [
  slotSettings({ slot: 1, label: "Wallbox", kind: "wallbox", power_kw: 11 }),
  slotSettings({ slot: 2, label: "Warmwasserboiler", kind: "boiler", power_kw: 3 }),
  slotSettings({ slot: 3, label: "Wärmepumpe", kind: "heat_pump", power_kw: 2 }),
];

/** A week with sun at noon, a full battery in the evening. */
function weekPlan(now: Date): SitePlan {
  const plan = samplePlan();
  const [day] = plan.days;
  const actions: Action[] = ["discharge", "idle", "pv_charge", "hold"];
  const hours = Array.from({ length: 168 }, (_, index) => ({
    ...day!.hours[0]!,
    start: new Date(now.getTime() + index * HOUR_MS),
    end: new Date(now.getTime() + (index + 1) * HOUR_MS),
    action: actions[Math.floor(index / 3) % 4]!,
    reason: {
      code: "dear_import" as const,
      figures: { importCtKwh: 31.4, valueCtKwh: 18.15, exportCtKwh: 6 },
    },
    pvKwh: Math.max(0, 3 - Math.abs((index % 24) - 3)),
    socEndPct: 20 + ((index * 7) % 70),
  }));
  const steps = hours.slice(0, 48).flatMap(({ start, action, socEndPct }) =>
    [0, 1, 2, 3].map((quarter) => ({
      start: new Date(start.getTime() + quarter * QUARTER_MS),
      end: new Date(start.getTime() + (quarter + 1) * QUARTER_MS),
      action,
      socEndPct,
      socP10Pct: socEndPct,
      socP90Pct: socEndPct,
    })),
  );
  return { ...plan, days: [{ ...day!, hours }], steps };
}

function slotPlans(now: Date): SlotPlan[] {
  return SLOTS.map((settings, index) => {
    const start = new Date(now.getTime() + (2 + index) * HOUR_MS);
    const end = new Date(start.getTime() + 2 * HOUR_MS);
    const chosen = { start, end, energyKwh: 6, surplusKwh: 2, importCtKwh: 22, exportCtKwh: 6 };
    const result = {
      slots: [chosen],
      windows: [{ start, end, averageCtKwh: 22, energyKwh: 6 }],
      unmetHours: 0,
      plugged: 1,
    } as unknown as FlexResult;
    return { slot: settings.slot, settings, origin: "settings", plugged: 1, result, later: [] };
  });
}

/** A home that is lived in, in a portal over real HTTP; what it measures and plans is made here. */
async function openHome(): Promise<{ portal: OpenPortal; events: LiveEvents; components: HealthRegistry }> {
  const at = NOW;
  const fakes = fakeServices({ now: NOW, priceMinutes: 15 });
  const kwh = { import: 10.8, export: 2.1, pv: 26.2, load: 16.7, charge: 7.2, discharge: 6.1 };
  const live: LiveState = {
    soc_pct: { value: 98, at },
    pv_power_kw: { value: 0.95, at },
    grid_power_kw: { value: 0, at },
    battery_power_kw: { value: -1.15, at },
    load_power_kw: { value: 2.1, at },
    slot_1_power_kw: { value: 0, at },
    slot_2_power_kw: { value: 1.2, at },
  };
  const services = {
    ...fakes,
    stepMinutes: 15 as const,
    plans: { ...fakes.plans, current: () => weekPlan(at) },
    flex: Object.assign(Object.create(fakes.flex), {
      current: () => slotPlans(at),
      tryOverride: () => ({ plan: slotPlans(at)[0], isByCost: false, cost: undefined }),
      settings: (_site: string, slot: number) => SLOTS.find((one) => one.slot === slot),
    }) as typeof fakes.flex,
    telemetry: { ...fakes.telemetry, live: () => live },
  };
  const quarters = Array.from({ length: 44 }, (_, index) => index);
  const columns = {
    pvKwh: quarters.map(() => 0.3),
    loadKwh: quarters.map(() => 0.2),
    importKwh: quarters.map(() => 0.1),
    importCtKwh: quarters.map(() => 20),
    exportCtKwh: quarters.map(() => 5),
    slots: { 1: quarters.map(() => 0.25), 2: quarters.map(() => 0.075) },
  } as never;
  const events = new LiveEvents({ bus: fakes.bus });
  const unused = undefined as never;
  const isSignedIn = () => true;
  const pages = dashboardPages({
    services,
    events,
    quota: () => undefined,
    recent: new RecentReadingsReader({
      samples: { range: async () => [] },
      ledger: { quarters: async () => columns, quartersSoFar: async () => columns },
    }),
    savings: {
      now: () => ({
        date: "2026-01-15",
        today: { kwh } as never,
        todayEur: 0.84,
        weekEur: 5.1,
        monthEur: 9.3,
        totalEur: 120,
      }),
    },
    commands: { since: () => [] },
    deviceNames: () => new Map(),
    retried: unused,
    limits: { staleMinutes: 10, lostMinutes: 60 },
    setLoadWithout: unused,
    socTopic: () => "hourgate/home/telemetry/soc_pct",
    isSignedIn,
  });
  const portal = await openPortal({ services, pages });
  await portal.addAccount(MAIL, { administrator: true });
  const pv = [{ peak_kw: 8, tilt_deg: 30, azimuth_deg: 180 }] as never;
  const [site] = portal.sites.list();
  await portal.sites.change(site!.id, {
    plant: {
      name: "Haus Gruber",
      slots: SLOTS.map(({ slot, label, kind, power_kw }) => ({ slot, label, kind, power_kw })) as never,
      pv,
      battery: { capacity_kwh: 10 } as never,
    },
  });
  return { portal, events, components: fakes.components };
}

describe.skipIf(isChromiumMissing)("the overview in a browser", () => {
  let portal: OpenPortal;
  let events: LiveEvents;
  let components: HealthRegistry;
  let browser: Browser;

  beforeAll(async () => {
    [browser, { portal, events, components }] = await Promise.all([launchChromium(), openHome()]);
    events.start();
  });
  afterAll(async () => {
    await browser?.close();
    await events?.stop();
    await portal?.close();
  });

  async function signedIn(
    width: number,
    height: number,
    locale: string,
    serviceWorkers: "allow" | "block" = "allow",
  ): Promise<Page> {
    const context = await browser.newContext({
      locale,
      viewport: { width, height },
      reducedMotion: "reduce",
      serviceWorkers,
    });
    const page = await context.newPage();
    await page.goto(`${portal.url}/login`);
    await page.locator("[name=email]").fill(MAIL);
    await page.locator("[name=password]").fill(PASSWORD);
    await page.locator("main button[type=submit]").click();
    await page.waitForURL("**/dashboard");
    return page;
  }

  /** Sizes of what a phone must show at once, and of the texts of pictures as drawn. */
  const measure = (page: Page) =>
    page.evaluate(() => {
      const box = (id: string) => document.getElementById(id)?.getBoundingClientRect();
      const drawn = [...document.querySelectorAll<SVGTextElement>("main svg text")].map(
        (text) => Number.parseFloat(getComputedStyle(text).fontSize) * (text.getScreenCTM()?.a ?? 1),
      );
      const words = [...document.querySelectorAll<HTMLElement>("main :is(p, a, li, span, button, summary)")];
      const tops = [...document.querySelectorAll(".legend li")].map((one) =>
        Math.round(one.getBoundingClientRect().top),
      );
      return {
        ends: ["saved", "flow", "headline"].map((id) => box(id)?.bottom ?? Number.NaN),
        alertHeight: box("alert")?.height,
        smallest: Math.min(
          ...drawn,
          ...words.map((one) => Number.parseFloat(getComputedStyle(one).fontSize)),
        ),
        legendLines: new Set(tops).size,
        width: document.documentElement.scrollWidth,
        titleHeight: document.querySelector("h1")?.getBoundingClientRect().height,
      };
    });

  it.each(["de-AT", "en-GB"])(
    "answers on the first screen of a phone, with an alert too, %s",
    async (locale) => {
      const page = await signedIn(390, 844, locale);
      const faults = watch(page, portal.url);
      await page.goto(`${portal.url}/dashboard`);
      expect(await page.locator("h1").innerText()).toBe("Haus Gruber");
      const before = await measure(page);
      expect(before.titleHeight).toBeLessThan(40);
      expect(Math.max(...before.ends)).toBeLessThanOrEqual(TABS_TOP);
      expect(before.smallest).toBeGreaterThanOrEqual(12);
      expect(before.legendLines).toBeLessThanOrEqual(3);
      expect(before.width).toBe(390);
      const names =
        locale === "de-AT" ? ["Sonne", "Netz", "Haus", "Batterie"] : ["Sun", "Grid", "Home", "Battery"];
      const nodes = await page
        .locator("#flow a.node")
        .evaluateAll((all) =>
          all.map((one) => [...one.querySelectorAll("text")].map((text) => text.textContent).join(" ")),
        );
      const number = (text: string) => (locale === "de-AT" ? text : text.replaceAll(",", "."));
      expect(nodes).toEqual(
        [
          `${names[0]} 0,95 kW 26,2 kWh`,
          `${names[1]} 0,00 kW ↓10,8 ↑2,1 kWh`,
          `${names[2]} 2,10 kW 16,7 kWh`,
          `98 % ${names[3]} 1,15 kW +7,2 −6,1 kWh`,
          "Wallbox 0,00 kW 11,0 kWh",
          "Warmwasserboiler 1,20 kW 3,3 kWh",
        ]
          .map(number)
          .concat([locale === "de-AT" ? "Wärmepumpe – ab heute 15:00" : "Wärmepumpe – from today 15:00"]),
      );
      expect(await page.locator("#saved").innerText()).toMatch(
        locale === "de-AT"
          ? /Heute 0,84 € gespart\s+diese Woche 5,10 €/
          : /Today 0\.84 € saved\s+this week 5\.10 €/,
      );
      expect(await inaccessible(page)).toEqual([]);

      components.report("actuator/home/x", "degraded", detailOf("off"));
      await page.reload();
      const alerted = await measure(page);
      components.remove("actuator/home/x");
      expect(alerted.alertHeight).toBeLessThanOrEqual(56);
      expect(Math.max(...alerted.ends)).toBeLessThanOrEqual(TABS_TOP);

      // A period that was tapped, or chosen with the arrow keys, stays.
      await page.locator("#chart .hit").nth(40).click();
      const chosen = await page.locator(".readout").innerText();
      expect(chosen).toMatch(/ct\/kWh/);
      await page.locator("#chart").press("ArrowRight");
      expect(await page.locator(".readout").innerText()).not.toBe(chosen);
      expect(faults).toEqual([]);
      await page.context().close();
    },
  );

  it("has a legend of two lines at most on a desk, and no small type at any width", async () => {
    const page = await signedIn(1280, 900, "de-AT");
    for (const width of [1280, 768, 360]) {
      await page.setViewportSize({ width, height: 900 });
      const { legendLines, smallest, width: needed } = await measure(page);
      expect(legendLines, `${width}`).toBeLessThanOrEqual(width === 1280 ? 2 : 3);
      expect(smallest, `${width}`).toBeGreaterThanOrEqual(12);
      expect(needed).toBe(width);
    }
    await page.context().close();
  });

  it("needs less than 100 kB in at most 20 requests at a first visit, and moves nothing", async () => {
    // Answers that pass through a service worker have no size.
    const page = await signedIn(390, 844, "de-AT", "block");
    const session = await page.context().newCDPSession(page);
    await session.send("Network.enable");
    await session.send("Network.clearBrowserCache");
    const requests = new Map<string, string>();
    let bytes = 0;
    session.on("Network.responseReceived", ({ requestId, type, response }) => {
      if (type !== "EventSource") requests.set(requestId, response.url);
    });
    session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
      if (requests.has(requestId)) bytes += encodedDataLength;
    });
    await page.goto(`${portal.url}/dashboard`);
    const { shift, paintMs } = await page.evaluate(async () => {
      const shifts: number[] = [];
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) shifts.push((entry as unknown as { value: number }).value);
      }).observe({ type: "layout-shift", buffered: true });
      await new Promise((resolve) => setTimeout(resolve, 1200));
      const paint = performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0;
      return { shift: shifts.reduce((sum, one) => sum + one, 0), paintMs: paint };
    });
    const urls = [...requests.values()];
    console.info(
      `Overview: ${bytes} bytes in ${urls.length} requests, first paint ${Math.round(paintMs)} ms.`,
    );
    expect(bytes).toBeGreaterThan(20_000);
    expect(bytes).toBeLessThan(100_000);
    expect(urls.length).toBeLessThanOrEqual(20);
    // What was just rendered is not fetched.
    expect(urls.filter((url) => url.includes("/portal/data"))).toEqual([]);
    expect(shift).toBeLessThan(0.02);
    await page.context().close();
  });
});
