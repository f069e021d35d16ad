import type { PlantSettings } from "../../config/settings.js";
import type { PriceSeries } from "../../forecast/market/price-series.js";
import { withCommunityShare } from "../../tariff/community-share.js";
import type { Tariff } from "../../tariff/tariff.js";
import { compareMetered, type TariffCost } from "./compare-tariff.js";
import type { MeteredInstead } from "./metered-site.js";
import type { NamedTariff } from "./preset-tariffs.js";
import type { SiteChange } from "./site-change.js";
import type { ComparedCase } from "./site-comparison.js";

interface Question {
  change: SiteChange;
  tariffs?: readonly string[] | undefined;
  /** The tariff of the site, and those that can be asked for. */
  own: Tariff | null;
  offered: readonly NamedTariff[];
  /** Of the energy community, as it was imported. */
  share: Parameters<typeof withCommunityShare>[1];
}

/** Nothing but the supplier is changed. */
export function isTariffOnly({ tariff: _, ...others }: SiteChange): boolean {
  return Object.keys(others).length === 0;
}

/** The suppliers that are asked for. */
export function suppliersAsked({ change, tariffs = [] }: Pick<Question, "change" | "tariffs">): string[] {
  return change.tariff === undefined ? [...tariffs] : [...tariffs, change.tariff];
}

/** The site as it is, and what is asked for; `current` is the tariff of the site. */
export function casesOf({ change, tariffs, own, offered, share }: Question): (NamedTariff & ComparedCase)[] {
  const { tariff: _, ...others } = change;
  const current = { name: "current", tariff: own ?? {} };
  const asked = suppliersAsked({ change, tariffs });
  const chosen = offered.filter(({ name }) => asked.includes(name));
  // The market price that stands for an unknown tariff is not compared with the prices of suppliers.
  const isCompared = tariffs === undefined ? chosen.length === 0 : own !== null;
  const hasOwn = !isTariffOnly(change) && isCompared;
  return [
    { ...current, change: {} },
    // Without a change it would be the same again.
    ...[...(hasOwn ? [current] : []), ...chosen].map((one) => ({ ...one, change: others })),
  ].map((one) => ({ ...one, tariff: withCommunityShare(one.tariff, share) }));
}

/** Bills of what the meter counted; far less work than a replay. */
export async function billMetered(
  cases: readonly NamedTariff[],
  of: {
    metered: MeteredInstead;
    plant: PlantSettings;
    series: PriceSeries;
    onProgress(progress: number): void;
    /** Lets the rest of the gateway have its turn between two tariffs. */
    nextTurn(): Promise<void>;
  },
): Promise<TariffCost[]> {
  const { metered, plant, series, onProgress, nextTurn } = of;
  const costs: TariffCost[] = [];
  for (const { tariff } of cases) {
    await nextTurn();
    const stretch = { plant, from: metered.start, to: metered.end, series };
    onProgress(costs.push(compareMetered(tariff, stretch, metered.energy)) / cases.length);
  }
  return costs;
}
