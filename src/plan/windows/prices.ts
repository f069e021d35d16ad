import { ceilTo, floorTo, HOUR_MS, hourOf, type Interval, MINUTE_MS } from "../../core/domain/interval.js";
import type { PriceOrigin, Quartile } from "../../core/domain/price.js";
import { priceEurMwh } from "../../core/domain/rounding.js";
import { dayOf } from "../../core/time/zone.js";
import type { PriceSeries } from "../../forecast/market/price-series.js";
import type { ForecastHour } from "../../forecast/price/forecast.js";
import { publishedQuarter } from "../../forecast/price/quarter-shape.js";
import { quarterSpot, settlementMinutes } from "../../forecast/price/settlement.js";
import type { Prices } from "../../tariff/compile-tariff.js";
import { type RankedHour, rankWithinDays } from "./quartiles.js";

/** One slot with its prices; ct/kWh. */
export interface PricedSlot extends Interval {
  spotCtKwh: number;
  /** All-in; the market price without a tariff. */
  importCtKwh: number;
  /** What a kWh costs the site, by which it is ranked; undefined: its price. */
  costCtKwh?: number;
  exportCtKwh: number;
  source: PriceOrigin;
  /** Of its settlement period within the local day, by the market price, as in the decision document. */
  quartile: Quartile;
}

/** Sources of the prices. */
export interface SlotPricing {
  /** Without gaps from the current hour on. */
  hours: readonly ForecastHour[];
  series: PriceSeries;
  tariff: Prices | undefined;
  /** The plant's zone; quartiles are those of its days. */
  zone: string;
  gridMinutes: 60 | 15;
  /** Step of the prices: with 15 each quarter-hour has its own price, with 60 that of its hour. */
  priceMinutes: 60 | 15;
}

interface PricedHour {
  start: Date;
  eurMwh: number;
  source: PriceOrigin;
}

/** The slots of the horizon from the current hour on; an hour without a price has none. */
export function horizonSlots(facts: SlotPricing): PricedSlot[] {
  const { hours, series, zone } = facts;
  const first = hours[0]?.start;
  if (first === undefined) return [];
  const past = storedHours(series, dayOf(first, zone).start, first);
  const ahead = hours.map(({ start, p50, source }) => ({ start, eurMwh: p50, source }));
  return rankedSlots([...past, ...ahead], facts).slice((past.length * 60) / facts.gridMinutes);
}

/** The slots between two instants for which prices are stored; gaps have none. */
export function storedSlots(facts: SlotPricing, from: Date, to: Date): PricedSlot[] {
  const { series, zone } = facts;
  // Whole days, so that the quartiles are those of the full days; an hour belongs to the day on which it begins.
  const hours = storedHours(series, dayOf(hourOf(from), zone).start, dayOf(to, zone).end);
  return rankedSlots(hours, facts).filter(({ start, end }) => start >= from && end <= to);
}

/** The hours with a stored price that begin between the two instants; midnight may lie within a UTC hour. */
function storedHours(series: PriceSeries, from: Date, to: Date): PricedHour[] {
  const hours: PricedHour[] = [];
  const firstMs = Math.max(ceilTo(from.getTime(), HOUR_MS), floorTo(series.startMs, HOUR_MS));
  const endMs = Math.min(to.getTime(), series.endMs);
  for (let startMs = firstMs; startMs < endMs; startMs += HOUR_MS) {
    const eurMwh = series.hour(startMs);
    if (eurMwh !== undefined) hours.push({ start: new Date(startMs), eurMwh, source: "day_ahead" });
  }
  return hours;
}

/** The slots of the hours, each ranked within its day by the rounded price of its settlement period, as in the decision document. */
function rankedSlots(hours: readonly PricedHour[], facts: SlotPricing): PricedSlot[] {
  const { gridMinutes, priceMinutes, tariff, zone } = facts;
  const slots = slotsOf(hours, facts);
  const first = hours[0]?.start;
  if (first === undefined) return [];
  const isQuarterly = gridMinutes === 15 && settlementMinutes(priceMinutes, tariff, first) === 15;
  const periods: RankedHour[] = isQuarterly
    ? slots.map(({ start, spotCtKwh }) => ({ start, value: priceEurMwh(spotCtKwh * 10) ?? 0 }))
    : hours.map(({ start, eurMwh }) => ({ start, value: priceEurMwh(eurMwh) ?? 0 }));
  const ranks = rankWithinDays(periods, zone);
  const each = slots.length / periods.length;
  for (const [index, slot] of slots.entries()) slot.quartile = ranks[Math.floor(index / each)]!.quartile;
  return slots;
}

/** The slots of the hours, not ranked yet. */
function slotsOf(
  hours: readonly PricedHour[],
  { series, tariff, gridMinutes, priceMinutes }: SlotPricing,
): PricedSlot[] {
  const stepMs = gridMinutes * MINUTE_MS;
  const spots = { series, priceMinutes: gridMinutes === 15 ? priceMinutes : 60, tariff } as const;
  const slots: PricedSlot[] = [];
  for (const { start: hourStart, eurMwh, source } of hours) {
    const price = { p50: eurMwh, source };
    for (let atMs = hourStart.getTime(), endMs = atMs + HOUR_MS; atMs < endMs; atMs += stepMs) {
      const start = new Date(atMs);
      const { spotCtKwh, settledCtKwh } = quarterSpot(price, start, spots);
      const isPublished =
        source === "day_ahead" ||
        (settlementMinutes(spots.priceMinutes, tariff, start) === 15 &&
          publishedQuarter(series, false, atMs) !== undefined);
      slots.push({
        start,
        end: new Date(atMs + stepMs),
        spotCtKwh,
        importCtKwh: tariff?.importCtKwh(settledCtKwh, start) ?? spotCtKwh,
        exportCtKwh: tariff?.exportCtKwh(settledCtKwh, start) ?? spotCtKwh,
        source: isPublished ? "day_ahead" : source,
        quartile: 1,
      });
    }
  }
  return slots;
}
