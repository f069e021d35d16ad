import { writeFileSync } from "node:fs";
import { expectedLoad } from "../../src/plan/load-profile.js";
import { PLANNED_SITE } from "./plan-day-plot.js";
import { recordedPrices, recordedSite } from "./recorded.js";
import { type ReplayedHour, replay } from "./replay.js";

/**
 * Writes docs/derive/recorded/plan-day.csv, one plan of a backtest with the simulated hours that follow, for
 * docs/planner.md: `npx tsx docs/derive/plan-day.ts`, half a minute. The simulation starts two weeks earlier, so that SOC
 * and previous plan are those of a running gateway. Recorded prices and loads are not copied: the plot reads them.
 */
const SIMULATED_FROM = new Date("2024-04-25T22:00:00Z");
const PLANNED_AT = new Date("2024-05-10T12:00:00Z");
const UNTIL = new Date("2024-05-13T22:00:00Z");

const series = recordedPrices();
const input = recordedSite(PLANNED_SITE, { start: SIMULATED_FROM, end: UNTIL }, series);
const share = (kwh: number) => ((100 * kwh) / input.battery.capacityKwh).toFixed(1);

/** The command of the outputs to the battery. */
function commandOf({ plan }: ReplayedHour): string {
  const { chargeNow, dischargePowerKw } = plan.scalars;
  if (chargeNow === 1) return "charge";
  return dischargePowerKw < input.battery.maxDischargePowerKw ? "hold" : "free";
}

const actual = [...replay(input)].filter(({ start }) => start >= PLANNED_AT);
const first = actual[0]!;
const known = input.hoursAt(PLANNED_AT);
const planned = first.plan.days.flatMap(({ hours }) => hours);
const loadThen = expectedLoad(planned, input.loadModelAt!(PLANNED_AT), input.zone);
const rows = actual.map((hour, t) => {
  const plannedHour = planned[t]!;
  const { p10, p50, p90, source } = known[t]!;
  return [
    hour.start.toISOString().replace(".000", ""),
    source,
    // Published prices are not forecasts: the plot reads them from the recorded data.
    ...[p10, p50, p90].map((price) => (source === "day_ahead" ? "" : price.toFixed(2))),
    loadThen[t]!.toFixed(3),
    plannedHour.action,
    (plannedHour.chargeKwh - plannedHour.dischargeKwh).toFixed(3),
    plannedHour.socEndPct.toFixed(1),
    commandOf(hour),
    hour.acKwh.toFixed(3),
    share(hour.socEndKwh),
  ].join(",");
});
const head = [
  "start_utc,source,p10_eur_mwh,p50_eur_mwh,p90_eur_mwh,expected_load_kwh",
  "planned_action,planned_ac_kwh,planned_soc_end_pct,command,ac_kwh,soc_end_pct",
];
writeFileSync(new URL("recorded/plan-day.csv", import.meta.url), `${head.join(",")}\n${rows.join("\n")}\n`);
