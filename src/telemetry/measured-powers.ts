import type { Site } from "../config/site.js";
import { MINUTE_MS } from "../core/domain/interval.js";
import { type LiveState, type Reading, readingOfSlot } from "../core/domain/sample.js";
import { slotNumber } from "../core/domain/slot.js";
import { powerBalance } from "./energy-balance.js";

/** Measured values that are older are shown as outdated. */
export const FRESH_MS = 2 * MINUTE_MS;
/** Powers below this count as none, kW. */
export const IDLE_KW = 0.02;
/** A difference between what the readings give and what the house takes that is worth a sentence: kW, and share of the load. */
const GAP_KW = 0.1;
const GAP_SHARE = 0.05;

/** A power with the age of the oldest reading behind it. */
export interface Power {
  kw: number;
  ageMs: number;
}

/** The measured powers of a site, kW: battery positive while charging, grid positive while importing. Undefined: not measured. */
export interface MeasuredPowers {
  pv: Power | undefined;
  /** Everything that the house consumes, devices included. */
  load: Power | undefined;
  battery: Power | undefined;
  /** As read, otherwise from the others; undefined where one of them is missing. */
  grid: Power | undefined;
  isGridComputed: boolean;
  /** By the number of the slot. */
  devices: ReadonlyMap<number, Power>;
  /** What PV, grid and battery give beyond what is read as the load; undefined: they add up, or not all are read. */
  gapKw: number | undefined;
}

/** The powers by the last readings. Pure. */
export function measuredPowers({
  site,
  live,
  now,
}: {
  site: Pick<Site, "plant">;
  live: LiveState;
  now: Date;
}): MeasuredPowers {
  const { plant } = site;
  const of = (name: Reading): Power | undefined => {
    const last = live[name];
    return last && { kw: last.value, ageMs: Math.max(0, now.getTime() - last.at.getTime()) };
  };
  const devices = new Map<number, Power>();
  for (const { slot, kind, enabled } of plant.slots) {
    const own = of(readingOfSlot(slotNumber(slot)!, "power_kw"));
    const power = own ?? (kind === "wallbox" ? of("ev_power_kw") : undefined);
    if (enabled && power !== undefined) devices.set(slot, power);
  }
  const pv = of("pv_power_kw");
  const battery = of("battery_power_kw");
  const meter = of("grid_power_kw");
  const ownLoad = of("load_power_kw");
  const { loadKw, gridKw, gapKw } = powerBalance(plant, (reading) => live[reading]?.value);
  const read = [ownLoad, meter, ...(plant.pv.length > 0 ? [pv] : []), battery];
  const ageMs = Math.max(0, ...read.map((power) => power?.ageMs ?? 0));
  const computed = (kw: number | undefined) => (kw === undefined ? undefined : { kw, ageMs });
  return {
    pv,
    load:
      meter === undefined && loadKw !== undefined && ownLoad !== undefined
        ? { kw: loadKw, ageMs: ownLoad.ageMs }
        : computed(loadKw),
    battery,
    grid: meter ?? computed(gridKw),
    isGridComputed: meter === undefined && gridKw !== undefined,
    devices,
    gapKw:
      gapKw !== undefined &&
      ageMs <= FRESH_MS &&
      Math.abs(gapKw) > Math.max(GAP_KW, GAP_SHARE * Math.abs(loadKw ?? 0))
        ? gapKw
        : undefined,
  };
}

/** Whether a power is measured now. */
export function isFresh(power: Power | undefined): power is Power {
  return power !== undefined && power.ageMs <= FRESH_MS;
}
