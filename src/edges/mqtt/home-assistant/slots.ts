import { SG_STATES } from "../../../plan/windows/sg-ready.js";
import type { Texts } from "../../../texts/index.js";

/** A slot as announced to Home Assistant. */
export interface DiscoverySlot {
  slot: string;
  label: string;
  /** Other devices are released; a wallbox charges. */
  isWallbox: boolean;
  /** The settings have a vehicle, whose state of charge is published. */
  hasVehicle: boolean;
  /** A heat pump with SG Ready, whose state is published. */
  hasSgReady?: boolean;
}

/** Unknown values are empty payloads, which Home Assistant expects as None. */
const UNKNOWN_WHEN_EMPTY = "{{ value if value else None }}";

export const POWER = { dev_cla: "power", unit_of_meas: "kW", stat_cla: "measurement", sug_dsp_prc: 2 };

/** State topic, template and payloads of a read-only entity. */
export function reading(platform: "sensor" | "binary_sensor", stat_t: string): object {
  const flag = platform === "binary_sensor" ? { pl_on: "1", pl_off: "0" } : {};
  return { stat_t, val_tpl: UNKNOWN_WHEN_EMPTY, ...flag };
}

/** An entity of a slot: its key below the slot, platform, name and further fields. */
type SlotComponent = Readonly<Record<string, unknown>> & { key: string; p: string; name: string };

/** Overrides that need no time. `full` needs one and is shown as unknown. */
const WITHOUT_TIME = ["auto", "run", "skip"];
const OVERRIDE_TEMPLATE = `{{ value if value in ${JSON.stringify(WITHOUT_TIME)} else None }}`;

const UNTIL_TEMPLATE = "{{ value_json.override_until if value else None }}";

/** The clock time of the deadline in Home Assistant's time zone; empty without one. */
const FULL_BY_TEMPLATE =
  "{{ as_timestamp(value_json.override_until) | timestamp_custom('%H:%M')" +
  " if value and value_json.override == 'full' else '' }}";

/** The next time that the clock shows the entered time. */
const FULL_BY_COMMAND =
  "{% set at = today_at(value) %}" +
  "{% set until = at if at > now() else at + timedelta(days=1) %}" +
  "{{ {'override': 'full', 'until': until.isoformat()} | to_json }}";

/** The entities of a slot. `topicOf` returns the topic of a name below the slot. */
export function slotComponents(
  { label, isWallbox, hasVehicle, hasSgReady }: DiscoverySlot,
  topicOf: (name: string) => string,
  texts: Texts["homeAssistant"]["slot"],
): SlotComponent[] {
  const name = (text: string) => `${label}: ${text}`;
  return [
    {
      key: "charge_now",
      p: "binary_sensor",
      name: name(isWallbox ? texts.chargeNow : texts.release),
      ...reading("binary_sensor", topicOf("charge_now")),
    },
    {
      key: "next_start",
      p: "sensor",
      name: name(texts.nextStart),
      ...reading("sensor", topicOf("next_start")),
      dev_cla: "timestamp",
    },
    {
      key: "power",
      p: "sensor",
      name: name(texts.setPower),
      ...reading("sensor", topicOf("power_kw")),
      ...POWER,
    },
    // The state is a field of the slot's document.
    {
      key: "plugged",
      p: "switch",
      name: name(texts.plugged),
      stat_t: topicOf("plan"),
      val_tpl: "{{ value_json.plugged if value else None }}",
      cmd_t: topicOf("plugged/set"),
      pl_on: "1",
      pl_off: "0",
      stat_on: "1",
      stat_off: "0",
      ic: "mdi:power-plug",
    },
    {
      key: "override",
      p: "select",
      name: name(texts.override),
      stat_t: topicOf("override"),
      val_tpl: OVERRIDE_TEMPLATE,
      cmd_t: topicOf("override/set"),
      options: WITHOUT_TIME,
      ic: "mdi:hand-back-right",
    },
    {
      key: "override_until",
      p: "sensor",
      name: name(texts.overrideUntil),
      stat_t: topicOf("plan"),
      val_tpl: UNTIL_TEMPLATE,
      dev_cla: "timestamp",
    },
    {
      key: "full_by",
      p: "text",
      name: name(texts.fullBy),
      stat_t: topicOf("plan"),
      val_tpl: FULL_BY_TEMPLATE,
      cmd_t: topicOf("override/set"),
      cmd_tpl: FULL_BY_COMMAND,
      // The state is empty without a deadline.
      pattern: "^(([01]\\d|2[0-3]):[0-5]\\d)?$",
      ic: "mdi:clock-end",
    },
    ...(hasVehicle
      ? [
          {
            key: "vehicle_soc",
            p: "sensor",
            name: name(texts.vehicleSoc),
            ...reading("sensor", topicOf("soc_pct")),
            dev_cla: "battery",
            unit_of_meas: "%",
            stat_cla: "measurement",
            sug_dsp_prc: 0,
          },
        ]
      : []),
    ...(hasSgReady
      ? [
          {
            key: "sg_ready",
            p: "sensor",
            name: name(texts.sgReady),
            ...reading("sensor", topicOf("sg_ready")),
            dev_cla: "enum",
            options: SG_STATES,
            ic: "mdi:heat-pump",
          },
        ]
      : []),
  ];
}
