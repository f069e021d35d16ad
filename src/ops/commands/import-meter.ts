import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { meterSeriesDocument } from "../../api/documents/meter.js";
import { USUAL_QUARTER_KWH } from "../../config/site-limits.js";
import { METER_DIRECTIONS, type MeterDirection } from "../../core/domain/meter.js";
import { errorMessage } from "../../core/error-message.js";
import { boundSeries } from "../../money/meter/bound-series.js";
import { checkDistinct, chooseSeries, MeterChoiceError } from "../../money/meter/choose.js";
import {
  COLUMN_UNITS,
  type ColumnMapping,
  ColumnMappingError,
  type ColumnUnit,
  checkMapping,
  MAPPABLE,
} from "../../money/meter/columns.js";
import { readMeterColumns, readMeterFile } from "../../money/meter/read.js";
import { transferOf } from "../../money/meter/transfer.js";
import { MeterFileError } from "../../money/meter/types.js";
import { adminCommand, siteOption, table } from "./admin-command.js";
import { resultOfRequest } from "./administration.js";
import {
  CommandError,
  choiceOption,
  command,
  configOption,
  EXIT,
  flagOption,
  jsonOption,
  printResult,
  usageError,
  valueOption,
} from "./command.js";
import { loadConfiguration } from "./configuration.js";

type SeriesDocument = ReturnType<typeof meterSeriesDocument>;

/** Commands for imported meter data. */
export const importCommands = [
  command({
    name: "import meter",
    summary: "Imports quarter-hours of smart-meter exports (CSV, XLSX, XLS, JSON, ZIP) as metered data.",
    options: {
      site: siteOption,
      direction: choiceOption(["import", "export"], "Direction of the file, or the series to take."),
      as: choiceOption(
        ["load", "community"],
        "Store as the household consumption (load) or as the share of a community (community).",
      ),
      "meter-point": valueOption("NUMBER", "Meter point to take from a file with several."),
      community: valueOption("NAME", "Community of the shares, where the file does not name it."),
      columns: valueOption(
        "LIST",
        "Columns of a file of an unknown format, counted from 1: time=1,import=2 (also clock, export, community, residual, generation).",
      ),
      unit: valueOption("UNIT", "Unit with --columns: kWh (default), Wh, MWh, kW or W."),
      label: valueOption("L", "Time with --columns: start (default) or end of the interval."),
      "dry-run": flagOption("Only show what the files hold."),
      yes: { ...flagOption("Import without a further question; --json implies it."), short: "y" },
      config: configOption,
      json: jsonOption,
    },
    operands: ["FILE…"],
    async run(args, terminal) {
      const {
        direction,
        as,
        "meter-point": meterPoint,
        community,
        json,
        yes,
        "dry-run": dryRun,
      } = args.options;
      const mapping = mappingOf(args.options);
      let files: ReturnType<typeof chooseSeries>[];
      try {
        files = [];
        for (const path of args.positionals)
          files.push(chooseSeries(await readFile(path, mapping), { direction, as, meterPoint, community }));
        if (!dryRun) for (const chosen of files) checkDistinct(chosen);
      } catch (error) {
        if (!(error instanceof MeterFileError) && !(error instanceof MeterChoiceError)) throw error;
        const isUnknown = error instanceof MeterFileError && MAPPABLE.includes(error.fault.code);
        const hint = isUnknown ? ' Or name its columns, such as --columns "time=1,import=2".' : "";
        throw new CommandError(error.message + hint);
      }
      const found = files
        .flat()
        .map(({ series, quantity }) =>
          meterSeriesDocument(boundSeries(series, USUAL_QUARTER_KWH), quantity, null),
        );
      if (dryRun || (!yes && !json)) {
        await printResult(args, terminal, found, () => found.flatMap(seriesLines));
        if (dryRun) return EXIT.done;
        throw usageError("Nothing was imported: check the series above and repeat the command with --yes.");
      }
      const { settings } = loadConfiguration(args, terminal);
      const site = args.options.site;
      const request = {
        command: "import meter" as const,
        arguments: {
          ...(site !== undefined && { site }),
          files: files.map((chosen) => chosen.map(({ series, quantity }) => transferOf(series, quantity))),
        },
      };
      const stored = await resultOfRequest(settings, request, terminal);
      await printResult(args, terminal, stored.series, () => [
        ...stored.series.flatMap(seriesLines),
        `Imported for the site ${stored.site}. hourgate import remove ID removes an import.`,
      ]);
      return EXIT.done;
    },
  }),
  adminCommand({
    name: "import list",
    summary: "Lists the imports of meter data.",
    options: { site: siteOption },
    lines: ({ imports }) =>
      imports.length === 0
        ? ["No meter data was imported."]
        : table(
            ["ID", "SITE", "FILE", "STORED AS", "FIRST", "LAST", "ROWS", "KWH"],
            imports.flatMap((one) =>
              one.series.map((series) => [
                one.import_id,
                one.site,
                one.file,
                series.stored_as,
                series.first_start,
                series.last_start,
                String(series.intervals),
                series.kwh.toFixed(3),
              ]),
            ),
          ),
  }),
  adminCommand({
    name: "import remove",
    summary: "Removes an import of meter data; data it replaced is used again.",
    operands: ["ID"],
    lines: ({ import_id, file, site }) => [
      `The import ${import_id} of ${file} was removed from the site ${site}.`,
    ],
  }),
];

