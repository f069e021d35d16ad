import type { ActuatorSettings } from "../config/settings.js";
/** A device that was seen on the broker, with the parameters of its template. */
export interface DetectedDevice {
  template: string;
  /** What identifies it among devices of its kind, such as its topic. */
  name: string;
  with: Readonly<Record<string, string | number>>;
}

interface Pattern {
  filter: string;
  /** The device of a topic; undefined if the topic is not of one. */
  device(levels: readonly string[]): DetectedDevice | undefined;
}

const evcc: Pattern["device"] = ([root = ""]) => ({
  template: "evcc-battery",
  name: root,
  with: { transport: "mqtt", root },
});

/** Topics by which device families are recognised. Each is published rarely, or once per device. */
const PATTERNS: readonly Pattern[] = [
  { filter: "+/site/batteryMode", device: evcc },
  // evcc publishes a group for the batteries since 2026.
  { filter: "+/site/battery/soc", device: evcc },
  { filter: "+/site/battery/power", device: evcc },
  {
    filter: "N/+/system/0/Serial",
    device: ([, id = ""]) => ({ template: "victron-gx", name: id, with: { portal_id: id } }),
  },
  {
    filter: "zigbee2mqtt/+",
    device: (levels) => {
      const topic = levels.join("/");
      return { template: "zigbee2mqtt", name: topic, with: { topic } };
    },
  },
  {
    filter: "tele/+/LWT",
    device: ([, topic = ""]) => ({ template: "tasmota", name: topic, with: { transport: "mqtt", topic } }),
  },
  {
    filter: "+/online",
    // Gen2 and later: the default prefix is the model and the hardware address.
    device: ([topic = ""]) =>
      /^shelly[a-z0-9]+-[0-9a-f]{12}$/i.test(topic)
        ? { template: "shelly-gen2", name: topic, with: { transport: "mqtt", topic } }
        : undefined,
  },
  {
    filter: "openWB/simpleAPI/chargepoint/+/chargemode",
    device: ([, , , id = ""]) =>
      /^\d+$/.test(id) ? { template: "openwb2", name: id, with: { chargepoint: Number(id) } } : undefined,
  },
];

/** Topic filters of all families. */
export const DETECTION_FILTERS: readonly string[] = PATTERNS.map(({ filter }) => filter);

/** More devices than this are not listed. */
const MOST = 30;

/** Collects the devices whose topics are seen. Stores names, no payloads. */
export class DeviceDetection {
  readonly #found = new Map<string, DetectedDevice>();

  saw(topic: string): void {
    if (this.#found.size >= MOST) return;
    const levels = topic.split("/");
    for (const { filter, device } of PATTERNS) {
      const pattern = filter.split("/");
      if (pattern.length !== levels.length) continue;
      if (!pattern.every((level, index) => level === "+" || level === levels[index])) continue;
      const found = device(levels);
      if (found !== undefined) this.#found.set(`${found.template} ${found.name}`, found);
    }
  }

  list(): DetectedDevice[] {
    return [...this.#found.values()];
  }
}

/** The devices that no actuator drives yet. */
export function withoutActuator(
  devices: readonly DetectedDevice[],
  used: readonly Pick<ActuatorSettings, "template" | "with">[],
): DetectedDevice[] {
  const isUsed = (device: DetectedDevice) =>
    used.some(
      (one) =>
        one.template === device.template &&
        Object.entries(device.with).every(([name, value]) => (one.with[name] ?? value) === value),
    );
  return devices.filter((device) => !isUsed(device));
}
