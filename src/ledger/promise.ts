import { HOUR_MS, hoursOf } from "../domain/interval.js";
import type { SitePlan } from "../plan/site-plan.js";
import { dayOf, localDate } from "../time/zone.js";
import type { DayPromise, PromisedStep } from "./ledger-day.js";

/** A plan made later in the day promises nothing for the whole day. */
const PROMISE_MS = HOUR_MS;

/** What a plan says about the local day that begins; undefined for a plan made later in a day. */
export function promiseOf(plan: SitePlan, zone: string): { date: string; promise: DayPromise } | undefined {
  const { issuedAt, expectation, days } = plan;
  const { start } = dayOf(issuedAt, zone);
  if (expectation.at < start || issuedAt.getTime() - start.getTime() >= PROMISE_MS) return undefined;
  const date = localDate(issuedAt, zone);
  const hours = days.find((day) => day.date === date)?.hours ?? [];
  return {
    date,
    promise: {
      savingEur: expectation.savingDayEur,
      steps: hours.map(
        ({ start: from, end, mode, socEndPct, dischargeKwh }): PromisedStep => ({
          startMs: from.getTime(),
          endMs: end.getTime(),
          mode,
          ...(mode === "charge" && { stopSocPct: socEndPct }),
          ...(mode === "discharge" && { dischargeKw: dischargeKwh / hoursOf({ start: from, end }) }),
        }),
      ),
    },
  };
}
