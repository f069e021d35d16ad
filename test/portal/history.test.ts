import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HOUR_MS, QUARTER_MS } from "../../src/core/domain/interval.js";
import type { Sample } from "../../src/core/domain/sample.js";
import { dayInterval } from "../../src/core/time/zone.js";
import { PriceSeries } from "../../src/forecast/market/price-series.js";
import type { Browser } from "./form-browser.js";
import { type OpenPortal, openPortal } from "./harness.js";

const ZONE = "Europe/Vienna";
/** The day before that of the portal's clock, a Wednesday. */
const DATE = "2026-01-14";
const START_MS = dayInterval(DATE, ZONE).start.getTime();

/** 1 kW load, of which a boiler has 0.5; 4 kW into the battery in the first two hours, 1 kW out of it in the next eight. */
function readings(): Sample[] {
  let importKwh = 1000;
  let socPct = 0;
  return Array.from({ length: 98 }, (_, quarter) => {
    const batteryKw = quarter < 8 ? 4 : quarter < 40 ? -1 : 0;
    const values = {
      import_kwh: importKwh,
      soc_pct: socPct,
      battery_power_kw: batteryKw,
      slot_1_power_kw: 0.5,
    };
    importKwh += (1 + batteryKw) / 4;
    socPct += (batteryKw / 4) * 10;
    return { at: new Date(START_MS + quarter * QUARTER_MS), values };
  });
}

const textOf = (html: string) => html.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");

