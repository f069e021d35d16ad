import type { MeterFault } from "../../core/domain/meter.js";

/** A cell of a table: text, a number of a spreadsheet, or nothing. */
export type Cell = string | number | null | undefined;
export type Table = readonly (readonly Cell[])[];

/** A meter file that cannot be read. The message names the file, the reason and what was expected. */
export class MeterFileError extends Error {
  override readonly name = "MeterFileError";
  readonly file: string;
  readonly fault: MeterFault;

  constructor(file: string, fault: MeterFault, message: string, cause?: unknown) {
    super(message, { cause });
    this.file = file;
    this.fault = fault;
  }
}
