import type { PlantSettings } from "../../config/settings.js";
import {
  isCounter,
  type Reading,
  readingOfSlot,
  type Sample,
  SITE_READING_NAMES,
  SLOT_READING_NAMES,
} from "../../core/domain/sample.js";
import { slotNumber } from "../../core/domain/slot.js";
import type { TakenReading } from "./device.js";
import { DEVICE_READINGS } from "./names.js";

/** What a device gives to the telemetry of its site. */
export interface GivingDevice {
  id: string;
  /** Such as `grid` or `slot 1`. */
  reads: readonly string[];
  isFallback: boolean;
  pollMs: number;
}

/** Parts of the energy balance that the home has. */
export interface BalanceParts {
  hasPv: boolean;
  hasBattery: boolean;
}

/** Powers that were taken further apart do not belong together. */
const TOGETHER_MS = 2_000;

/** The readings of a site's telemetry that a device gives, by the name of its template. */
export function telemetryNames(name: string, reads: readonly string[]): Reading[] {
  const { role, shown = name } = DEVICE_READINGS[name] ?? {};
  const siteReading = SITE_READING_NAMES.find((one) => one === name);
  if (role !== "slot")
    return siteReading !== undefined && reads.some((one) => one === role) ? [siteReading] : [];
  const slots = reads.flatMap((role) => slotNumber(Number(/^slot (\d)$/.exec(role)?.[1])) ?? []);
  if (name === "connected") return slots.length > 0 ? ["ev_connected"] : [];
  const slotReading = SLOT_READING_NAMES.find((one) => one === shown);
  return slotReading === undefined ? [] : slots.map((slot) => readingOfSlot(slot, slotReading));
}

/** What the home has, by its settings and its devices. */
export function balanceOf(
  plant: Pick<PlantSettings, "pv" | "battery" | "batteries">,
  devices: readonly GivingDevice[],
): BalanceParts {
  const reads = (role: string) => devices.some((one) => one.reads.includes(role));
  return {
    hasPv: plant.pv.length > 0 || reads("pv"),
    hasBattery: plant.battery !== null || plant.batteries.length > 0 || reads("battery"),
  };
}

/** Combines the readings of a site's devices into samples: several PV devices add up, and the load follows from the balance. */
export class SiteCombination {
  readonly #parts: BalanceParts;
  readonly #devices: readonly GivingDevice[];
  /** The last values by reading and device. */
  readonly #last = new Map<Reading, Map<string, TakenReading>>();
  #newestMs = 0;

  constructor(devices: readonly GivingDevice[], parts: BalanceParts) {
    this.#devices = devices;
    this.#parts = parts;
  }

  /** The samples that follow from a poll, one for each time. */
  take(device: GivingDevice, taken: ReadonlyMap<string, TakenReading>): Sample[] {
    const samples = new Map<number, Sample>();
    const put = (reading: Reading, { value, at }: TakenReading) => {
      const sample = samples.get(at.getTime()) ?? { at, values: {} };
      samples.set(at.getTime(), sample);
      sample.values[reading] = value;
    };
    for (const [name, one] of taken)
      for (const reading of telemetryNames(name, device.reads)) {
        this.#lastOf(reading).set(device.id, one);
        this.#newestMs = Math.max(this.#newestMs, one.at.getTime());
        const known = this.#combined(device, reading, one);
        if (known !== undefined) put(reading, known);
      }
    const load = this.#load();
    if (load !== undefined && samples.size > 0) put("load_power_kw", load);
    return [...samples.values()];
  }

