import type { ComponentSentence } from "../core/domain/component-sentence.js";
import { HOUR_MS, MINUTE_MS } from "../core/domain/interval.js";
import type { Reading } from "../core/domain/sample.js";
import type { BalancedPlant, PowerBalance } from "./energy-balance.js";
import { isLoadWithoutVehicles } from "./energy-balance.js";

/** Readings that are further apart do not show the energy in between. */
const LONGEST_GAP_MS = 5 * MINUTE_MS;
/** A device that takes less is not compared, kW. */
const LEAST_DEVICE_KW = 0.5;
/** Hours of a running device that show whether the load contains it. */
const LEAST_HOURS = 2;
/** A hypothesis is dropped if it is wrong by more than this, kW, and twice as wrong as the other. */
const LEAST_ERROR_KW = 0.2;

/** Mean powers of a window, kW. */
export interface WindowMeans {
  hours: number;
  pvKw: number;
  gridKw: number;
  batteryKw: number;
  /** `load_power_kw`, and what is outside of it by the settings. */
  homeKw: number;
  /** By slot; `vehicles` are those of all wallboxes. */
  devicesKw: ReadonlyMap<number | "vehicles", number>;
}

interface Moment {
  balance: PowerBalance;
  read: (reading: Reading) => number | undefined;
  now: Date;
}

/** Sums of the powers of a site over some time; a power applies until the next reading. */
export class BalanceWindow {
  readonly startMs: number;
  readonly #sums = new Map<string, number>();
  readonly #before: { importKwh: number; exportKwh: number } | undefined;
  #last:
    | { atMs: number; powers: ReadonlyMap<string, number>; importKwh?: number; exportKwh?: number }
    | undefined;
  #isBroken = false;

  constructor(now: Date, earlier?: BalanceWindow) {
    this.startMs = now.getTime();
    const last = earlier === undefined ? undefined : earlier.#last;
    this.#last = last;
    if (last?.importKwh !== undefined && last.exportKwh !== undefined)
      this.#before = { importKwh: last.importKwh, exportKwh: last.exportKwh };
  }

  add({ balance, read, now }: Moment): void {
    const atMs = now.getTime();
    const last = this.#last;
    if (last !== undefined) {
      const lengthMs = atMs - last.atMs;
      if (lengthMs > LONGEST_GAP_MS) this.#isBroken = true;
      for (const [name, kw] of last.powers)
        this.#sums.set(name, (this.#sums.get(name) ?? 0) + (kw * lengthMs) / HOUR_MS);
    }
    const powers = new Map<string, number>();
    const set = (name: string, kw: number | undefined) => kw !== undefined && powers.set(name, kw);
    set("pv", balance.pvKw);
    set("battery", balance.batteryKw);
    set("grid", read("grid_power_kw"));
    set("load", read("load_power_kw"));
    set("vehicles", balance.vehicleKw);
    for (const { slot, kw, isVehicle } of balance.devices) if (!isVehicle) powers.set(`slot ${slot}`, kw);
    const importKwh = read("import_kwh");
    this.#last = {
      atMs,
      powers,
      ...(importKwh !== undefined && { importKwh, exportKwh: read("export_kwh") ?? 0 }),
    };
  }

  /** The means of a window without a gap; undefined where load or grid are not known. */
  means(plant: BalancedPlant): WindowMeans | undefined {
    const last = this.#last;
    const hours = last === undefined ? 0 : (last.atMs - this.startMs) / HOUR_MS;
    if (this.#isBroken || hours <= 0) return undefined;
    const mean = (name: string) => {
      const kwh = this.#sums.get(name);
      return kwh === undefined ? undefined : kwh / hours;
    };
    const counted =
      last?.importKwh === undefined || this.#before === undefined
        ? undefined
        : (last.importKwh - this.#before.importKwh - ((last.exportKwh ?? 0) - this.#before.exportKwh)) /
          hours;
    const gridKw = mean("grid") ?? counted;
    const loadKw = mean("load");
    const pvKw = mean("pv") ?? (plant.pv.length === 0 ? 0 : undefined);
    const batteryKw = mean("battery") ?? (plant.battery === null ? 0 : undefined);
    if (gridKw === undefined || loadKw === undefined || pvKw === undefined || batteryKw === undefined)
      return undefined;
    const devicesKw = new Map<number | "vehicles", number>();
    for (const [name] of this.#sums) {
      const slot = /^slot (\d)$/.exec(name)?.[1];
      if (slot !== undefined) devicesKw.set(Number(slot), mean(name)!);
      else if (name === "vehicles") devicesKw.set(name, mean(name)!);
    }
    let homeKw = loadKw;
    for (const [device, kw] of devicesKw) if (isOutside(plant, device)) homeKw += kw;
    return { hours, pvKw, gridKw, batteryKw, homeKw, devicesKw };
  }
}

/** For each device: how wrong it is to take it for a part of `load_power_kw`, and not to. */
export class LoadHypotheses {
  readonly #errors = new Map<number | "vehicles", { hours: number; asSet: number; other: number }>();

  add(plant: BalancedPlant, { hours, pvKw, gridKw, batteryKw, homeKw, devicesKw }: WindowMeans): void {
    const gapKw = gridKw + pvKw - batteryKw - homeKw;
    for (const [device, kw] of devicesKw) {
      if (kw < LEAST_DEVICE_KW) continue;
      const otherKw = isOutside(plant, device) ? gapKw + kw : gapKw - kw;
      const before = this.#errors.get(device) ?? { hours: 0, asSet: 0, other: 0 };
      this.#errors.set(device, {
        hours: before.hours + hours,
        asSet: before.asSet + Math.abs(gapKw) * hours,
        other: before.other + Math.abs(otherKw) * hours,
      });
    }
  }

  /** The setting that fits, where another one is in force. */
  proposal(plant: BalancedPlant): ComponentSentence | undefined {
    for (const [device, { hours, asSet, other }] of this.#errors) {
      if (hours < LEAST_HOURS || asSet / hours < LEAST_ERROR_KW || other > asSet / 2) continue;
      const slots = device === "vehicles" ? wallboxesOf(plant) : [device];
      const without = new Set(plant.telemetry.load_without ?? []);
      const outside = isOutside(plant, device);
      for (const slot of slots) outside ? without.delete(slot) : without.add(slot);
      return {
        code: "load_contains",
        slots: slots.join(", "),
        isContained: outside,
        setting: `[${[...without].sort((a, b) => a - b).join(", ")}]`,
      };
    }
    return undefined;
  }
}

function wallboxesOf({ slots }: BalancedPlant): number[] {
  const wallboxes = slots
    .filter(({ kind, enabled }) => enabled && kind === "wallbox")
    .map(({ slot }) => slot);
  return wallboxes.length > 0 ? wallboxes : [1];
}

function isOutside(plant: BalancedPlant, device: number | "vehicles"): boolean {
  return device === "vehicles"
    ? isLoadWithoutVehicles(plant)
    : (plant.telemetry.load_without ?? []).includes(device);
}
