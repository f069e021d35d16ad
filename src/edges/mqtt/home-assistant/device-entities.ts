import { DEVICE_STATES } from "../../../core/domain/device-state.js";
import type { Texts } from "../../../texts/index.js";
import {
  DIAGNOSTIC,
  type Entity,
  METER_COUNTER,
  numberTemplate,
  POWER,
  reading,
  SOC,
  sensor,
  wordsOf,
} from "./entity.js";

/** A device that is read, with the names and units of its readings. */
export interface DiscoveryDevice {
  id: string;
  name: string;
  template: string;
  /** What it drives, such as `battery`; null: it is only read. */
  controls: string | null;
  readings: Readonly<Record<string, { unit: string }>>;
}

const TEMPERATURE = {
  dev_cla: "temperature",
  unit_of_meas: "°C",
  stat_cla: "measurement",
  sug_dsp_prc: 1,
  val_tpl: numberTemplate(1),
};

const OF_UNIT: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  kW: POWER,
  kWh: METER_COUNTER,
  "%": SOC,
  "°C": TEMPERATURE,
};

/** The entities of a device that is read: its readings, and its state. */
export function deviceEntities(
  { id, readings }: DiscoveryDevice,
  { topic, texts }: { topic(name: string): string; texts: Texts },
): Entity[] {
  const names: Readonly<Record<string, string>> = texts.homeAssistant.readings;
  const { deviceStates } = texts.components;
  const states = Object.fromEntries(
    DEVICE_STATES.map((state) => [state, deviceStates[state].replace(/\.$/, "")]),
  );
  const of = (name: string) => topic(`devices/${id}/${name}`);
  return [
    ...Object.entries(readings).map(([name, { unit }]): Entity => {
      const platform = name === "connected" ? "binary_sensor" : "sensor";
      return {
        key: `device_${id}_${name}`,
        platform,
        name: names[name] ?? name,
        config: {
          ...reading(platform, of(`readings/${name}`)),
          ...(platform === "binary_sensor" ? { dev_cla: "plug" } : OF_UNIT[unit]),
        },
      };
    }),
    sensor(`device_${id}_state`, names.state!, { topic: of("state"), ...wordsOf(states), ...DIAGNOSTIC }),
  ];
}
