import type { savingsDocument } from "../../api/documents/savings.js";
import { textsOf } from "../../texts/index.js";
import { adminCommand, siteOption, table } from "./admin-command.js";
import { type ArgumentsOf, usageError, valueOption } from "./command.js";

type SavingsDocument = ReturnType<typeof savingsDocument>;
type Row = Omit<SavingsDocument["total"], "complete">;

const { negative: NEGATIVE } = textsOf("en").savings;
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
};

/** Throws CommandError if the period is missing. */
function checkPeriod(request: object, { options: { from, to } }: ArgumentsOf<typeof options>): object {
  if (from !== undefined && to !== undefined) return request;
  throw usageError("--from and --to must be given, such as --from 2026-07-01 --to 2026-07-31.");
}

export const exportHistoryCommand = adminCommand({
  name: "export history",
  summary: "Prints the energies, the cost and the savings of each day as CSV.",
  options,
  input: checkPeriod,
  lines: ({ lines }) => lines,
});

export const savingsCommand = adminCommand({
  name: "savings",
  summary: "Prints what each day cost, what it would have cost otherwise, and what was saved.",
  options,
  input: checkPeriod,
  lines({ days, total }: SavingsDocument) {
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
    const mark = (day: SavingsDocument["days"][number]) =>
      day.before_installation ? " -" : day.so_far ? " +" : day.complete ? "" : " *";
    const rows = days.map((day) => [`${day.date}${mark(day)}`, ...columns(day)]);
    const known = days.filter((day) => day.complete && !day.before_installation).length;
    const has = (sign: string) => days.some((day) => mark(day).endsWith(sign));
    const { saved_battery_eur: battery, saved_devices_eur: devices } = total;
    const notes = [
      ...(devices === null
        ? []
        : [`Saved by the battery ${euro(battery)} EUR, by devices ${euro(devices)} EUR.`]),
      ...days.flatMap(({ date, negative_reason: why }) =>
        why === null ? [] : [`${date}: ${NEGATIVE[why]}`],
      ),
      ...(has("*") ? ["* incomplete: less than 90 % of the day is measured, or it is not over."] : []),
      ...(has("+") ? ["+ so far: part of the sums except promised and perfect."] : []),
      ...(has("-") ? ["- before hourgate was installed: not part of any sum."] : []),
    ];
    return [
      ...table(head, [...rows, [`Total of ${known} days`, ...columns(total)]]),
      ...(notes.length === 0 ? [] : ["", ...notes]),
    ];
  },
});
