import type { Site } from "../../config/site.js";
import { HOUR_MS, QUARTER_MS } from "../../core/domain/interval.js";
import { addDays, dayInterval } from "../../core/time/zone.js";
import { type DayMiss, dayMisses } from "../../money/ledger/forecast-errors.js";
import type { Ledger } from "../../money/ledger/ledger.js";
import type { DayFigures } from "../../money/ledger/ledger-day.js";
import type { QuarterColumns } from "../../money/ledger/stored-day.js";
import { totalOf } from "../../money/ledger/totals.js";

/** What a change would have saved, as it was computed for the last year. */
export type Improvement =
  | { kind: "tariff"; name: string; worthEur: number }
  /** A battery of this capacity, or so much more PV. */
  | { kind: "battery" | "pv"; size: number; worthEur: number };

/** What a site could do better, with its worth. */
export type Suggestion =
  | Improvement
  /** Days of the week on which it was dearer than without control, because of this. */
  | { kind: "override" | "not_followed"; days: number; worthEur: number }
  /** Days without enough readings, at the mean of the others. */
  | { kind: "missing_readings"; days: number; worthEur: number };

/** What a week was like. Amounts in EUR; null where they are not known. */
export interface WeeklyStory {
  /** First and last local date. */
  from: string;
  to: string;
  savedEur: number | null;
  /** Days that the savings are about. */
  days: number;
  /** The hour in which energy from the grid cost least, per kWh. */
  cheapest: { startMs: number; ctKwh: number; energyKwh: number } | null;
  /** The day on which the forecast of PV or load was most wrong. */
  missed: DayMiss | null;
  suggestion: Suggestion | null;
}

export interface StorySources {
  ledger: Pick<Ledger, "days" | "details">;
  /** What was computed in comparisons of tariffs and under What if. */
  improvements(siteId: string): Promise<readonly Improvement[]>;
}

const DAYS = 7;
/** Energy that counts as taken from the grid in an hour, kWh. */
const LEAST_TAKEN_KWH = 0.2;
/** Errors of a day that are worth a sentence, kWh. */
const LEAST_MISSED_KWH = 1;
/** Worths that are worth a sentence, EUR: of a week, and of the period of a comparison. */
const LEAST_WORTH_EUR = 0.1;
const LEAST_IMPROVEMENT_EUR = 5;

/** The story of the seven days from the local date `from` on; undefined if nothing was measured. Throws StoreError, TariffError. */
export async function weeklyStory(
  { ledger, improvements }: StorySources,
  site: Site,
  from: string,
): Promise<WeeklyStory | undefined> {
  const { timezone: zone } = site.plant;
  const to = addDays(from, DAYS - 1);
  const days = (await ledger.days(site, from, to)).filter(({ isEarlier }) => !isEarlier);
  const details = await Promise.all(
    days.map(async ({ date }) => {
      const { forecast, quarters } = await ledger.details(site.id, date);
      return { date, startMs: dayInterval(date, zone).start.getTime(), forecast, quarters };
    }),
  );
  const total = totalOf(days);
  const cheapest = leastOf(
    details.flatMap(({ startMs, quarters }) => (quarters === undefined ? [] : hoursTaken(startMs, quarters))),
    ({ ctKwh }) => ctKwh,
  );
  if (total.savedEur === null && cheapest === undefined) return undefined;
  const missed = leastOf(
    dayMisses(details).filter((miss) => errorOf(miss) >= LEAST_MISSED_KWH),
    (miss) => -errorOf(miss),
  );
  return {
    from,
    to,
    savedEur: total.savedEur,
    days: total.days,
    cheapest: cheapest ?? null,
    missed: missed ?? null,
    suggestion: suggestionOf(days, await improvements(site.id)) ?? null,
  };
}

const errorOf = ({ forecastKwh, measuredKwh }: DayMiss) => Math.abs(forecastKwh - measuredKwh);

/** The hours of a day in which energy was taken from the grid, with what a kWh of it cost. */
function hoursTaken(startMs: number, { importKwh, importCtKwh }: QuarterColumns) {
  const perHour = HOUR_MS / QUARTER_MS;
  return Array.from({ length: Math.floor(importKwh.length / perHour) }, (_, hour) => {
    const quarters = Array.from({ length: perHour }, (_, quarter) => hour * perHour + quarter);
    const sum = (of: (quarter: number) => number) => quarters.reduce((all, quarter) => all + of(quarter), 0);
    // NaN where one is not known: such hours are left out.
    const kwhOf = (quarter: number) => importKwh[quarter] ?? Number.NaN;
    const energyKwh = sum(kwhOf);
    const ctKwh = sum((quarter) => kwhOf(quarter) * (importCtKwh[quarter] ?? Number.NaN)) / energyKwh;
    return { startMs: startMs + hour * HOUR_MS, energyKwh, ctKwh };
  }).filter(({ energyKwh, ctKwh }) => energyKwh >= LEAST_TAKEN_KWH && !Number.isNaN(ctKwh));
}

function leastOf<One>(list: readonly One[], by: (one: One) => number): One | undefined {
  return list.reduce<One | undefined>(
    (least, one) => (least === undefined || by(one) < by(least) ? one : least),
    undefined,
  );
}

/** The suggestion of the first cause that has one: what went wrong in the week, then the best change that was computed, then missing readings. */
function suggestionOf(
  days: readonly DayFigures[],
  improvements: readonly Improvement[],
): Suggestion | undefined {
  const dearer = (["not_followed", "override"] as const)
    .map((kind) => {
      const of = days.filter(({ negativeReason }) => negativeReason === kind);
      return { kind, days: of.length, worthEur: -(totalOf(of).savedEur ?? 0) };
    })
    .find(({ worthEur }) => worthEur >= LEAST_WORTH_EUR);
  if (dearer !== undefined) return dearer;
  const best = leastOf(improvements, ({ worthEur }) => -worthEur);
  if (best !== undefined && best.worthEur >= LEAST_IMPROVEMENT_EUR) return best;
  const counted = days.filter(({ savedEur }) => savedEur !== null);
  const missing = days.filter(({ complete, missingQuarters }) => !complete && missingQuarters > 0).length;
  const { savedEur } = totalOf(counted);
  const worthEur = savedEur === null ? 0 : (savedEur / counted.length) * missing;
  return worthEur >= LEAST_WORTH_EUR ? { kind: "missing_readings", days: missing, worthEur } : undefined;
}
