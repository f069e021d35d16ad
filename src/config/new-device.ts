import type { ActuatorSettings, DeviceSettings, PlantSettings } from "./settings.js";

/** Most devices of a plant. */
export const MOST_DEVICES = 40;

type Devices = Pick<PlantSettings, "devices" | "actuators">;

/** A device as it is added: read only, all that it gives. */
export function newDevice(template: string, plant: Devices): DeviceSettings {
  return {
    id: freeId(template, plant),
    template,
    name: null,
    serial: null,
    with: {},
    reads: null,
    controls: null,
    dry_run: null,
    enabled: true,
    min_dwell_s: null,
    max_writes_per_day: null,
    external_minutes: 30,
    poll_s: 10,
    fallback: false,
    reversed: [],
  };
}

/** A device of the plant by its id; one of the older list `actuators` as a device of which nothing is read. */
export function heldDevice({ devices, actuators }: Devices, id: string): DeviceSettings | undefined {
  const commanded = (settings: ActuatorSettings) => ({
    ...newDevice(settings.template, { devices, actuators }),
    ...settings,
    reads: [],
  });
  const old = actuators.find((one) => one.id === id);
  return devices.find((one) => one.id === id) ?? (old && commanded(old));
}

/** An identifier that no device of a plant has, made of its template. */
function freeId(template: string, { devices, actuators }: Devices): string {
  const taken = [...devices, ...actuators].map(({ id }) => id);
  const base = template.slice(0, 28);
  for (let number = 1; ; number++) {
    const id = number === 1 ? base : `${base}-${number}`;
    if (!taken.includes(id)) return id;
  }
}
