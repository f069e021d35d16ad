import { SG_STATES } from "../../../plan/windows/sg-ready.js";
import type { Texts } from "../../../texts/index.js";
import {
  type Entity,
  METER_COUNTER,
  money,
  PLANNED_ENERGY,
  POWER,
  reading,
  SOC,
  select,
  sensor,
  TIMESTAMP,
  wordsOf,
  wordTemplate,
} from "./entity.js";

/** A slot as announced to Home Assistant. */
export interface DiscoverySlot {
  slot: string;
  /** As its owner named it; empty: by kind and number. */
  label: string;
  kind: "wallbox" | "heat_pump" | "boiler" | "other";
  /** The settings have a vehicle, which is planned by its state of charge. */
  hasVehicle: boolean;
  /** A heat pump with SG Ready, whose state is published. */
  hasSgReady?: boolean;
  /** The counter of the device is read. */
  hasCounter?: boolean | undefined;
}

/** Overrides that need no time, the last of a vehicle only. Those that need one are shown as unknown. */
const WITHOUT_TIME = ["auto", "run", "skip", "surplus"] as const;

/** An amount that begins again with each vehicle; no state class, as it is no total of a time. */
const { stat_cla: _total, lrst_val_tpl: _midnight, ...SESSION_COST } = money("day");

/** The clock time of the deadline in Home Assistant's time zone; empty without one. */
const FULL_BY_TEMPLATE =
  "{{ as_timestamp(value_json.override_until) | timestamp_custom('%H:%M')" +
  " if value and value_json.override == 'full' else '' }}";

/** The next time that the clock shows the entered time; automatic without one. */
const FULL_BY_COMMAND =
  "{% if not value %}auto{% else %}" +
  "{% set at = today_at(value) %}" +
  "{% set until = at if at > now() else at + timedelta(days=1) %}" +
  "{{ {'override': 'full', 'until': until.isoformat()} | to_json }}{% endif %}";

/** A member of the slot's document. */
const member = (name: string) => `{{ value_json.${name} if value else None }}`;
const isWithout = (name: string) => (payload: string) =>
  payload === "" || (JSON.parse(payload) as Record<string, unknown>)[name] === null;

/** The entities of a slot. `topic` returns the topic of a name below the slot. */
export function slotEntities(
  { slot, kind, hasVehicle, hasSgReady, hasCounter }: DiscoverySlot,
  { topic, texts }: { topic(name: string): string; texts: Texts },
): Entity[] {
  const { slot: names, words } = texts.homeAssistant;
  const isWallbox = kind === "wallbox";
  const making: Making = {
    topic,
    texts,
    key: (name) => `slot_${slot}_${name}`,
    sensor: (name, label, config, more) =>
      sensor(`slot_${slot}_${name}`, names[label], { ...config, topic: topic(config.topic) }, more),
  };
  const of = making.sensor;
  const options = Object.fromEntries(
    WITHOUT_TIME.filter((value) => hasVehicle || value !== "surplus").map((value) => [
      value,
      words.override[value],
    ]),
  );
  const states = Object.fromEntries(SG_STATES.map((state) => [state, texts.dashboard.slots.sgReady[state]]));
  return [
    {
      key: making.key("charge_now"),
      platform: "binary_sensor",
      name: isWallbox ? names.chargeNow : names.release,
      unknown: "starting",
      config: {
        ...reading("binary_sensor", topic("charge_now")),
        dev_cla: isWallbox ? "battery_charging" : "running",
      },
    },
    of("next_start", "nextStart", { topic: "next_start", ...TIMESTAMP }, { unknown: "nothingPlanned" }),
    of("power", "setPower", { topic: "power_kw", ...POWER }, { unknown: "noPower" }),
    select(
      making.key("override"),
      names.override,
      { topic: topic("override"), words: options, ic: "mdi:hand-back-right" },
      { unknown: "deadline", isUnknown: (payload) => !(payload in options) },
    ),
    of(
      "override_until",
      "overrideUntil",
      { topic: "plan", val_tpl: member("override_until"), ...TIMESTAMP },
      { unknown: "noOverride", isUnknown: isWithout("override_until") },
    ),
    ...(isWallbox ? wallboxEntities(making) : []),
    ...(hasCounter ? [of("energy", "energy", { topic: "energy_kwh", ...METER_COUNTER })] : []),
    ...(hasVehicle ? vehicleEntities(making) : []),
    ...(hasSgReady
      ? [
          of(
            "sg_ready",
            "sgReady",
            { topic: "sg_ready", ...wordsOf(states), ic: "mdi:heat-pump" },
            { unknown: "starting" },
          ),
        ]
      : []),
  ];
}

interface Making {
  topic(name: string): string;
  texts: Texts;
  key(name: string): string;
  /** `topic` of the config is below the slot. */
  sensor(
    name: string,
    label: keyof Texts["homeAssistant"]["slot"],
    config: Parameters<typeof sensor>[2],
    more?: Parameters<typeof sensor>[3],
  ): Entity;
}

/** What only a vehicle has: it comes and goes, and leaves at a time. */
function wallboxEntities({ topic, texts, key, sensor: of }: Making): Entity[] {
  const { slot: names } = texts.homeAssistant;
  return [
    // The state is a field of the slot's document.
    {
      key: key("plugged"),
      platform: "switch",
      name: names.plugged,
      unknown: "starting",
      config: {
        stat_t: topic("plan"),
        val_tpl: member("plugged"),
        cmd_t: topic("plugged/set"),
        pl_on: "1",
        pl_off: "0",
        stat_on: "1",
        stat_off: "0",
        ic: "mdi:power-plug",
      },
    },
    {
      key: key("full_by"),
      platform: "text",
      name: names.fullBy,
      config: {
        stat_t: topic("plan"),
        val_tpl: FULL_BY_TEMPLATE,
        cmd_t: topic("override/set"),
        cmd_tpl: FULL_BY_COMMAND,
        // The state is empty without a deadline.
        pattern: "^(([01]\\d|2[0-3]):[0-5]\\d)?$",
        ic: "mdi:clock-end",
      },
    },
    of(
      "ready_by",
      "readyBy",
      { topic: "plan", val_tpl: member("window_end"), ...TIMESTAMP },
      { unknown: "nothingPlanned", isUnknown: isWithout("window_end") },
    ),
    of(
      "session_energy",
      "sessionEnergy",
      { topic: "session/energy_kwh", ...PLANNED_ENERGY, ic: "mdi:ev-station" },
      { unknown: "noSession" },
    ),
    of(
      "session_cost",
      "sessionCost",
      { topic: "session/cost_eur", ...SESSION_COST },
      { unknown: "noSession" },
    ),
  ];
}

function vehicleEntities({ texts, sensor: of }: Making): Entity[] {
  const { surplus } = texts.homeAssistant.words;
  const target = {
    topic: "plan",
    val_tpl: "{{ value_json.vehicle.target_soc_pct | round | int if value else None }}",
    unit_of_meas: "%",
    sug_dsp_prc: 0,
    ic: "mdi:battery-arrow-up",
  };
  const mode = {
    topic: "plan",
    ...wordsOf(surplus),
    val_tpl: wordTemplate(surplus, "(value_json.vehicle.surplus if value else None)"),
    ic: "mdi:solar-power",
  };
  return [
    of("vehicle_soc", "vehicleSoc", { topic: "soc_pct", ...SOC }, { unknown: "notReported" }),
    of("target_soc", "targetSoc", target, { unknown: "starting" }),
    of("mode", "mode", mode, { unknown: "starting" }),
  ];
}
