import { HOUR_MS, hoursOf, type Interval } from "../../core/domain/interval.js";
import { addDays, dayOf, localDate } from "../../core/time/zone.js";
import type { SitePlan } from "../../plan/site-plan.js";
import type { DayPromise, ForecastStep, PromisedStep } from "./ledger-day.js";

/** A plan made later in the day promises nothing for the whole day. */
const PROMISE_MS = HOUR_MS;

/** What the first plan of a local day says about that day, and what it expects of the next one. */
export interface MorningPlan {
  date: string;
  promise: DayPromise;
  next: { date: string; forecast: readonly ForecastStep[] };
}

/** What a plan says about the local day that begins; undefined for a plan made later in a day. */
export function promiseOf(
  plan: SitePlan,
  zone: string,
  devicesKwh: (intervals: readonly Interval[]) => readonly number[] = () => [],
): MorningPlan | undefined {
  const { issuedAt, expectation, days } = plan;
  const { start } = dayOf(issuedAt, zone);
  if (expectation.at < start || issuedAt.getTime() - start.getTime() >= PROMISE_MS) return undefined;
  const date = localDate(issuedAt, zone);
  const hoursOn = (day: string) => days.find((one) => one.date === day)?.hours ?? [];
  const tomorrow = addDays(date, 1);
  const devices = devicesKwh(hoursOn(date));
  return {
    date,
    next: {
      date: tomorrow,
      forecast: hoursOn(tomorrow).map(({ start: from, end, source, priceCtKwh, pvKwh, loadKwh }) => ({
        startMs: from.getTime(),
        endMs: end.getTime(),
        ...(source !== "day_ahead" && { priceCtKwh }),
        pvKwh,
        loadKwh,
      })),
    },
    promise: {
      savingEur: expectation.savingDayEur,
      steps: hoursOn(date).map(
        ({ start: from, end, mode, socEndPct, dischargeKwh }, t): PromisedStep => ({
          startMs: from.getTime(),
          endMs: end.getTime(),
          mode,
          socEndPct,
          ...((devices[t] ?? 0) > 0 && { devicesKwh: devices[t]! }),
          ...(mode === "charge" && { stopSocPct: socEndPct }),
          ...(mode === "discharge" && { dischargeKw: dischargeKwh / hoursOf({ start: from, end }) }),
        }),
      ),
    },
  };
}
