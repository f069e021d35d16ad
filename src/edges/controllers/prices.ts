import type { TariffPrices } from "../../api/documents/forecast.js";
import { floorTo, HOUR_MS, type Interval, QUARTER_MS } from "../../core/domain/interval.js";
import { rounded } from "../../core/domain/rounding.js";
import type { PriceSeries } from "../../forecast/market/price-series.js";
import type { ForecastHour } from "../../forecast/price/forecast.js";
import { quarterSpot } from "../../forecast/price/settlement.js";
import { energyOfSteps, type PvHour } from "../../forecast/pv/forecast.js";
import { lineText, priceText } from "./values.js";

/** Hours of the line of relative prices, as a spot price block has inputs for them. */
export const RELATIVE_HOURS = 24;
/** Length of the arrays for evcc, hours. */
export const ARRAY_HOURS = 168;

/** `HG;H0=…;…;H23=…`: import prices, ct/kWh, of the current hour (`H0`) and the 23 hours after it. */
export function hoursLine(hours: readonly ForecastHour[], tariff: TariffPrices | undefined): string {
  return lineText(
    new Map(
      hours.slice(0, RELATIVE_HOURS).map((hour, index) => {
        const spotCtKwh = hour.p50 / 10;
        return [`H${index}`, priceText(tariff?.importCtKwh(spotCtKwh, hour.start) ?? spotCtKwh)];
      }),
    ),
  );
}

/** Inputs of a price array. */
export interface ControllerPrices {
  now: Date;
  /** Without gaps, from the current hour. */
  hours: readonly ForecastHour[];
  published: PriceSeries;
  /** 15: published quarter-hours have their own price; 60: each quarter-hour has the price of its hour. Minutes. */
  priceMinutes: 60 | 15;
  tariff: TariffPrices | undefined;
}

/** evcc's custom tariff: a JSON array of quarter-hours without gaps from the current one, EUR/kWh. */
export function evccPrices(which: "grid" | "feedin", facts: ControllerPrices): string {
  const { hours, published, priceMinutes, tariff } = facts;
  const firstMs = hours[0]!.start.getTime();
  const steps = quarters(facts.now, new Date(hours.at(-1)!.start.getTime() + HOUR_MS));
  return arrayText(steps, ({ start }) => {
    const hour = hours[Math.floor((start.getTime() - firstMs) / HOUR_MS)]!;
    const { spotCtKwh, importSpotCtKwh } = quarterSpot(hour, start, {
      series: published,
      priceMinutes,
      tariff,
    });
    const ctKwh =
      (which === "grid"
        ? tariff?.importCtKwh(importSpotCtKwh, start)
        : tariff?.exportCtKwh(spotCtKwh, start)) ?? spotCtKwh;
    return rounded(ctKwh / 100, 6) ?? 0;
  });
}

/** evcc's custom solar forecast: the mean power of each quarter-hour, W; zeros without PV. */
export function evccSolar(now: Date, pvHours: readonly PvHour[]): string {
  const lastMs = pvHours.at(-1)?.start.getTime() ?? Number.POSITIVE_INFINITY;
  const endMs = Math.min(floorTo(now.getTime(), HOUR_MS) + ARRAY_HOURS * HOUR_MS, lastMs + HOUR_MS);
  const steps = quarters(now, new Date(endMs));
  const energiesKwh = energyOfSteps(pvHours, steps);
  return arrayText(steps, (_, index) => {
    const hoursEach = QUARTER_MS / HOUR_MS;
    return rounded(((energiesKwh[index] ?? 0) * 1000) / hoursEach, 1) ?? 0;
  });
}

/** Quarter-hours from the current one to `end`. */
function quarters(now: Date, end: Date): Interval[] {
  const firstMs = floorTo(now.getTime(), QUARTER_MS);
  return Array.from({ length: Math.max(0, (end.getTime() - firstMs) / QUARTER_MS) }, (_, index) => ({
    start: new Date(firstMs + index * QUARTER_MS),
    end: new Date(firstMs + (index + 1) * QUARTER_MS),
  }));
}

function arrayText(steps: readonly Interval[], value: (step: Interval, index: number) => number): string {
  return JSON.stringify(
    steps.map((step, index) => ({
      start: utc(step.start),
      end: utc(step.end),
      value: value(step, index),
    })),
  );
}

function utc(at: Date): string {
  return at.toISOString().replace(".000Z", "Z");
}
