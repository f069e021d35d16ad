import { parseTime } from "../time/zone.js";
import { type Arguments, type Option, textOption } from "./command.js";

/** `--from` and `--to`. */
export const periodOptions: Record<"from" | "to", Option> = {
  from: {
    type: "string",
    value: "TIME",
    help: "Start: a date or an ISO 8601 time; default: as early as possible.",
  },
  to: { type: "string", value: "TIME", help: "End, not included; default: as late as possible." },
};

/** Start and end as typed, read in `zone`; a sentence where one is no time or the end is not after the start. */
export function readPeriod(args: Arguments, zone: string): { from?: Date; to?: Date } | string {
  const period: { from?: Date; to?: Date } = {};
  for (const name of ["from", "to"] as const) {
    const text = textOption(args, name);
    if (text === undefined) continue;
    const at = parseTime(text, zone);
    if (at === undefined)
      return `--${name} must be a date such as 2026-01-15 or an ISO 8601 time, not "${text}".`;
    period[name] = at;
  }
  if (period.from !== undefined && period.to !== undefined && period.to <= period.from)
    return "--to must lie after --from.";
  return period;
}
