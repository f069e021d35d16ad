import { floorTo, HOUR_MS, hourOf, hoursOf, type Interval, QUARTER_MS } from "../core/domain/interval.js";
import { dayOf, localDate } from "../core/time/zone.js";
import type { PresentDevice } from "../forecast/load/device-load.js";
import { forecastLoad } from "../forecast/load/forecast-load.js";
import type { LoadModel } from "../forecast/load/load-model.js";
import { evenDays, expectedLoad, hourlyEnergy } from "../forecast/load/load-profile.js";
import type { ForecastHour } from "../forecast/price/forecast.js";
import { AUSTRIA, spreadDailyYield } from "../forecast/solar/day-shape.js";
import { locationOf } from "../forecast/weather/place.js";
import type { AssemblyInput } from "./assembly-input.js";
import type { PlanOverrides } from "./overrides.js";
import type { SiteInput, StepPrice } from "./site-input.js";

/**
 * Steps from now to the end of the forecast, with their prices: hours; with a tariff that settles quarter-hours,
 * quarter-hours as far as their prices are published.
 */
export function stepPrices(facts: AssemblyInput): StepPrice[] {
  const { now, hours, stepMinutes, quarter, tariff } = facts;
  const steps: StepPrice[] = [];
  const add = (hour: ForecastHour, start: Date, endMs: number, isQuarterly: boolean) => {
    // A new hour may have begun after `now` was read; the first hour's price then applies from `now` on.
    const atMs = Math.max(hour.start.getTime(), floorTo(start.getTime(), QUARTER_MS));
    const priceCtKwh = (isQuarterly ? quarter(hour, atMs) : hour.p50) / 10;
    const settledCt = tariff?.settlementMinutes?.(start) === 60 ? hour.p50 / 10 : priceCtKwh;
    steps.push({
      start,
      end: new Date(endMs),
      priceCtKwh,
      importCtKwh: tariff?.importCtKwh(settledCt, start) ?? priceCtKwh,
      exportCtKwh: tariff?.exportCtKwh(settledCt, start) ?? priceCtKwh,
      source: hour.source,
    });
  };
  for (const hour of hours) {
    const startOfHourMs = hour.start.getTime();
    const isQuarterly = stepMinutes === 15 && (hour.source === "day_ahead" || steps.length === 0);
    if (steps.length === 0 && now < hour.start) add(hour, now, startOfHourMs, isQuarterly);
    // The hour in which an override ends is planned by quarter-hours, too.
    const endsMs = facts.override?.until.getTime() ?? startOfHourMs;
    const isSplit = startOfHourMs < endsMs && endsMs < startOfHourMs + HOUR_MS;
    const lengthMs = isQuarterly || isSplit ? QUARTER_MS : HOUR_MS;
    for (let endMs = startOfHourMs + lengthMs; endMs <= startOfHourMs + HOUR_MS; endMs += lengthMs) {
      if (endMs > now.getTime())
        add(hour, new Date(Math.max(now.getTime(), endMs - lengthMs)), endMs, isQuarterly);
    }
  }
  return steps;
}

/** The energies with the given current power in the first step. */
function withPresent(energies: number[], steps: readonly Interval[], powerKw: number | undefined): number[] {
  const first = steps[0];
  if (powerKw === undefined || first === undefined) return energies;
  const hours = hoursOf(first);
  return [Math.max(0, powerKw) * hours, ...energies.slice(1)];
}

interface ExpectedLoad {
  kwh: number[];
  ratios: (readonly number[])[];
  ranks?: NonNullable<SiteInput["loadRanks"]>;
}