/** Reads a file. Throws MeterFileError with its path. */
async function readFile(path: string, mapping: ColumnMapping | undefined) {
  let bytes: Buffer;
  try {
    bytes = readFileSync(resolve(path));
  } catch (error) {
    throw new MeterChoiceError(
      `${path} cannot be read: ${errorMessage(error)}; a meter export (CSV, XLSX, XLS, JSON, XML or ZIP) is expected.`,
    );
  }
  return mapping === undefined ? readMeterFile(bytes, path) : readMeterColumns(bytes, path, mapping);
}

type ColumnOptions = Record<"columns" | "unit" | "label", string | undefined>;

/** The columns that the options name. Throws CommandError if they cannot be used. */
function mappingOf({ columns, unit, label }: ColumnOptions): ColumnMapping | undefined {
  if (columns === undefined) {
    if (unit === undefined && label === undefined) return undefined;
    throw usageError("--unit and --label are for files whose columns are named with --columns.");
  }
  try {
    return parseColumns(columns, unit, label);
  } catch (error) {
    throw error instanceof ColumnMappingError ? usageError(error.message) : error;
  }
}

/** The columns of `time=1,import=2`; unit and label are checked. Throws CommandError, ColumnMappingError. */
function parseColumns(columns: string, unit = "kWh", label = "start"): ColumnMapping {
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
      throw usageError(
        `--columns must be such as time=1,import=2 with the names time, clock, ${METER_DIRECTIONS.join(", ")}, not "${part}".`,
      );
  }
  if (time === undefined)
    throw usageError("--columns must name the column of the time, such as time=1,import=2.");
  const mapping: ColumnMapping = {
    time,
    ...(clock !== undefined && { clock }),
    values,
    unit: COLUMN_UNITS.find((one) => one.toLowerCase() === unit.toLowerCase()) ?? (unit as ColumnUnit),
    label: label as ColumnMapping["label"],
  };
  checkMapping(mapping);
  return mapping;
}

/** A series as people read it. */
function seriesLines(one: SeriesDocument): string[] {
  const id = one.import_id === null ? "" : `, import ${one.import_id}`;
  const counts = (["missing", "estimated", "doubled", "dropped"] as const)
    .map((count) => `${one[count]} ${count}`)
    .join(", ");
  return [
    `${one.file}: ${one.operator} (${one.format}), ${one.direction}${one.meter_point === null ? "" : ` of ${one.meter_point}`}${id}`,
    `  ${one.first_start} to ${one.last_start}, every ${one.step_minutes} minutes, ${one.label} labels, unit ${one.unit}`,
    `  ${one.intervals} values, ${one.kwh.toFixed(3)} kWh, ${counts}`,
    ...one.warnings.map((warning) => `  ${warning}`),
  ];
}
