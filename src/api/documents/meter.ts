import type { MeterQuantity, MeterSeries } from "../../core/domain/meter.js";
import type { MeterImport } from "../../store/meter-import.js";
import { textsOf } from "../../texts/index.js";

const iso = (ms: number | undefined) => new Date(ms ?? Number.NaN).toISOString().replace(".000Z", "Z");

/** A series as `hourgate import meter --json` prints it; `import_id` is null when nothing was stored. */
export function meterSeriesDocument(series: MeterSeries, quantity: MeterQuantity, importId: string | null) {
  const { file, operator, format, direction, unit, label, intervals, kwh, missing, estimated } = series;
  const { warning } = textsOf("en").meter;
  return {
    file,
    operator,
    format,
    meter_point: series.meterPoint ?? null,
    direction,
    stored_as: quantity,
    ...(series.communities.length > 0 && { communities: series.communities }),
    unit,
    label,
    step_minutes: series.stepMinutes,
    intervals,
    first_start: iso(series.starts[0]),
    last_start: iso(series.starts.at(-1)),
    kwh,
    missing,
    estimated,
    doubled: series.doubled,
    dropped: series.dropped,
    warnings: series.warnings.map(warning),
    import_id: importId,
  };
}

/** An import as `hourgate import list --json` prints it. */
export function meterImportDocument({ id, siteId, file, importedAt, series }: MeterImport) {
  return {
    import_id: id,
    site: siteId,
    file,
    imported_at: importedAt,
    series: series.map((one) => ({
      stored_as: one.quantity,
      operator: one.operator,
      format: one.format,
      meter_point: one.meterPoint,
      ...(one.communities !== undefined && { communities: one.communities }),
      step_minutes: one.stepMinutes,
      intervals: one.intervals,
      first_start: one.firstStart.replace(".000Z", "Z"),
      last_start: one.lastStart.replace(".000Z", "Z"),
      kwh: one.kwh,
      missing: one.missing,
      estimated: one.estimated,
    })),
  };
}
