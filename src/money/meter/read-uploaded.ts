import { readFile } from "node:fs/promises";
import type { MeterFault } from "../../core/domain/meter.js";
import { type ReadSeries, writeValues } from "../../store/meter-values.js";
import { boundSeries } from "./bound-series.js";
import { type ColumnMapping, type ColumnPreview, MAPPABLE, previewColumns } from "./columns.js";
import { readParts, seriesOfParts } from "./parts.js";
import { seriesOfColumns, seriesOfTables } from "./read.js";
import { MeterFileError, type Table } from "./types.js";

/** A file to read; with named columns when its format is unknown. */
export interface ReadTask {
  path: string;
  file: string;
  /** New file for the values of its series. */
  valuesPath: string;
  /** More energy of a quarter-hour counts as missing: the home cannot have it. */
  mostQuarterKwh: number;
  mapping?: ColumnMapping;
}

/** What a file holds, or why it cannot be read, with its first rows when columns can be named. */
export type MeterReading = { series: ReadSeries[] } | { fault: MeterFault; preview?: ColumnPreview };

/** Reads a file by its content or by named columns; a file that cannot be read comes back with its fault. */
export async function readUploadedFile(task: ReadTask): Promise<MeterReading> {
  const { path, file, valuesPath, mostQuarterKwh, mapping } = task;
  let tables: readonly Table[] = [];
  try {
    const content = await readParts(await readFile(path), file);
    tables = content.parts.flatMap((part) => part.tables);
    const series = seriesOfParts(content, file, (part) =>
      mapping === undefined
        ? seriesOfTables(part.tables, part.name)
        : seriesOfColumns(part.tables, part.name, mapping),
    );
    const bounded = series.map((one) => boundSeries(one, mostQuarterKwh));
    return { series: await writeValues(valuesPath, bounded) };
  } catch (error) {
    if (!(error instanceof MeterFileError)) throw error;
    const preview = MAPPABLE.includes(error.fault.code) ? previewColumns(tables) : undefined;
    return { fault: error.fault, ...(preview !== undefined && { preview }) };
  }
}
