import type { savingsDocument } from "../../api/documents/savings.js";
import { adminCommand, siteOption, table, textInput } from "./admin-command.js";
import { type Arguments, usageError, valueOption } from "./command.js";

type SavingsDocument = ReturnType<typeof savingsDocument>;
type Row = Omit<SavingsDocument["total"], "complete">;

const euro = (value: number | null) => (value === null ? "-" : value.toFixed(2));

const columns = (row: Row) =>
  [
    row.cost_eur,
    row.uncontrolled_eur,
    row.no_battery_eur,
    row.promised_eur,
    row.perfect_eur,
    row.stored_change_eur,
    row.saved_eur,
  ].map(euro);

const options = {
  from: valueOption("DATE", "First local day, such as 2026-07-01."),
  to: valueOption("DATE", "Last local day."),
  site: siteOption,
  "data-dir": valueOption("DIR", "Data folder; default: that of the configuration."),
} as const;

/** The period and the site of a request. Throws CommandError if the period is missing. */
function periodOf(args: Arguments): object {
  const period = textInput(args, [], ["from", "to", "site"]);
  if (period.from !== undefined && period.to !== undefined) return period;
  throw usageError("--from and --to must be given, such as --from 2026-07-01 --to 2026-07-31.");
}

export const exportHistoryCommand = adminCommand<{ lines: string[] }>({
  name: "export history",
  summary: "Prints the energies, the cost and the savings of each day as CSV.",
  usage: "--from DATE --to DATE [--site ID] [--data-dir DIR]",
  options,
  input: periodOf,
  lines: ({ lines }) => lines,
});

export const savingsCommand = adminCommand<SavingsDocument>({
  name: "savings",
  summary: "Prints what each day cost, what it would have cost otherwise, and what was saved.",
  usage: "--from DATE --to DATE [--site ID] [--data-dir DIR]",
  options,
  input: periodOf,
  lines({ days, total }) {
    const head = [
      "Day",
      "Cost EUR",
      "Uncontrolled",
      "No battery",
      "Promised",
      "Perfect",
      "Stored",
      "Saved EUR",
    ];
    const rows = days.map((day) => [day.complete ? day.date : `${day.date} *`, ...columns(day)]);
    const known = days.filter(({ complete }) => complete).length;
    return [
      ...table(head, [...rows, [`Total of ${known} days`, ...columns(total)]]),
      ...(total.complete
        ? []
        : ["", "* incomplete: less than 90 % of the day is measured, or it is not over."]),
    ];
  },
});
