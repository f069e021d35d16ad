import type { MeterFault, MeterQuantity, MeterWarning } from "../../core/domain/meter.js";

const EXPECTED =
  "expected: the quarter-hour export of an Austrian grid operator's portal (CSV, XLSX, XLS, JSON, XML or ZIP), or a CSV file with the " +
  "columns start_utc and import_kwh";

const names: Record<MeterQuantity, string> = {
  import: "grid import",
  export: "feed-in",
  community: "community share",
  residual: "residual import",
  generation: "generation",
  load: "household consumption",
  delivered: "delivered to the community",
};

const KINDS: Readonly<Record<string, string>> = {
  PDF: "a PDF document",
  image: "an image",
  "HTML/XML": "an HTML or XML document",
  JSON: "a JSON document",
  binary: "a binary file",
};

function faultReason(fault: MeterFault): string {
  switch (fault.code) {
    case "empty":
      return `is empty; ${EXPECTED}.`;
    case "wrong_kind":
      return `is ${KINDS[fault.found] ?? fault.found}; ${EXPECTED}.`;
    case "encrypted":
      return "is protected with a password; open it in a spreadsheet program and save it without a password.";
    case "unreadable_spreadsheet":
      return `is a damaged spreadsheet, or another kind of archive; ${EXPECTED}.`;
    case "too_large":
      return `is too large: at most ${fault.limitMb} MB are read; export a shorter period.`;
    case "too_many_files":
      return `is an archive with more than ${fault.limit} files; put fewer of them into one archive.`;
    case "unknown_format":
      return `has an unknown format (it begins with "${fault.header}"); ${EXPECTED}.`;
    case "too_slow":
      return "takes too much time or memory to read; export a shorter period.";
    case "no_times":
      return `has no date and time in column ${fault.column}; choose the column that contains it.`;
    case "label_unknown":
      return "does not show whether its times are the start or the end of the quarter-hours; export whole days, or rename the columns to start_utc and import_kwh.";
    case "several_values":
      return "has several different values for the same times: of several meters or directions, and no column that names them; export one meter and one direction.";
    case "wrong_magnitude":
      return `has many values that no home has, up to ${fault.kwh} kWh in one interval: they are probably in Wh, or readings of a counter; name the unit and the column with the energy of the intervals.`;
    case "day_values":
      return "contains day values; quarter-hour values are expected: enable them at your grid operator (opt-in) and export quarter-hours.";
    case "wrong_step":
      return `has a value every ${fault.minutes} minutes; values every 15, 30 or 60 minutes, or regularly every 1, 5 or 10 minutes, are expected.`;
    case "wrong_unit":
      return `contains values in ${fault.unit}; energy in kWh is expected: choose kWh in the export.`;
    case "no_values":
      return `has no values; ${EXPECTED}.`;
  }
}

function warning(about: MeterWarning): string {
  switch (about.code) {
    case "gaps":
      return `Gaps: intervals without a value between the first and the last: ${about.count}.`;
    case "long_gap":
      return `There are no values between ${about.from} and ${about.to}: check whether the file contains the period that you want.`;
    case "conflicting":
      return `${about.count} intervals occur twice with different values; the first value is used.`;
    case "negative":
      return `${about.count} negative values were left out.`;
    case "unreadable":
      return `${about.count} values are not numbers and count as missing.`;
    case "impossible":
      return `${about.count} values are more than the connection of the home can pass and count as missing, the first one at ${about.start} with ${about.kwh} kWh. If they are true, set grid.connection_kw.`;
    case "parts_differ":
      return `In ${about.count} rows the parts do not add up to their total (draw = residual draw + share, feed-in = rest + delivered); the total is used.`;
    case "off_grid":
      return `${about.count} rows do not start on a quarter-hour and were left out.`;
    case "counter":
      return "The values are counter readings: the energy of an interval is the difference of the readings at its end and its start.";
    case "signed":
      return "The column has negative values: they are taken as feed-in, positive ones as draw.";
    case "summed":
      return `The file has a value every ${about.minutes} minutes; they are combined to ${about.toMinutes} minutes.`;
    case "hours":
      return `${about.count} rows are hours among quarter-hours; each is spread evenly over its four quarter-hours.`;
    case "unit_assumed":
      return "The file does not state the unit of its values; kWh is assumed. Check the sum; for another unit, add it to the file.";
    case "left_out_file":
      return `${about.file} in the archive cannot be read as a meter file and was left out.`;
    case "merged_hour":
      return `${about.date}: the hour from 02:00 is in the file once and holds the energy of both hours of the clock change; each gets half of it.`;
    case "label_assumed":
      return `The file does not prove whether its times are start or end; ${about.label} is assumed.`;
    case "direction_assumed":
      return `The file does not state the direction clearly; ${names[about.direction]} is assumed. Choose another direction if that is wrong.`;
    case "second_block":
      return "The file has a second block with the same codes; it is treated as feed-in.";
    case "empty_column":
      return `The column "${about.column}" has no values.`;
    case "already_imported":
      return "This data was imported before; nothing changes.";
    case "overlaps":
      return `${about.count} quarter-hours replace those of the import ${about.id}; removing this import restores them.`;
    case "adds":
      return `${about.count} quarter-hours add to those of the import ${about.id}: they are of another community.`;
    case "replaces_share":
      return `${about.count} quarter-hours replace those of the import ${about.id}, because the files do not both name their community; for another community, name it (--community NAME, or the field in the portal).`;
  }
}

export const englishMeter = {
  fault: faultReason,
  warning,
};
