import { METER_DIRECTIONS, type MeterDirection } from "../../core/domain/meter.js";
import {
  COLUMN_UNITS,
  type ColumnMapping,
  ColumnMappingError,
  type ColumnUnit,
  checkMapping,
} from "./columns.js";

/** Column names as they are typed. */
export interface ColumnOptions {
  /** Such as `time=1,import=2`; also `clock`. */
  columns: string;
  unit?: string | undefined;
  label?: string | undefined;
}

/** Reads the columns of a file as typed on the command line. Throws ColumnMappingError. */
export function parseColumns({ columns, unit = "kWh", label = "start" }: ColumnOptions): ColumnMapping {
  let time: number | undefined;
  let clock: number | undefined;
  const values: { column: number; direction: MeterDirection }[] = [];
  for (const part of columns.split(",")) {
    const [, name = "", number = ""] = /^\s*([a-z]+)\s*=\s*(\d{1,4})\s*$/.exec(part) ?? [];
    const direction = METER_DIRECTIONS.find((one) => one === name);
    if (name === "time") time = Number(number);
    else if (name === "clock") clock = Number(number);
    else if (direction !== undefined) values.push({ column: Number(number), direction });
    else
      throw new ColumnMappingError(
        "values",
        `--columns must be such as time=1,import=2 with the names time, clock, ${METER_DIRECTIONS.join(", ")}, not "${part}".`,
      );
  }
  if (time === undefined)
    throw new ColumnMappingError(
      "time",
      "--columns must name the column of the time, such as time=1,import=2.",
    );
  const mapping: ColumnMapping = {
    time,
    ...(clock !== undefined && { clock }),
    values,
    unit: unit as ColumnUnit,
    label: label as ColumnMapping["label"],
  };
  const known = COLUMN_UNITS.find((one) => one.toLowerCase() === unit.toLowerCase());
  checkMapping({ ...mapping, unit: known ?? mapping.unit });
  return { ...mapping, unit: known ?? mapping.unit };
}