describe("the page Energy and cost", () => {
  let portal: OpenPortal;
  let anna: Browser;
  beforeAll(async () => {
    portal = await openPortal();
    await portal.addAccount("anna@example.org");
    anna = await portal.signedIn("anna@example.org");
  });
  afterAll(() => portal.close());

  it("says what is missing while nothing is measured", async () => {
    const { text, status } = await anna.get("/history");
    expect(status).toBe(200);
    expect(textOf(text)).toContain("There are no measurements in this period.");
    expect(textOf(text)).toContain("No forecast for the next day can be compared yet.");
    expect((await anna.get("/history?period=week&date=2026-02-31")).status).toBe(200);
  });

  it("has the errors of the forecasts of daily energy, of load only while no PV is compared", async () => {
    const text = textOf((await anna.get("/history")).text);
    // 1.6 of 8 kWh on average, in the band on 9 of 12 days.
    expect(text).toMatch(/Consumption of a day, by day of the forecast .* 1 1\.60 20 % −0\.40 75 % 12 /);
    expect(text).not.toContain("PV of a day, by day of the forecast");
  });

  it("lists readings that were not used, with their raw values", async () => {
    const text = textOf((await anna.get("/history")).text);
    expect(text).toMatch(
      /Readings that were not used 3 since the start.* 14 Jan 2026 10:45 battery_power_kw 655\.350/,
    );
  });

  it("has the energies, amounts and prices of a day, a month and a year", async () => {
    const site = portal.sites.of("account-anna@example.org")[0]!;
    const battery = { capacity_kwh: 10, min_soc_pct: 0, efficiency_pct: 100, max_charge_power_kw: 5 };
    const slots = [{ slot: 1, label: "Boiler", hours: 4 }];
    await portal.sites.change(site.id, { plant: { battery, slots, timezone: ZONE } });
    const prices = Array.from({ length: 48 }, (_, hour) => ({
      start: new Date(START_MS + hour * HOUR_MS),
      minutes: 60 as const,
      eurPerMwh: hour % 24 < 2 ? 100 : 400,
    }));
    await portal.store.prices.save(prices);
    portal.setPrices(PriceSeries.of(prices));
    await portal.store.samples.append(site.id, readings());
    const hours = Array.from({ length: 24 }, (_, hour) => ({
      startMs: START_MS + hour * HOUR_MS,
      endMs: START_MS + (hour + 1) * HOUR_MS,
    }));
    const steps = hours.map((hour) => ({ ...hour, mode: "free" as const, socEndPct: 77 }));
    await portal.ledger.promise(site.id, DATE, { savingEur: 2, steps });
    const forecast = hours.map((hour) => ({ ...hour, priceCtKwh: 12, pvKwh: 0, loadKwh: 1.5 }));
    await portal.ledger.forecast(site.id, DATE, forecast);
    await portal.ledger.days(portal.sites.get(site.id)!, DATE, DATE);

    const day = textOf((await anna.get(`/history?period=day&date=${DATE}`)).text);
    // PV, load, import, feed-in, charge, discharge, price, SOC planned and measured.
    expect(day).toContain("01:00 Why 0.00 1.00 5.00 0.00 4.00 0.00 10.0 77 80");
    // The price of each hour, whether anything was imported or not.
    expect(day).toContain("02:00 Why 0.00 1.00 0.00 0.00 0.00 1.00 40.0 77 70");
    expect(day).toContain("6.60 € paid, 2.40 € saved");
    expect(day).toContain("Boiler 12.0 kWh");
    // 2 hours at 10 ct, 22 at 40 ct; 1 kWh each; no hour with PV.
    expect(day).toMatch(
      /Market price \(ct\/kWh\) 25\.83 24 hours – PV \(kWh per hour\) – – Consumption \(kWh per hour\) 0\.50 24 hours –/,
    );

    const month = textOf((await anna.get("/history?period=month&date=2026-01-15")).text);
    expect(month).toContain("January 2026");
    // 10 kWh at 10 ct and 14 kWh at 40 ct: 27.5 ct.
    expect(month).toContain("Wed 14/01 0.0 24.0 24.0 0.0 8.0 8.0 27.5 6.60 9.00 9.00 2.40");
    expect(month).toContain("Cost and savings cover 1 of 2 days.");
    expect(textOf((await anna.get("/history?period=year")).text)).toContain("January 0 ");
    const { text } = await anna.get(`/history?period=day&date=${DATE}&lang=de`);
    expect(textOf(text)).toContain("6,60 € bezahlt, 2,40 € gespart");
    expect(text.match(/<svg [^>]*role="(img|group)" aria-label="[^"]{20,}"/g)).toHaveLength(3);
    // Each hour leads to why.
    expect(text.match(/<a href="\/why[^"]*" aria-label="\d\d:00: Warum">/g)).toHaveLength(24);
    const money = (await anna.get(`/history?period=day&date=${DATE}&unit=eur`)).text;
    expect(money).toContain('<svg class="chart-svg plot" role="group" aria-label="Kosten');
    const units = [...text.matchAll(/<svg class="chart-svg plot"[^>]*><text[^>]*>([^<]+)<\/text>/g)];
    expect(units.map(([, unit]) => unit)).toEqual(["kWh", "ct/kWh", "%"]);
    // Not before the first reading.
    expect(text).not.toContain('rel="prev"');
    expect(text).toMatch(/period=day&amp;date=2026-01-15" rel="next"/);
    await anna.get("/history?lang=en");
  });

  it("says why an hour was as it was, and its hours add up to what the day saved", async () => {
    const site = portal.sites.get(portal.sites.of("account-anna@example.org")[0]!.id)!;
    const at = (hour: number) => new Date(START_MS + hour * HOUR_MS).toISOString();
    const why = async (hour: number, query = "") =>
      textOf((await anna.get(`/why?at=${at(hour)}${query}`)).text);
    // Nothing is recorded of the hour: 4 kWh bought for 10 ct, which is what a stored kWh is worth on that day.
    const first = await why(0);
    expect(first).toContain("decided before the gateway kept records");
    expect(first).toMatch(
      /From the grid 5\.00 kWh .* Battery charged 4\.00 kWh .* Paid 0\.50 € Saved in this hour 0\.00 €/,
    );
    const saved = await Promise.all(
      Array.from(
        { length: 24 },
        async (_, hour) => (await portal.why.at(site, new Date(at(hour))))!.outcome!.savedEur!,
      ),
    );
    expect(saved.reduce((sum, eur) => sum + eur, 0)).toBeCloseTo(2.4, 6);

    const decision = {
      atMs: START_MS + 3 * HOUR_MS,
      action: "hold",
      reason: {
        code: "kept_for_later",
        figures: { importCtKwh: 40, laterAtMs: START_MS + 18 * HOUR_MS, laterCtKwh: 55 },
      },
      socPct: 70,
      socEndPct: 70,
      priceCtKwh: 40,
      isPublished: true,
      pvKwh: 0,
      loadKwh: 1,
    };
    await portal.store.documents.put(`decisions/${site.id}/2026-01-14`, { version: 1, hours: [decision] });
    // The home was served instead: 1 kWh at 40 ct, of which 10 ct is what it was worth stored.
    expect(await why(3)).toContain(
      "We kept 0.0 kWh for 18:00; electricity became cheaper than expected: +0.30 €.",
    );
    const german = await why(3, "&lang=de");
    expect(german).toContain("Strom wurde billiger als erwartet: +0,30 €.");
    expect(german).toContain("Ladestand 70 %");
    await anna.get("/history?lang=en");
    // Not before the first reading, and not into an hour that is not over.
    const { text } = await anna.get(`/why?at=${at(0)}`);
    expect(text).not.toContain("Hour before");
    expect(text).toContain("Next hour");
    expect(await why(24 * 30)).toContain("This hour is not over.");
  });

  it("gives the quarter-hours of a day and the days of a month as CSV", async () => {
    const day = await anna.get(`/history/csv?period=day&date=${DATE}`);
    expect(day.headers.get("content-disposition")).toMatch(/-day-2026-01-14\.csv"$/);
    const lines = day.text.trim().split("\n");
    expect(lines).toHaveLength(97);
    expect(lines[0]).toBe(
      "start,import_kwh,export_kwh,pv_kwh,load_kwh,charge_kwh,discharge_kwh,import_ct_kwh,export_ct_kwh,slot_1_kwh",
    );
    expect(lines[1]).toBe("2026-01-13T23:00:00Z,1.25,0,0,0.25,1,0,10,10,0.125");
    const month = await anna.get("/history/csv?period=month");
    expect(month.text.split("\n")[1]).toMatch(
      /^2026-01-14,1,24\.000,0\.000,0\.000,24\.000,8\.000,8\.000,27\.50,6\.60,9\.00,9\.00,/,
    );
    expect((await anna.get("/portal/nothing")).status).toBe(404);
  });
});
