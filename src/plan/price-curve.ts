import { floorTo, HOUR_MS, QUARTER_MS } from "../core/domain/interval.js";
import { addDays, dayInterval, localDate } from "../core/time/zone.js";
import type { PriceSeries } from "../forecast/market/price-series.js";
import type { ForecastHour } from "../forecast/price/forecast.js";
import { quarterPrice } from "../forecast/price/quarter-shape.js";
import type { Prices } from "../tariff/compile-tariff.js";

export interface PriceCurveInput {
  now: Date;
  zone: string;
  /** Steps of the market prices. */
  stepMinutes: 60 | 15;
  published: PriceSeries;
  /** From the current hour on. */
  hours: readonly ForecastHour[];
  /** Left out: the market price is the price. */
  tariff?: Prices | undefined;
}

/** A day of prices from its local midnight on, ct/kWh; undefined where a price is not known. */
export interface PriceDay {
  start: Date;
  importCtKwh: (number | undefined)[];
}

/** The prices of today and tomorrow as the tariff settles them: by hours or quarter-hours. */
export interface PriceCurve {
  minutes: 60 | 15;
  today: PriceDay;
  tomorrow: PriceDay;
  /** Start of the first price that is a forecast; undefined: all are published. */
  forecastFrom: Date | undefined;
  /** Price of feed-in now, ct/kWh; undefined without a tariff. */
  exportCtKwh: number | undefined;
}

/** The prices of a site. Pure. */
export function priceCurve(input: PriceCurveInput): PriceCurve {
  const { now, zone, tariff } = input;
  const minutes = input.stepMinutes === 60 || tariff?.settlementMinutes?.(now) === 60 ? 60 : 15;
  const stepMs = minutes === 60 ? HOUR_MS : QUARTER_MS;
  const spotAt = spotPrices(input, minutes);
  const today = localDate(now, zone);
  const dayOf = (date: string): PriceDay => {
    const { start, end } = dayInterval(date, zone);
    const importCtKwh: (number | undefined)[] = [];
    for (let ms = start.getTime(); ms < end.getTime(); ms += stepMs) {
      const ctKwh = spotAt(ms)?.ctKwh;
      importCtKwh.push(ctKwh === undefined ? undefined : (tariff?.importCtKwh(ctKwh, new Date(ms)) ?? ctKwh));
    }
    return { start, importCtKwh };
  };
  const tomorrow = dayOf(addDays(today, 1));
  const nowMs = floorTo(now.getTime(), stepMs);
  const spotNow = spotAt(nowMs)?.ctKwh;
  return {
    minutes,
    today: dayOf(today),
    tomorrow,
    forecastFrom: firstForecast(spotAt, { fromMs: nowMs, tomorrow, stepMs }),
    exportCtKwh: spotNow === undefined ? undefined : tariff?.exportCtKwh(spotNow, now),
  };
}

type SpotAt = (ms: number) => { ctKwh: number; isPublished: boolean } | undefined;

/** The market price of a step: published, else forecast. */
function spotPrices({ published, hours }: PriceCurveInput, minutes: 60 | 15): SpotAt {
  const ahead = new Map(hours.map((hour) => [hour.start.getTime(), hour]));
  return (ms) => {
    const known = minutes === 60 ? published.hour(ms) : published.quarter(ms);
    if (known !== undefined) return { ctKwh: known / 10, isPublished: true };
    const hour = ahead.get(floorTo(ms, HOUR_MS));
    if (hour === undefined) return undefined;
    const isPublished = hour.source === "day_ahead";
    const eurMwh = minutes === 60 ? hour.p50 : quarterPrice(published, { eurMwh: hour.p50, isPublished }, ms);
    return { ctKwh: eurMwh / 10, isPublished };
  };
}

function firstForecast(
  spotAt: SpotAt,
  { fromMs, tomorrow, stepMs }: { fromMs: number; tomorrow: PriceDay; stepMs: number },
): Date | undefined {
  const endMs = tomorrow.start.getTime() + tomorrow.importCtKwh.length * stepMs;
  for (let ms = fromMs; ms < endMs; ms += stepMs) if (spotAt(ms)?.isPublished === false) return new Date(ms);
  return undefined;
}