/** Expected load of the steps and the factors on it: from the overrides, else learned, else from the settings. */
export function loadOf(
  steps: readonly Interval[],
  { plant, load: learned, apart }: AssemblyInput,
  overrides: PlanOverrides,
): ExpectedLoad {
  const settings = { dailyKwh: plant.load.daily_kwh, profile: plant.load.profile ?? undefined };
  const forecast: ExpectedLoad =
    learned === undefined
      ? { kwh: expectedLoad(steps, settings, plant.timezone), ratios: [] }
      : learnedLoad(steps, learned, apart?.devices);
  const { loadDailyKwh, loadHourlyKwh, loadPowerKw } = overrides;
  const daily =
    loadDailyKwh === undefined
      ? forecast.kwh
      : learned === undefined
        ? expectedLoad(steps, { ...evenDays(settings), dailyKwh: loadDailyKwh }, plant.timezone)
        : scaledToDays(steps, learned, loadDailyKwh);
  if (loadHourlyKwh === undefined) return { ...forecast, kwh: withPresent(daily, steps, loadPowerKw) };
  const given = hourlyEnergy(steps, loadHourlyKwh, daily, plant.timezone);
  return { kwh: withPresent(given, steps, loadPowerKw), ratios: [] };
}

function learnedLoad(
  steps: readonly Interval[],
  model: LoadModel,
  devices?: readonly PresentDevice[],
): ExpectedLoad {
  const first = steps[0];
  if (first === undefined) return { kwh: [], ratios: [] };
  const start = hourOf(first.start);
  const hourAt = ({ start: at }: Interval) => Math.floor((at.getTime() - start.getTime()) / HOUR_MS);
  const forecast = forecastLoad(model, { start, hours: hourAt(steps.at(-1)!) + 1, devices });
  return {
    kwh: steps.map((step) => forecast.loadKwh[hourAt(step)]! * hoursOf(step)),
    ratios: steps.map((step) => forecast.ratios[hourAt(step)]!),
    ranks: { shares: forecast.shares, persistence: forecast.persistence },
  };
}

/** The learned shape of each local day, scaled to the given daily load. */
function scaledToDays(steps: readonly Interval[], model: LoadModel, dailyKwh: number): number[] {
  const sums = new Map<string, number>();
  const { kwh } = learnedLoad(steps, model);
  return steps.map((step, t) => {
    const date = localDate(step.start, model.timeZone);
    const known = sums.get(date);
    const sum = known ?? dayKwh(step.start, model);
    sums.set(date, sum);
    return sum > 0 ? (kwh[t]! * dailyKwh) / sum : (dailyKwh / 24) * hoursOf(step);
  });
}

/** Learned load of the local day of `at`, scaled to 24 hours, kWh. */
function dayKwh(at: Date, model: LoadModel): number {
  const { start, end } = dayOf(at, model.timeZone);
  const hours = Math.round((end.getTime() - start.getTime()) / HOUR_MS);
  const sum = forecastLoad(model, { start, hours }).loadKwh.reduce((total, kwh) => total + kwh, 0);
  return (sum * 24) / hours;
}

/** PV energy of the steps, kWh: from the overrides, else the forecast, also beyond the days given. */
export function pvOf(
  steps: readonly Interval[],
  { plant, pvKwh: forecast }: AssemblyInput,
  overrides: PlanOverrides,
): number[] {
  const { timezone } = plant;
  const location = locationOf(plant) ?? AUSTRIA;
  const expected = forecast?.(steps) ?? steps.map(() => 0);
  const givenDays = overrides.pvDailyKwh ?? [];
  const spread = spreadDailyYield(steps, givenDays, location, timezone);
  const dates = [...new Set(steps.map(({ start }) => localDate(start, timezone)))];
  const givenDates = new Set(dates.slice(0, givenDays.length));
  const daily = steps.map(({ start }, t) =>
    givenDates.has(localDate(start, timezone)) ? spread[t]! : (expected[t] ?? 0),
  );
  const hourly = overrides.pvHourlyKwh;
  const pv = hourly === undefined ? daily : hourlyEnergy(steps, hourly, daily, timezone);
  return withPresent(pv, steps, overrides.pvPowerKw);
}
