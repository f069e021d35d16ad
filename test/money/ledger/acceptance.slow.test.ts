import { describe, expect, it } from "vitest";
import { addDays, dayInterval } from "../../../src/core/time/zone.js";
import { PriceSeries } from "../../../src/forecast/market/price-series.js";
import { parsePriceFile } from "../../../src/forecast/market/sources/file-format.js";
import { type ForecastDay, forecastErrors } from "../../../src/money/ledger/forecast-errors.js";
import { Ledger } from "../../../src/money/ledger/ledger.js";
import { promiseOf } from "../../../src/money/ledger/promise.js";
import { type SavingsTotal, totalOf } from "../../../src/money/ledger/totals.js";
import { temporaryStore } from "../../store/support/folder.js";
import { manualClock } from "../../support/manual-clock.js";
import { QUARTER_HOURLY_PRICES, recordedText } from "../../support/recorded-data.js";
import { plant, simulateDays, type TrueDay } from "./simulated-site.js";

/** `HOURGATE_LEDGER_DAYS=60` runs the whole acceptance, with a plan every quarter-hour. */
const LONG = process.env.HOURGATE_LEDGER_DAYS;
const DAYS = LONG === undefined ? 3 : Number(LONG);
const FIRST = "2025-11-10";
const SITE = { id: "home", accountId: "owner", plant };
const WEAR_CT = 1;

/** Worth of a stored kWh by docs/savings.md, ct. */
function worthCt({ prices }: TrueDay): number {
  const oneWay = Math.sqrt(0.9);
  const refill = Math.min(...prices) / oneWay;
  return Math.max(0, Math.min(refill, Math.max(...prices) * oneWay - WEAR_CT));
}

async function ledgerWith(site: ReturnType<typeof simulateDays>, series: PriceSeries): Promise<Ledger> {
  const { store } = await temporaryStore();
  for (let from = 0; from < site.samples.length; from += 2_000)
    await store.samples.append("home", site.samples.slice(from, from + 2_000));
  const end = dayInterval(addDays(FIRST, DAYS), plant.timezone).start;
  const clock = manualClock(new Date(end.getTime() + 2 * 3_600_000));
  const ledger = new Ledger({ ...store, clock, series: () => series });
  for (const plan of site.plans) {
    const made = promiseOf(plan, plant.timezone);
    if (made === undefined) continue;
    await ledger.promise("home", made.date, made.promise);
    await ledger.forecast("home", made.next.date, made.next.forecast);
  }
  return ledger;
}

describe("the ledger of a simulated home that obeys the plan", () => {
  it("has the simulator's own bill and counterfactuals", { timeout: 1_800_000 }, async () => {
    const series = PriceSeries.of(parsePriceFile(recordedText(QUARTER_HOURLY_PRICES)).points);
    const site = simulateDays(series, {
      firstDate: FIRST,
      days: DAYS,
      planQuarters: LONG === undefined ? 4 : 1,
    });
    const ledger = await ledgerWith(site, series);
    const days = await ledger.days(SITE, FIRST, addDays(FIRST, DAYS - 1));
    expect(days.map(({ date }) => date)).toEqual(site.days.map(({ date }) => date));
    let trulySaved = 0;
    let worst = 0;
    for (const [index, truth] of site.days.entries()) {
      const day = days[index]!;
      expect(day.complete).toBe(true);
      worst = Math.max(worst, Math.abs(day.costEur! - truth.costEur));
      expect(day.noBatteryEur!).toBeCloseTo(truth.noBatteryEur, 1);
      expect(day.uncontrolledEur! - day.storedChangeEur!).toBeCloseTo(truth.uncontrolledEur, 1);
      expect(day.savedEur!).toBeCloseTo(day.uncontrolledEur! - day.costEur!, 3);
      expect(day.perfectEur!).toBeLessThanOrEqual(Math.min(day.costEur!, day.uncontrolledEur!));
      expect(day.promisedEur).not.toBeNull();
      trulySaved += truth.uncontrolledEur - truth.costEur;
    }
    const last = site.days.at(-1)!;
    trulySaved += ((last.endKwh - last.twinEndKwh) * worthCt(last)) / 100;
    // What each morning expected of the next day; its prices are known in this simulation, so none is a forecast.
    const compared: ForecastDay[] = [];
    for (const { date } of days.slice(1)) {
      const { forecast, quarters } = await ledger.details("home", date);
      expect(forecast).toHaveLength(24);
      compared.push({ startMs: dayInterval(date, plant.timezone).start.getTime(), forecast, quarters });
    }
    const { load, price } = forecastErrors(compared, (atMs) => series.quarter(atMs)! / 10);
    expect(price).toBeUndefined();
    expect(load!.mae).toBeGreaterThan(0);
    expect(load!.mae).toBeLessThan(1);
    const total = totalOf(days);
    if (LONG !== undefined) report(total, { worst, trulySaved });
    expect(worst).toBeLessThan(0.005);
    expect(trulySaved).toBeGreaterThan(0.1 * DAYS);
    // Over few days the noise of the meters shows.
    expect(Math.abs(total.savedEur! - trulySaved)).toBeLessThan((DAYS < 30 ? 0.03 : 0.01) * trulySaved);
  });
});

function report(total: SavingsTotal, of: { worst: number; trulySaved: number }): void {
  console.log(
    [
      `largest difference to the simulator's bill: ${(of.worst * 100).toFixed(3)} ct a day`,
      `saved ${total.savedEur!.toFixed(3)} EUR, by the simulator ${of.trulySaved.toFixed(3)} EUR`,
      JSON.stringify(total),
    ].join("\n"),
  );
}
