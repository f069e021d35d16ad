import type { TariffPrices } from "../../api/documents/forecast.js";
import type { Site } from "../../config/site.js";
import { floorTo, HOUR_MS, type Interval, QUARTER_MS } from "../../core/domain/interval.js";
import { rounded } from "../../core/domain/rounding.js";
import type { PriceSeries } from "../../forecast/market/price-series.js";
import type { ForecastHour } from "../../forecast/price/forecast.js";
import { quarterSpot } from "../../forecast/price/settlement.js";
import { energyOfSteps, type PvHour } from "../../forecast/pv/forecast.js";
import type { ControllerOptions } from "./options.js";
import type { ControllerReply } from "./reply.js";
import { isOn, lineText, namedValue, priceText, type SiteValues, siteValues } from "./values.js";

/** Hours of the line of relative prices, as a spot price block has inputs for them. */
const RELATIVE_HOURS = 24;
/** Length of the arrays for evcc, hours. */
const ARRAY_HOURS = 168;

/** `HG;H0=…;…;H23=…`: import prices, ct/kWh, of the current hour (`H0`) and the 23 hours after it. */
function hoursLine(hours: readonly ForecastHour[], tariff: TariffPrices | undefined): string {
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
interface ControllerPrices {
  now: Date;
  /** Without gaps, from the current hour. */
  hours: readonly ForecastHour[];
  published: PriceSeries;
  /** 15: published quarter-hours have their own price; 60: each quarter-hour has the price of its hour. Minutes. */
  priceMinutes: 60 | 15;
  tariff: TariffPrices | undefined;
}

/** evcc's custom tariff: a JSON array of quarter-hours without gaps from the current one, EUR/kWh. */
function evccPrices(which: "grid" | "feedin", facts: ControllerPrices): string {
  const { hours, published, priceMinutes, tariff } = facts;
  const firstMs = hours[0]!.start.getTime();
  const steps = quarters(facts.now, new Date(hours.at(-1)!.start.getTime() + HOUR_MS));
  return arrayText(steps, ({ start }) => {
    const hour = hours[Math.floor((start.getTime() - firstMs) / HOUR_MS)]!;
    const { spotCtKwh, settledCtKwh } = quarterSpot(hour, start, {
      series: published,
      priceMinutes,
      tariff,
    });
    const ctKwh =
      (which === "grid"
        ? tariff?.importCtKwh(settledCtKwh, start)
        : tariff?.exportCtKwh(settledCtKwh, start)) ?? spotCtKwh;
    return rounded(ctKwh / 100, 6) ?? 0;
  });
}

/** evcc's custom solar forecast: the mean power of each quarter-hour, W; zeros without PV. */
function evccSolar(now: Date, pvHours: readonly PvHour[]): string {
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

/** Answers a read-only page from memory; `name` is the path segment after the page, empty if there is none. */
export type Read = (site: Site, name: string) => ControllerReply;

const UNKNOWN_NAME: ControllerReply = { status: 404, text: "unknown name" };
/** Before the first forecast. */
const NOT_READY: ControllerReply = {
  status: 503,
  text: "Prices are not available yet: try again in a few seconds.",
  headers: { "Retry-After": 5 },
};

/** The pages `line`, `value`, `on`, `hours` and `evcc`. */
export function readPages(
  options: ControllerOptions,
): Record<"line" | "value" | "on" | "hours" | "evcc", Read> {
  const prepared = new Prepared<string>();
  const values = valuesReader(options);
  return {
    line: (site) => ok(values(site).text),
    value: (site, name) => {
      const value = namedValue(values(site), name);
      return value === undefined ? UNKNOWN_NAME : ok(value);
    },
    on: (site, name) => {
      const value = namedValue(values(site), name);
      const on = value === undefined ? undefined : isOn(value);
      if (on === undefined) return UNKNOWN_NAME;
      return on ? ok("1") : { status: 404, text: "0" };
    },
    hours: (site) => {
      const hours = options.forecast.hours(RELATIVE_HOURS);
      if (hours === undefined) return NOT_READY;
      const tariff = options.tariff(site.id);
      const parts = [options.forecast.current(), hours[0]?.start.getTime(), tariff];
      return ok(prepared.of(site, "hours", parts, () => hoursLine(hours, tariff)));
    },
    evcc: (site, name) => {
      if (name === "solar") return ok(solar(options, prepared, site));
      return name === "grid" || name === "feedin" ? prices(options, prepared, site, name) : UNKNOWN_NAME;
    },
  };
}

/** Computes the values of a site, at most once a second unless one of their inputs changes. */
function valuesReader(options: ControllerOptions): (site: Site) => SiteValues & { text: string } {
  const { clock, flex, forecast, plans, tariff, telemetry } = options;
  const prepared = new Prepared<SiteValues & { text: string }>();
  return (site) => {
    const now = clock.now();
    const plan = plans.current(site.id);
    const slots = flex.current(site.id);
    const live = telemetry.live(site.id);
    const parts = [
      Math.floor(now.getTime() / 1000),
      plan,
      live.soc_pct?.value,
      live.soc_pct?.at.getTime(),
      forecast.current(),
      options.prices.published(),
      tariff(site.id),
      ...slots.flatMap(({ slot, plugged, result, followedKw }) => [slot, plugged, result, followedKw]),
    ];
    return prepared.of(site, "values", parts, () => {
      const values = siteValues({ now, site, plan, present: plans.present(site.id), slots, live });
      return { ...values, text: lineText(values.line) };
    });
  };
}

function prices(
  options: ControllerOptions,
  prepared: Prepared<string>,
  site: Site,
  which: "grid" | "feedin",
): ControllerReply {
  const { forecast, priceMinutes } = options;
  const now = options.clock.now();
  const hours = forecast.hours(ARRAY_HOURS);
  if (hours === undefined) return NOT_READY;
  const published = options.prices.published();
  const tariff = options.tariff(site.id);
  const parts = [forecast.current(), published, tariff, floorTo(now.getTime(), QUARTER_MS)];
  const facts = { now, hours, published, priceMinutes, tariff };
  return ok(prepared.of(site, which, parts, () => evccPrices(which, facts)));
}

function solar({ clock, pv }: ControllerOptions, prepared: Prepared<string>, site: Site): string {
  const now = clock.now();
  const yields = pv.forecast(site.id);
  const parts = [yields, floorTo(now.getTime(), QUARTER_MS)];
  return prepared.of(site, "solar", parts, () => {
    const hours = yields?.days.flatMap((day) => day.hours) ?? [];
    return evccSolar(
      now,
      hours.filter(({ start }) => start.getTime() >= floorTo(now.getTime(), HOUR_MS)),
    );
  });
}

function ok(text: string): ControllerReply {
  return { status: 200, text };
}

/**
 * Caches the answers by site and page while their inputs are the same. Inputs are compared by identity, so a new plan,
 * tariff or forecast invalidates the entry. Entries are garbage-collected with their site.
 */
class Prepared<Answer> {
  readonly #sites = new WeakMap<Site, Map<string, { parts: readonly unknown[]; answer: Answer }>>();

  /** The answer for these inputs; `make` runs when one of `parts` differs from the previous call. */
  of(site: Site, page: string, parts: readonly unknown[], make: () => Answer): Answer {
    let pages = this.#sites.get(site);
    if (pages === undefined) {
      pages = new Map();
      this.#sites.set(site, pages);
    }
    const kept = pages.get(page);
    if (kept?.parts.length === parts.length && kept.parts.every((part, index) => part === parts[index]))
      return kept.answer;
    const answer = make();
    pages.set(page, { parts, answer });
    return answer;
  }
}
