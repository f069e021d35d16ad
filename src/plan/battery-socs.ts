import type { NamedBatterySettings } from "../config/settings.js";
import { type FreshnessLimits, freshness } from "../core/domain/freshness.js";
import { MINUTE_MS } from "../core/domain/interval.js";
import { type LiveState, readingOfBattery } from "../core/domain/sample.js";
import { knownSoc, plannedPct } from "./live-readings.js";
import type { SiteInput } from "./site-input.js";
import type { SitePlan } from "./site-plan.js";

type KnownSoc = SiteInput["soc"];

/** The SOC that a plan starts from: of all batteries together, and of each in the order of the settings. */
export interface BatterySocs {
  total: KnownSoc;
  each: readonly KnownSoc[];
}

interface SocContext {
  live: LiveState;
  plan: SitePlan | undefined;
  now: Date;
  limits: FreshnessLimits;
}

/**
 * The SOC of several batteries. A battery without a fresh reading is taken from its own plan, as a single one is; all
 * are lost once one is. Where only the SOC of all together is read, the batteries are taken to be equally full within
 * their bands. Undefined while that of one is not known.
 */
export function batterySocs(
  batteries: readonly NamedBatterySettings[],
  context: SocContext,
): BatterySocs | undefined {
  const { live, plan, now, limits } = context;
  const total = knownSoc(live.soc_pct, context);
  const own = batteries.map(({ id }) => ownSoc(id, context));
  const newestMs = Math.max(
    ...batteries.map(({ id }) => live[readingOfBattery(id, "soc_pct")]?.at.getTime() ?? -Infinity),
  );
  const isNewerThanTotal = newestMs > (live.soc_pct?.at.getTime() ?? -Infinity);
  if (isNewerThanTotal && own.every((soc) => soc !== undefined))
    return { total: sumOf(batteries, own), each: own };
  if (total === undefined) return undefined;
  const isFresh = (id: string) => {
    const last = live[readingOfBattery(id, "soc_pct")];
    return last !== undefined && freshness(last.at, now, limits) === "fresh";
  };
  const readings = batteries.map(({ id }, index) => (isFresh(id) ? own[index] : undefined));
  const known =
    total.stale && plan !== undefined ? own.map((soc, index) => readings[index] ?? soc) : readings;
  return { total, each: sharedOut(batteries, total, known) };
}

/** The SOC of one battery by its own readings; undefined without any. */
function ownSoc(id: string, { live, plan, now, limits }: SocContext): KnownSoc | undefined {
  const last = live[readingOfBattery(id, "soc_pct")];
  if (last === undefined) return undefined;
  const age = freshness(last.at, now, limits);
  const of = plan?.batteries?.find((battery) => battery.id === id);
  const planned =
    age === "fresh" || plan === undefined || of === undefined || plan.issuedAt < last.at
      ? undefined
      : plannedPct(plan, { startPct: of.socPct, endPct: of.socEndPct }, now);
  return {
    pct: planned ?? last.value,
    ageMinutes: Math.max(0, Math.floor((now.getTime() - last.at.getTime()) / MINUTE_MS)),
    stale: age !== "fresh",
    lost: age === "lost",
  };
}

function sumOf(batteries: readonly NamedBatterySettings[], each: readonly KnownSoc[]): KnownSoc {
  const capacityKwh = batteries.reduce((sum, battery) => sum + battery.capacity_kwh, 0);
  const storedPct = batteries.reduce(
    (sum, battery, index) => sum + battery.capacity_kwh * each[index]!.pct,
    0,
  );
  return {
    pct: storedPct / capacityKwh,
    ageMinutes: Math.max(...each.map(({ ageMinutes }) => ageMinutes)),
    stale: each.some(({ stale }) => stale === true),
    lost: each.some(({ lost }) => lost),
  };
}

/** What is left of the total for the batteries that are not known: all equally full within their bands. */
function sharedOut(
  batteries: readonly NamedBatterySettings[],
  total: KnownSoc,
  known: readonly (KnownSoc | undefined)[],
): KnownSoc[] {
  let restKwh = 0;
  let minKwh = 0;
  let bandKwh = 0;
  for (const [index, battery] of batteries.entries()) {
    const kwh = (pct: number) => (battery.capacity_kwh * pct) / 100;
    restKwh += kwh(total.pct) - kwh(known[index]?.pct ?? 0);
    if (known[index] !== undefined) continue;
    minKwh += kwh(battery.min_soc_pct);
    bandKwh += kwh(battery.max_soc_pct - battery.min_soc_pct);
  }
  const share = bandKwh > 0 ? (restKwh - minKwh) / bandKwh : 0;
  return batteries.map(({ min_soc_pct: min, max_soc_pct: max }, index) => {
    const assumed = { ...total, pct: Math.min(100, Math.max(0, min + share * (max - min))) };
    return known[index] ?? assumed;
  });
}
