import type { DeviceSettings, PlantSettings } from "./settings.js";

/** Most devices of a plant. */
export const MOST_DEVICES = 40;

/** A device as it is added: read only, all that it gives. */
export function newDevice(template: string, plant: Pick<PlantSettings, "devices">): DeviceSettings {
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

/** A plant whose entries of the former list `actuators` are devices of which nothing is read, called by what they drive. */
export function withFormerActuators<Plant extends Pick<PlantSettings, "actuators" | "devices" | "slots">>(
  plant: Plant,
): Plant {
  const former = plant.actuators.map((settings): DeviceSettings => {
    const driven = plant.slots.find(({ slot }) => settings.controls.endsWith(` ${slot}`));
    return { ...newDevice(settings.template, plant), ...settings, name: driven?.label || null, reads: [] };
  });
  return { ...plant, ...devicesSection([...former, ...plant.devices]) };
}

/** The devices as settings of a plant: they stand for the former list `actuators`, too. */
export function devicesSection(devices: DeviceSettings[]): Pick<PlantSettings, "actuators" | "devices"> {
  return { devices, actuators: [] };
}

/** An identifier that no device of a plant has, made of its template. */
function freeId(template: string, { devices }: Pick<PlantSettings, "devices">): string {
  const taken = devices.map(({ id }) => id);
  const base = template.slice(0, 28);
  for (let number = 1; ; number++) {
    const id = number === 1 ? base : `${base}-${number}`;
    if (!taken.includes(id)) return id;
  }
}
