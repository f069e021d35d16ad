import type { Site } from "../../config/site.js";
import { DAY_MS, HOUR_MS, type Interval } from "../../core/domain/interval.js";
import type { Reading } from "../../core/domain/sample.js";
import type { SampleArchive } from "../../store/sample-archive.js";
import { type MeteredSource, meteredQuarters } from "../../telemetry/metered-energy.js";
import { plausibleReadings } from "../../telemetry/plausible-history.js";
import { powerQuarters } from "../../telemetry/reading-energies.js";
import { readingLimits } from "../../telemetry/reading-limits.js";
import { counterQuarters } from "./counter-quarters.js";

/** Readings so far outside of a stretch count in it: longer than the longest gap between two. */
const MARGIN_MS = 2 * HOUR_MS;

/** Where the energy that is billed comes from. */
export interface BilledSources {
  /** Stored telemetry. */
  samples: Pick<SampleArchive, "range">;
  /** Energy of imported meter files. */
  meter: MeteredSource;
}

/** What the meter counted in a quarter-hour, kWh. */
export interface BilledQuarter {
  start: Date;
  /** Undefined where neither a file nor the telemetry has a value, or the share of the community is not published yet. */
  importKwh: number | undefined;
  communityKwh: number;
  /** Undefined where neither a file nor the telemetry has a value. */
  exportKwh: number | undefined;
  communityExportKwh: number;
  /** The grid operator estimated the import. */
  isEstimated: boolean;
}

/**
 * The quarter-hours of a stretch: imported meter files first, otherwise the counters of the telemetry, otherwise the power of the grid.
 * Throws StoreError.
 */
export async function billedQuarters(
  { samples, meter }: BilledSources,
  { id: siteId, plant }: Pick<Site, "id" | "plant">,
  stretch: Interval,
): Promise<BilledQuarter[]> {
  const limits = readingLimits(plant);
  // Day by day: a month has 45,000 readings where they come each minute.
  const counted = async (reading: Reading) => {
    const quarters: (number | undefined)[] = [];
    for (let start = stretch.start; start < stretch.end; start = new Date(start.getTime() + DAY_MS)) {
      const end = new Date(Math.min(start.getTime() + DAY_MS, stretch.end.getTime()));
      const from = new Date(start.getTime() - MARGIN_MS);
      const to = new Date(end.getTime() + MARGIN_MS);
      quarters.push(
        ...counterQuarters(
          await samples.range(siteId, reading, from, to),
          { start, end },
          limits.get(reading),
        ),
      );
    }
    return quarters;
  };
  const powers = async (sign: 1 | -1) => {
    const quarters: (number | undefined)[] = [];
    for (let start = stretch.start; start < stretch.end; start = new Date(start.getTime() + DAY_MS)) {
      const end = new Date(Math.min(start.getTime() + DAY_MS, stretch.end.getTime()));
      const stored = await samples.range(siteId, "grid_power_kw", new Date(start.getTime() - MARGIN_MS), end);
      const readings = plausibleReadings(stored, limits.get("grid_power_kw"));
      const part = readings.map(({ at, value }) => ({ at, value: Math.max(0, sign * value) }));
      quarters.push(...powerQuarters(part, { start, end }));
    }
    return quarters;
  };
  const imported = await meteredQuarters(meter, siteId, stretch);
  const importCounter = await counted("import_kwh");
  const exportCounter = await counted("export_kwh");
  // A site with a counter has no need of the power, which is less exact.
  const isCounted = importCounter.some((kwh) => kwh !== undefined);
  const importPower = isCounted ? [] : await powers(1);
  const exportPower = isCounted ? [] : await powers(-1);
  return imported.map((quarter, t): BilledQuarter => {
    const { start, communityKwh, residualExportKwh, communityExportKwh = 0, isEstimated } = quarter;
    return {
      start,
      importKwh:
        communityKwh === undefined ? undefined : (quarter.importKwh ?? importCounter[t] ?? importPower[t]),
      communityKwh: communityKwh ?? 0,
      exportKwh:
        residualExportKwh === undefined
          ? (exportCounter[t] ?? exportPower[t])
          : residualExportKwh + communityExportKwh,
      communityExportKwh,
      isEstimated,
    };
  });
}
