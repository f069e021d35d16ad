import { createHash } from "node:crypto";
import type { Site } from "../../config/site.js";
import { HOUR_MS, QUARTER_MS } from "../../core/domain/interval.js";
import type { Clock } from "../../core/time/clock.js";
import { dayInterval } from "../../core/time/zone.js";
import type { PriceSeries } from "../../forecast/market/price-series.js";
import type { MeterArchive } from "../../store/meter-archive.js";
import type { MeterImport } from "../../store/meter-import.js";
import type { DayClosing } from "./ledger-day.js";
import type { UsualHours } from "./usual-hours.js";

/** Fingerprint of what the figures of a day are computed from; another one: the day is computed again. */
export type BasisOf = (date: string, opening: DayClosing | undefined) => string;

/** Another value: every stored day is computed again. */
const VERSION = 7;
/** Readings that belong to a day arrive until this long after its end. */
const SETTLED_MS = 70 * 60_000;
/** A day that has to be computed again. */
export const STALE = "";

/** What the figures of a day depend on besides its telemetry: tariff, imports, known prices, the day before, the devices' usual hours. */
export async function dayBasis(
  {
    clock,
    meter,
    series: seriesOf,
  }: {
    clock: Pick<Clock, "now">;
    meter: Pick<MeterArchive, "list">;
    series(): Promise<PriceSeries> | PriceSeries;
  },
  { id, plant }: Site,
  usual: UsualHours,
): Promise<BasisOf> {
  const series = await seriesOf();
  const imports = meter.list(id);
  const settings = JSON.stringify([VERSION, plant.tariff, plant.grid.connection_kw, [...usual]]);
  const nowMs = clock.now().getTime();
  return (date, opening) => {
    const { start, end } = dayInterval(date, plant.timezone);
    if (nowMs < end.getTime() + SETTLED_MS) return STALE;
    const used = imports.filter((one) => covers(one, start.toISOString(), end.toISOString()));
    return createHash("sha256")
      .update(settings)
      .update(used.map((one) => one.id).join())
      .update(String(knownPrices(series, start.getTime(), end.getTime())))
      .update(JSON.stringify(opening ?? null))
      .digest("base64url")
      .slice(0, 16);
  };
}

function covers({ series }: MeterImport, start: string, end: string): boolean {
  // A last value may be that of an hour.
  return series.some(
    ({ firstStart, lastStart }) =>
      firstStart < end && new Date(Date.parse(lastStart) + HOUR_MS).toISOString() > start,
  );
}

function knownPrices(series: PriceSeries, startMs: number, endMs: number): number {
  let count = 0;
  for (let ms = startMs; ms < endMs; ms += QUARTER_MS) if (series.quarter(ms) !== undefined) count++;
  return count;
}