  #lastOf(reading: Reading): Map<string, TakenReading> {
    const known = this.#last.get(reading) ?? new Map<string, TakenReading>();
    this.#last.set(reading, known);
    return known;
  }

  #combined(device: GivingDevice, reading: Reading, one: TakenReading): TakenReading | undefined {
    if (reading === "pv_power_kw") return this.#pv();
    if (reading === "pv_kwh") return this.#pvCounter(one.at);
    if (reading === "ev_connected") return { ...one, value: this.#isAnyConnected() ? 1 : 0 };
    return this.#isReplaced(device, reading) ? undefined : one;
  }

  /** A fallback is only used while no other device has a value. Counters of two devices are not the same counter. */
  #isReplaced({ isFallback }: GivingDevice, reading: Reading): boolean {
    return (
      isFallback &&
      this.#devices.some(
        (other) =>
          !other.isFallback &&
          (isCounter(reading)
            ? this.#lastOf(reading).get(other.id) !== undefined
            : this.#isFresh(other, reading)),
      )
    );
  }

  /** The sum of the counters of all PV devices that have one, if none is behind: one that sleeps does not count on. */
  #pvCounter(at: Date): TakenReading | undefined {
    const main = this.#devices.filter(({ reads, isFallback }) => reads.includes("pv") && !isFallback);
    const counters = main.map(({ id }) => this.#lastOf("pv_kwh").get(id));
    const areNow = main.every((one) => this.#isFresh(one, "pv_kwh") || this.#isFresh(one, "pv_power_kw"));
    if (!areNow || counters.length === 0 || counters.includes(undefined)) return undefined;
    return { at, value: Number(counters.reduce((sum, one) => sum + one!.value, 0).toFixed(6)) };
  }

  #isAnyConnected(): boolean {
    const devices = this.#devices.filter((one) => this.#isFresh(one, "ev_connected"));
    return devices.some(({ id }) => this.#lastOf("ev_connected").get(id)!.value > 0);
  }

  #isFresh({ id, pollMs }: GivingDevice, reading: Reading): boolean {
    const last = this.#lastOf(reading).get(id);
    return last !== undefined && this.#newestMs - last.at.getTime() <= 3 * pollMs;
  }

  /** The sum of all PV devices, if all were read together. */
  #pv(): TakenReading | undefined {
    const all = this.#devices.filter(({ reads }) => reads.includes("pv"));
    const main = all.filter(({ isFallback }) => !isFallback);
    const isMain = main.length > 0 && main.every((one) => this.#isFresh(one, "pv_power_kw"));
    const used = isMain || main.length === all.length ? main : all.filter(({ isFallback }) => isFallback);
    return together(
      used.map(({ id }) => this.#lastOf("pv_power_kw").get(id)),
      (values) => values.reduce((sum, one) => sum + one, 0),
    );
  }

  /** Load = PV + grid − battery, unless a device measures it; never below 0. */
  #load(): TakenReading | undefined {
    if (this.#devices.some(({ reads }) => reads.includes("load"))) return undefined;
    const newest = (reading: Reading) =>
      [...this.#lastOf(reading).values()].sort((a, b) => b.at.getTime() - a.at.getTime())[0];
    const { hasPv, hasBattery } = this.#parts;
    const grid = newest("grid_power_kw");
    const zero = grid && { value: 0, at: grid.at };
    const parts = [grid, hasPv ? this.#pv() : zero, hasBattery ? newest("battery_power_kw") : zero];
    return together(parts, ([gridKw = 0, pvKw = 0, batteryKw = 0]) => {
      const kw = Number((gridKw + pvKw - batteryKw).toFixed(6));
      return Math.max(0, kw);
    });
  }
}

/** A value of several that were taken together; at the time of the newest. */
function together(
  parts: readonly (TakenReading | undefined)[],
  combine: (values: number[]) => number,
): TakenReading | undefined {
  const known = parts.filter((one) => one !== undefined);
  if (known.length === 0 || known.length < parts.length) return undefined;
  const times = known.map(({ at }) => at.getTime());
  const newest = Math.max(...times);
  if (newest - Math.min(...times) > TOGETHER_MS) return undefined;
  return { value: combine(known.map(({ value }) => value)), at: new Date(newest) };
}
