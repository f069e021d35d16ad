import type { MeterFault, MeterSeries } from "../../core/domain/meter.js";
import { type ColumnMapping, type ColumnPreview, MAPPABLE, previewColumns } from "./columns.js";
import { readMeterColumns, seriesOfTables } from "./read.js";
import { readTables } from "./tables.js";
import { MeterFileError, type Table } from "./types.js";

/** A file to read; with named columns when its format is unknown. */
export interface ReadTask {
  bytes: Uint8Array;
  file: string;
  mapping?: ColumnMapping;
}

/** What a file holds, or why it cannot be read, with its first rows when columns can be named. */
export type MeterReading = { series: MeterSeries[] } | { fault: MeterFault; preview?: ColumnPreview };

/** Reads a file by its content or by named columns; a file that cannot be read comes back with its fault. */
export async function readUploadedFile({ bytes, file, mapping }: ReadTask): Promise<MeterReading> {
  let tables: readonly Table[] = [];
  try {
    tables = await readTables(bytes, file);
    if (mapping !== undefined) return { series: await readMeterColumns(bytes, file, mapping) };
    return { series: seriesOfTables(tables, file) };
  } catch (error) {
    if (!(error instanceof MeterFileError)) throw error;
    const preview = MAPPABLE.includes(error.fault.code) ? previewColumns(tables) : undefined;
    return { fault: error.fault, ...(preview !== undefined && { preview }) };
  }
}
