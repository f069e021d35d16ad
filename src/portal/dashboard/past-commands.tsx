import type { PastCommand } from "../../plan/devices/command-history.js";
import { reasonText } from "../../plan/reason-text.js";
import { deviceLabel } from "../../plan/windows/slot-schedule.js";
import type { Format } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import { DataTable } from "../ui/table.js";
import type { DashboardView, PartProps } from "./view.js";

/** What a command was, and why; an empty reason for a device that ran by its schedule. */
export function commandTexts(
  { name, reason }: PastCommand,
  { slots }: DashboardView,
  format: Format,
): { what: string; why: string } {
  const { lanes, device } = textsOf(format.language).dashboard.chart;
  const driven = slots.find(({ slot }) => slot === name)?.settings;
  const label = driven && deviceLabel(driven, format.language);
  return {
    what: typeof name === "number" ? (label ?? device(name)) : lanes[name],
    why: reason === undefined ? "" : reasonText(reason, format),
  };
}

/** The commands of the last 24 hours as a table, the newest first. */
export function PastCommands({ house, format }: PartProps) {
  const { chart } = textsOf(format.language).dashboard;
  const { past = [] } = house;
  if (past.length === 0) return null;
  return (
    <DataTable
      caption={chart.past}
      rows={past.toReversed().map((command) => ({ command, ...commandTexts(command, house, format) }))}
      columns={(col) => [
        col.head(chart.time, ({ command }) => format.span(command, house.now)),
        col.text(chart.command, ({ what }) => what),
        col.text(chart.reason, ({ why }) => why),
      ]}
    />
  );
}
