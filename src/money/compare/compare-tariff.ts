import { QUARTER_MS } from "../../core/domain/interval.js";
import { localDate } from "../../core/time/zone.js";
import { type SimulationInput, simulatePlanned, simulateSite } from "../../plan/simulate.js";
import type { SimulatedRun } from "../../plan/simulated-run.js";
import { billMonth } from "../../tariff/bill.js";
import type { BilledStep } from "../../tariff/bill-lines.js";
import { compileTariff } from "../../tariff/compile-tariff.js";
import { settledPrices } from "../../tariff/settled-price.js";
import type { Tariff } from "../../tariff/tariff.js";

/** What a period costs under a tariff, EUR: the bills of its days, fixed fees and VAT included, less feed-in. */
export interface TariffCost {
  /** What the meter counted, where the load behind it is not known; null otherwise, and the others are null then. */
  meteredEur: number | null;
  noBatteryEur: number | null;
  /** Self-consumption only. Null without a battery, like the others below. */
  uncontrolledEur: number | null;
  hourgateEur: number | null;
  perfectEur: number | null;
}

/** A site over a period; prices and load as known at each instant. */
export type ComparedSite = Omit<SimulationInput, "tariff" | "planEveryMinutes">;

/**
 * Between publications the policy of the last plan decides: on recorded months the cost is the same as with four plans a day, and
 * the saving differs by 0.02 points from that of a plan each quarter-hour.
 */
const PLAN_EVERY_MINUTES = 1440;

/**
 * The cost of a site under a tariff without a battery, with an uncontrolled one, with hourgate and with perfect foresight. What is
 * stored at the end is deducted at the worth of the simulation. `stepMinutes` are those of the plan; default: quarter-hours where the
 * tariff settles so. `rankedOnly`: of the costs only the one of `rankedEur` is computed, the others are null. Throws RangeError for a period
 * without full hours or prices.
 */
export function compareTariff(
  tariff: Tariff,
  site: ComparedSite,
  { stepMinutes, rankedOnly = false }: { stepMinutes?: 60 | 15; rankedOnly?: boolean } = {},
): TariffCost {
  const { plant, from, to } = site;
  const prices = compileTariff(tariff, plant.timezone);
  const bill = (energy: GridEnergies) => billOf({ tariff, site, energy });
  if (!plant.battery) {
    return {
      meteredEur: null,
      noBatteryEur: bill(withoutBattery(site)),
      uncontrolledEur: null,
      hourgateEur: null,
      perfectEur: null,
    };
  }
  const quarterly = [from, to].some((at) => prices.settlementMinutes?.(at) === 15);
  const input: SimulationInput = {
    ...site,
    tariff: prices,
    planEveryMinutes: PLAN_EVERY_MINUTES,
    ...(quarterly && { stepMinutes: 15 }),
    ...(stepMinutes !== undefined && { stepMinutes }),
  };
  const others = rankedOnly ? undefined : simulateSite(input);
  const { planned, storedWorthCtKwh } = others ?? simulatePlanned(input);
  const leastKwh = (plant.battery.capacity_kwh * plant.battery.min_soc_pct) / 100;
  const costOf = ({ quarters, storedEndKwh }: SimulatedRun) =>
    bill(quarters) - ((storedEndKwh - leastKwh) * storedWorthCtKwh) / 100;
  return {
    meteredEur: null,
    noBatteryEur: others ? costOf(others.noBattery) : null,
    uncontrolledEur: others ? costOf(others.uncontrolled) : null,
    hourgateEur: costOf(planned),
    perfectEur: others ? costOf(others.perfect) : null,
  };
}

/** The cost that counts: with hourgate, without a battery that of the load alone, else as metered; EUR. */
export function rankedEur({ hourgateEur, noBatteryEur, meteredEur }: TariffCost): number {
  return hourgateEur ?? noBatteryEur ?? meteredEur ?? Number.POSITIVE_INFINITY;
}

/** The cost of metered energies under a tariff. */
export function compareMetered(
  tariff: Tariff,
  site: Pick<ComparedSite, "plant" | "from" | "to" | "series">,
  energy: GridEnergies,
): TariffCost {
  const meteredEur = billOf({ tariff, site, energy });
  return { meteredEur, noBatteryEur: null, uncontrolledEur: null, hourgateEur: null, perfectEur: null };
}

/** Energies at the meter by quarter-hour, kWh. */
export interface GridEnergies {
  importKwh: ArrayLike<number>;
  exportKwh: ArrayLike<number>;
}

/** The sum of the bills of the local months of a period; of months in part the days of the period. */
function billOf({
  tariff,
  site,
  energy,
}: {
  tariff: Tariff;
  site: Pick<ComparedSite, "plant" | "from" | "to" | "series">;
  energy: GridEnergies;
}): number {
  const { plant, from, to, series } = site;
  const zone = plant.timezone;
  const prices = compileTariff(tariff, zone);
  const months = new Map<string, BilledStep[]>();
  const count = (to.getTime() - from.getTime()) / QUARTER_MS;
  for (let t = 0; t < count; t++) {
    const start = new Date(from.getTime() + t * QUARTER_MS);
    const month = localDate(start, zone).slice(0, 7);
    const steps = months.get(month) ?? [];
    months.set(month, steps);
    const importKwh = energy.importKwh[t] ?? 0;
    steps.push({
      start,
      importKwh,
      exportKwh: energy.exportKwh[t] ?? 0,
      communityKwh: importKwh * (prices.communityShare?.(start) ?? 0),
      spotCtKwh: settledPrices(series, prices, start).spotCtKwh ?? 0,
    });
  }
  const days = {
    first: localDate(from, zone),
    last: localDate(new Date(to.getTime() - 1), zone),
  };
  let year = "";
  let earlier = { importKwh: 0, exportKwh: 0 };
  let totalEur = 0;
  for (const [month, steps] of months) {
    if (month.slice(0, 4) !== year) {
      earlier = { importKwh: 0, exportKwh: 0 };
      year = month.slice(0, 4);
    }
    const bill = billMonth({ tariff, zone, month, steps, days, earlier });
    earlier = {
      importKwh: earlier.importKwh + bill.kwh.import - bill.kwh.community,
      exportKwh: earlier.exportKwh + bill.kwh.export,
    };
    totalEur += bill.totalEur;
  }
  return totalEur;
}

/** Load less PV at the meter, within the limits of the connection. */
function withoutBattery({ plant, actualLoadKwh, actualPvKwh = [], from, to }: ComparedSite): GridEnergies {
  const count = (to.getTime() - from.getTime()) / QUARTER_MS;
  const mostKwh = (plant.grid.export_limit_kw ?? Infinity) / 4;
  const netKwh = Array.from({ length: count }, (_, t) => actualLoadKwh[t]! - (actualPvKwh[t] ?? 0));
  return {
    importKwh: netKwh.map((kwh) => Math.max(0, kwh)),
    exportKwh: netKwh.map((kwh) => Math.min(mostKwh, Math.max(0, -kwh))),
  };
}
