import type { BatteryOverride } from "../../../plan/battery-override.js";
import type { Texts } from "../../../texts/index.js";
import { type Entity, SOC, select, sensor, TIMESTAMP } from "./entity.js";

type Topic = (name: string) => string;

/** What the battery, or all of several together, can be commanded. */
export interface BatteryRange {
  minSocPct: number;
  maxSocPct: number;
  /** The overrides that the installation can carry out. */
  overrides: readonly BatteryOverride["action"][];
}

/** The override of the battery, its end, and the SOC up to which it charges. */
export function batteryControls(topic: Topic, range: BatteryRange & { texts: Texts }): Entity[] {
  const { texts, overrides } = range;
  if (overrides.length === 0) return [];
  const { battery, words } = texts.homeAssistant;
  const options = Object.fromEntries(
    (["auto", ...overrides] as const).map((value) => [value, words.batteryOverride[value]]),
  );
  return [
    select(
      "battery_override",
      battery.override,
      { topic: topic("battery/override"), words: options, ic: "mdi:hand-back-right" },
      { unknown: "notYet", needsPlan: true },
    ),
    sensor(
      "battery_override_until",
      battery.overrideUntil,
      { topic: topic("battery/override_until"), ...TIMESTAMP },
      { unknown: "noOverride", needsPlan: true },
    ),
    ...(overrides.includes("charge") ? [chargeTarget(topic, range)] : []),
  ];
}

/** The SOC up to which `charge` charges. */
function chargeTarget(
  topic: Topic,
  { texts, minSocPct, maxSocPct }: BatteryRange & { texts: Texts },
): Entity {
  // Home Assistant takes no range without a number in it, and no state outside of it: several batteries have limits of 96.7 %.
  const most = Math.floor(maxSocPct);
  const least = Math.min(Math.ceil(minSocPct + 1), most - 1);
  return {
    key: "battery_charge_target",
    platform: "number",
    name: texts.homeAssistant.battery.chargeTarget,
    unknown: "notYet",
    config: {
      stat_t: topic("battery/charge_target_pct"),
      val_tpl: `{{ [[value | float | round | int, ${least}] | max, ${most}] | min if value else None }}`,
      cmd_t: topic("battery/charge_target_pct/set"),
      unit_of_meas: "%",
      min: least,
      max: most,
      step: 1,
      mode: "slider",
      ic: "mdi:battery-arrow-up",
    },
  };
}

/** The state of charge of one of several batteries. */
export function batterySoc(key: string, topic: Topic, { homeAssistant }: Texts): Entity {
  const config = { topic: topic("soc_pct"), ...SOC };
  return sensor(key, homeAssistant.battery.soc, config, { unknown: "notYet", needsPlan: true });
}
