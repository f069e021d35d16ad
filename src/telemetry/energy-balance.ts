import type { PlantSettings } from "../config/settings.js";
import { type Reading, readingOfSlot } from "../core/domain/sample.js";
import { type SlotNumber, slotNumber } from "../core/domain/slot.js";
import { slotsApart } from "../core/domain/slots-apart.js";

/** The settings that the energy balance depends on. */
export type BalancedPlant = Pick<PlantSettings, "slots" | "telemetry"> & {
  pv: readonly unknown[];
  battery: object | null;
};

/** A measured device of a slot. */
export interface MeasuredDevice {
  slot: SlotNumber;
  kw: number;
  /** Planned apart: not part of the household. */
  isApart: boolean;
  /** At a wallbox; part of `vehicleKw`. */
  isVehicle: boolean;
}

/**
 * The powers of one moment, kW: `load = grid + pv − battery`, grid positive while importing, battery while charging. Undefined: not
 * known.
 */
export interface PowerBalance {
  pvKw: number | undefined;
  batteryKw: number | undefined;
  gridKw: number | undefined;
  /** Everything that the house consumes, devices included. */
  loadKw: number | undefined;
  /** The load without devices that are planned apart, as far as they are measured. */
  householdKw: number | undefined;
  /** Vehicles: `ev_power_kw`, otherwise the sum of the wallboxes. */
  vehicleKw: number | undefined;
  devices: readonly MeasuredDevice[];
  /** `grid + pv − battery` less the load as it is read; undefined unless all are read. */
  gapKw: number | undefined;
}

/** Where the load of a plant is read without vehicles: its wallboxes are in `load_without`. */
export function isLoadWithoutVehicles({
  slots,
  telemetry,
}: Pick<BalancedPlant, "slots" | "telemetry">): boolean {
  const without = telemetry.load_without ?? [];
  const wallboxes = slots.filter(({ kind, enabled }) => enabled && kind === "wallbox");
  return wallboxes.length === 0 ? without.length > 0 : wallboxes.some(({ slot }) => without.includes(slot));
}

/** The energy balance of the powers that `read` returns; each of them may be missing. Pure. */
export function powerBalance(
  plant: BalancedPlant,
  read: (reading: Reading) => number | undefined,
): PowerBalance {
  const apart = slotsApart(plant.slots);
  const enabled = plant.slots.filter((slot) => slot.enabled);
  const devices = enabled.flatMap(({ slot, kind }): MeasuredDevice[] => {
    const number = slotNumber(slot);
    const kw = number === undefined ? undefined : read(readingOfSlot(number, "power_kw"));
    if (number === undefined || kw === undefined) return [];
    return [
      { slot: number, kw, isApart: apart.some((one) => one.slot === slot), isVehicle: kind === "wallbox" },
    ];
  });
  const wallboxes = devices.filter(({ isVehicle }) => isVehicle);
  const others = devices.filter(({ isVehicle }) => !isVehicle);
  const vehicleKw = read("ev_power_kw") ?? (wallboxes.length === 0 ? undefined : sumOf(wallboxes));
  const without = plant.telemetry.load_without ?? [];
  const outsideKw =
    (isLoadWithoutVehicles(plant) ? (vehicleKw ?? 0) : 0) +
    sumOf(others.filter(({ slot }) => without.includes(slot)));
  const reading = read("load_power_kw");
  const readKw = reading === undefined ? undefined : reading + outsideKw;
  const pvKw = read("pv_power_kw");
  const batteryKw = read("battery_power_kw");
  const gridKw = read("grid_power_kw");
  const behind = [
    ...(plant.pv.length > 0 ? [pvKw] : [pvKw ?? 0]),
    ...(plant.battery === null ? [-(batteryKw ?? 0)] : [batteryKw === undefined ? undefined : -batteryKw]),
  ];
  const behindKw = behind.some((kw) => kw === undefined)
    ? undefined
    : behind.reduce<number>((sum, kw) => sum + kw!, 0);
  const byGridKw = gridKw === undefined || behindKw === undefined ? undefined : gridKw + behindKw;
  const loadKw = byGridKw ?? readKw;
  const apartKw = (vehicleKw ?? 0) + sumOf(others.filter((one) => one.isApart));
  return {
    pvKw,
    batteryKw,
    gridKw: gridKw ?? (readKw === undefined || behindKw === undefined ? undefined : readKw - behindKw),
    loadKw,
    // Readings of different moments must not make it negative.
    householdKw: loadKw === undefined ? undefined : Math.max(Math.min(loadKw, 0), loadKw - apartKw),
    vehicleKw,
    devices,
    gapKw: byGridKw === undefined || readKw === undefined ? undefined : byGridKw - readKw,
  };
}

function sumOf(devices: readonly MeasuredDevice[]): number {
  return devices.reduce((sum, { kw }) => sum + kw, 0);
}
