import { MAPPABLE, previewColumns } from "../meter/columns.js";
import { readMeterColumns, seriesOfTables } from "../meter/read.js";
import { readTables } from "../meter/tables.js";
import { MeterFileError, type Table } from "../meter/types.js";
import type { MeterReading, ReadTask } from "./file-reader.js";

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
