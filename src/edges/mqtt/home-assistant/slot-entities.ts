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
  const entity = (
    key: string,
    platform: Entity["platform"],
    name: string,
    more: Omit<Entity, "key" | "platform" | "name">,
  ): Entity => ({ key: `slot_${slot}_${key}`, platform, name, ...more });
  return [
    entity("charge_now", "binary_sensor", isWallbox ? names.chargeNow : names.release, {
      unknown: "starting",
      config: {
        ...reading("binary_sensor", topic("charge_now")),
        dev_cla: isWallbox ? "battery_charging" : "running",
      },
    }),
    entity("next_start", "sensor", names.nextStart, {
      unknown: "nothingPlanned",
      config: { ...reading("sensor", topic("next_start")), ...TIMESTAMP },
    }),
    entity("power", "sensor", names.setPower, {
      unknown: "noPower",
      config: { ...reading("sensor", topic("power_kw")), ...POWER },
    }),
    ...overrideEntities(
      names,
      Object.fromEntries(
        WITHOUT_TIME.filter((value) => hasVehicle || value !== "surplus").map((value) => [
          value,
          words.override[value],
        ]),
      ),
      { entity, topic },
    ),
    ...(isWallbox ? wallboxEntities(names, { entity, topic }) : []),
    ...(hasCounter
      ? [
          entity("energy", "sensor", names.energy, {
            config: { ...reading("sensor", topic("energy_kwh")), ...METER_COUNTER },
          }),
        ]
      : []),
    ...(hasVehicle ? vehicleEntities(texts, { entity, topic }) : []),
    ...(hasSgReady
      ? [
          entity("sg_ready", "sensor", names.sgReady, {
            unknown: "starting",
            config: {
              stat_t: topic("sg_ready"),
              ...wordsOf(
                Object.fromEntries(SG_STATES.map((state) => [state, texts.dashboard.slots.sgReady[state]])),
              ),
              ic: "mdi:heat-pump",
            },
          }),
        ]
      : []),
  ];
}

type Names = Texts["homeAssistant"]["slot"];

interface Making {
  topic(name: string): string;
  entity(
    key: string,
    platform: Entity["platform"],
    name: string,
    more: Omit<Entity, "key" | "platform" | "name">,
  ): Entity;
}

function overrideEntities(
  names: Names,
  options: Readonly<Record<string, string>>,
  { entity, topic }: Making,
): Entity[] {
  const toCommand = Object.fromEntries(Object.entries(options).map(([value, word]) => [word, value]));
  return [
    entity("override", "select", names.override, {
      unknown: "deadline",
      isUnknown: (payload) => !(payload in options),
      config: {
        stat_t: topic("override"),
        val_tpl: wordTemplate(options),
        cmd_t: topic("override/set"),
        cmd_tpl: `{{ ${JSON.stringify(toCommand)}[value] }}`,
        options: Object.values(options),
        ic: "mdi:hand-back-right",
      },
    }),
    entity("override_until", "sensor", names.overrideUntil, {
      unknown: "noOverride",
      isUnknown: isWithout("override_until"),
      config: { stat_t: topic("plan"), val_tpl: member("override_until"), ...TIMESTAMP },
    }),
  ];
}

/** What only a vehicle has: it comes and goes, and leaves at a time. */
function wallboxEntities(names: Names, { entity, topic }: Making): Entity[] {
  return [
    // The state is a field of the slot's document.
    entity("plugged", "switch", names.plugged, {
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
    }),
    entity("full_by", "text", names.fullBy, {
      config: {
        stat_t: topic("plan"),
        val_tpl: FULL_BY_TEMPLATE,
        cmd_t: topic("override/set"),
        cmd_tpl: FULL_BY_COMMAND,
        // The state is empty without a deadline.
        pattern: "^(([01]\\d|2[0-3]):[0-5]\\d)?$",
        ic: "mdi:clock-end",
      },
    }),
    entity("ready_by", "sensor", names.readyBy, {
      unknown: "nothingPlanned",
      isUnknown: isWithout("window_end"),
      config: { stat_t: topic("plan"), val_tpl: member("window_end"), ...TIMESTAMP },
    }),
    entity("session_energy", "sensor", names.sessionEnergy, {
      unknown: "noSession",
      config: {
        ...reading("sensor", topic("session/energy_kwh")),
        ...PLANNED_ENERGY,
        ic: "mdi:ev-station",
      },
    }),
    entity("session_cost", "sensor", names.sessionCost, {
      unknown: "noSession",
      config: { ...reading("sensor", topic("session/cost_eur")), ...SESSION_COST },
    }),
  ];
}

function vehicleEntities({ homeAssistant }: Texts, { entity, topic }: Making): Entity[] {
  const { slot: names, words } = homeAssistant;
  return [
    entity("vehicle_soc", "sensor", names.vehicleSoc, {
      unknown: "notReported",
      config: { ...reading("sensor", topic("soc_pct")), ...SOC },
    }),
    entity("target_soc", "sensor", names.targetSoc, {
      unknown: "starting",
      config: {
        stat_t: topic("plan"),
        val_tpl: "{{ value_json.vehicle.target_soc_pct | round | int if value else None }}",
        unit_of_meas: "%",
        sug_dsp_prc: 0,
        ic: "mdi:battery-arrow-up",
      },
    }),
    entity("mode", "sensor", names.mode, {
      unknown: "starting",
      config: {
        stat_t: topic("plan"),
        ...wordsOf(words.surplus),
        val_tpl: wordTemplate(words.surplus, "(value_json.vehicle.surplus if value else None)"),
        ic: "mdi:solar-power",
      },
    }),
  ];
}
