import { MAPPABLE, previewColumns } from "./columns.js";
import type { MeterReading, ReadTask } from "./file-reader.js";
import { readMeterColumns, seriesOfTables } from "./read.js";
import { readTables } from "./tables.js";
import { MeterFileError, type Table } from "./types.js";

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
