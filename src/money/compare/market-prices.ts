import type { PlantSettings } from "../../config/settings.js";
import { type Interval, QUARTER_MS } from "../../core/domain/interval.js";
import { PriceSeries } from "../../forecast/market/price-series.js";
import { marketNeedsOf } from "../../tariff/compile-tariff.js";
import { periodsOf, type Tariff } from "../../tariff/tariff.js";

/** Whether the bill of a plant depends on the market price under one of the tariffs. `hasPv`: also with PV that its settings lack. */
export function needsMarketPrices(
  plant: Pick<PlantSettings, "battery" | "pv">,
  tariffs: readonly Tariff[],
  { hasPv }: { hasPv: boolean },
): boolean {
  const feedsIn = hasPv || plant.pv.length > 0 || plant.battery?.export_allowed === true;
  return tariffs.flatMap(periodsOf).some((period) => {
    const { imports, exports } = marketNeedsOf(period);
    return imports || (exports && (feedsIn || Boolean(period.feed_in)));
  });
}

/** The prices of a stretch of whole quarter-hours, for bills that do not depend on them: 0 stands for those that are not known. */
export function withZeros(series: PriceSeries, { start, end }: Interval): PriceSeries {
  const count = Math.max(0, (end.getTime() - start.getTime()) / QUARTER_MS);
  return PriceSeries.of(
    Array.from({ length: count }, (_, t) => {
      const at = new Date(start.getTime() + t * QUARTER_MS);
      return { start: at, minutes: 15 as const, eurPerMwh: series.quarter(at.getTime()) ?? 0 };
    }),
  );
}
