import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HOUR_MS, QUARTER_MS } from "../../src/core/domain/interval.js";
import type { Sample } from "../../src/core/domain/sample.js";
import { dayInterval } from "../../src/core/time/zone.js";
import type { Browser } from "./form-browser.js";
import { type OpenPortal, openPortal } from "./harness.js";

const ZONE = "Europe/Vienna";
/** The day before that of the portal's clock. */
const DATE = "2026-01-14";

/** 1 kW load; 4 kW into the battery in the first two hours, 1 kW out of it in the next eight. */
function readings(startMs: number): Sample[] {
  let importKwh = 1000;
  let socPct = 0;
  return Array.from({ length: 98 }, (_, quarter) => {
    const batteryKw = quarter < 8 ? 4 : quarter < 40 ? -1 : 0;
    const values = { import_kwh: importKwh, soc_pct: socPct, battery_power_kw: batteryKw };
    importKwh += (1 + batteryKw) / 4;
    socPct += (batteryKw / 4) * 10;
    return { at: new Date(startMs + quarter * QUARTER_MS), values };
  });
}

const textOf = (html: string) => html.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");

describe("the page Savings", () => {
  let portal: OpenPortal;
  let anna: Browser;
  let siteId: string;
  beforeAll(async () => {
    portal = await openPortal();
    await portal.addAccount("anna@example.org");
    anna = await portal.signedIn("anna@example.org");
    siteId = portal.sites.of("account-anna@example.org")[0]!.id;
    const battery = { capacity_kwh: 10, min_soc_pct: 0, efficiency_pct: 100, max_charge_power_kw: 5 };
    await portal.sites.change(siteId, { plant: { battery, timezone: ZONE } });
  });
  afterAll(() => portal.close());

  it("says what a day needs while nothing is known", async () => {
    expect((await anna.get("/savings?month=2026-01")).location).toBe("/history/money?month=2026-01");
    const { text, status } = await anna.get("/history/money");
    expect(status).toBe(200);
    expect(textOf(text)).toContain("No day of this month is complete yet. A day needs the meter");
    expect(textOf(text)).toContain("Saved today so far – €");
    expect((await anna.get(`/portal/savings?date=${DATE}`)).status).toBe(404);
  });

  it("shows day, month and year, in the language of the page, and marks incomplete days", async () => {
    const start = dayInterval(DATE, ZONE).start.getTime();
    const hours = Array.from({ length: 48 }, (_, hour) => ({
      start: new Date(start + hour * HOUR_MS),
      minutes: 60 as const,
      eurPerMwh: hour % 24 < 2 ? 100 : 400,
    }));
    await portal.store.prices.save(hours);
    await portal.store.samples.append(siteId, readings(start));
    const promise = { savingEur: 2, steps: [] };
    await portal.ledger.promise(siteId, DATE, promise);
    await portal.ledger.days(portal.sites.get(siteId)!, DATE, DATE);
    const english = textOf((await anna.get("/history/money?month=2026-01")).text);
    expect(english).toContain("January 2026");
    expect(english).toContain("Saved: 2.40 €");
    // Cost, uncontrolled, without battery, promise, best possible, stored, saved.
    expect(english).toMatch(/Wed 14\/01 6\.60 9\.00 9\.00 – 6\.0\d 0\.00 2\.40/);
    expect(english).toContain("Thu 15/01 The day is not over.");
    expect(english).toContain("January 2026 1 of 2 days");
    expect(english).toMatch(/Promised Achieved Days compared January 2026 2\.00 2\.40 1/);
    const { text } = await anna.get("/history/money?lang=de");
    expect(text).toContain('<svg class="chart-svg plot" role="img"');
    expect(text.match(/<rect class="column"/g)).toHaveLength(2);
    expect(textOf(text)).toMatch(/Mi\., 14\.0?1\.? 6,60 9,00/);
    await anna.get("/history/money?lang=en");
  });

  it("serves the same as JSON, and the quarter-hours of a day", async () => {
    const { text } = await anna.get("/portal/savings?month=2026-01");
    const document = JSON.parse(text);
    const day = document.days.find(({ date }: { date: string }) => date === DATE);
    expect(day).toMatchObject({ complete: true, cost_eur: 6.6, uncontrolled_eur: 9, saved_eur: 2.4 });
    expect(document.year).toMatchObject({ year: "2026", total: { complete: false, saved_eur: 2.4 } });
    const quarters = JSON.parse((await anna.get(`/portal/savings?date=${DATE}`)).text);
    expect(quarters.import_kwh).toHaveLength(96);
    expect(quarters.charge_kwh.slice(0, 9)).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 0]);
    expect((await anna.get("/portal/savings?month=2026-13")).status).toBe(404);
  });
});
