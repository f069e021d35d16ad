import type { Site } from "../config/site.js";
import { oneWayEfficiency } from "../core/domain/battery.js";
import type { TimedValue } from "../core/domain/counter.js";
import type { EnergyStep } from "../core/domain/interval.js";
import { DAY_MS, type Interval, MINUTE_MS } from "../core/domain/interval.js";
import { type LiveState, type Reading, readingOfSlot, SITE_READING_NAMES } from "../core/domain/sample.js";
import { SLOT_NUMBERS, type SlotNumber, slotNumber } from "../core/domain/slot.js";
import { type ApartSlot, enabledSlots, isOnlyWallbox, slotsApart } from "../core/domain/slots-apart.js";
import { isLoadWithoutVehicles } from "./energy-balance.js";
import { type LoadWithout, measuredLoad } from "./measured-load.js";
import { type MeteredSource, meteredEnergy } from "./metered-energy.js";
import { plausibleReadings } from "./plausible-history.js";
import { powerSteps, type Readings, slotEnergySteps } from "./reading-energies.js";
import { type LimitsByReading, readingLimits } from "./reading-limits.js";
import type { MeasuredBattery } from "./soc-correction.js";

/** The readings from which the load of a site is derived. */
export const LOAD_READINGS: readonly Reading[] = [
  ...SITE_READING_NAMES.filter((reading) => reading !== "ev_connected"),
  ...SLOT_NUMBERS.flatMap((slot) => [readingOfSlot(slot, "power_kw"), readingOfSlot(slot, "energy_kwh")]),
];

/** Source of the history of a site. */
export interface LoadHistory {
  telemetry: {
    readings(siteId: string, reading: Reading, from: Date, to: Date): Promise<readonly TimedValue[]>;
    live(siteId: string): LiveState;
  };
  /** Imported quarter-hours. */
  meter: MeteredSource;
}

/** Measured quarter-hours of the devices of the slots, by slot. */
export type ApartEnergies = Map<SlotNumber, EnergyStep[]>;

/** Days before a period that are searched for the last reading: mostly one, for a rarely read meter up to a week. */
const LOOK_BACK_DAYS = [1, 7];
/** Readings after a period show whether its last one can be. */
const LOOK_AHEAD_MS = 70 * MINUTE_MS;

/**
 * Reads the load of a site period by period, in order of time. Only one period of readings is in memory at a time,
 * because eight weeks of readings every few seconds are hundreds of megabytes.
 */
export class DailyHistory {
  readonly #history: LoadHistory;
  readonly #site: Site;
  readonly #available: ReadonlySet<Reading>;
  /** The last reading of each kind before `#endMs`. */
  readonly #last = new Map<Reading, TimedValue>();
  #endMs = Number.NaN;

  constructor(history: LoadHistory, site: Site) {
    this.#history = history;
    this.#site = site;
    this.#available = new Set(Object.keys(history.telemetry.live(site.id)) as Reading[]);
  }

  /** The load in a period on the grid of quarter-hours, such as a UTC day, without what is planned apart. Throws StoreError. */
  async measured(stretch: Interval): Promise<EnergyStep[]> {
    const { readings, limits } = await this.#read(stretch);
    return this.#loadOf(stretch, { readings, limits, slots: slotsApart(this.#site.plant.slots ?? []) });
  }

  /** The same without anything that is measured apart, and that. Throws StoreError. */
  async measuredApart(stretch: Interval): Promise<{ load: EnergyStep[]; devices: ApartEnergies }> {
    const { readings, limits } = await this.#read(stretch);
    const { slots } = this.#site.plant;
    const enabled = enabledSlots(slots);
    const devices: ApartEnergies = new Map();
    for (const { slot } of enabled) {
      const own = slotEnergySteps(readings, slot, stretch, limits);
      const isVehicle = own.length === 0 && isOnlyWallbox(slots, slot);
      const steps = isVehicle ? powerSteps(readings, "ev_power_kw", stretch, limits) : own;
      if (steps.length > 0) devices.set(slot, steps);
    }
    return { load: await this.#loadOf(stretch, { readings, limits, slots: enabled }), devices };
  }

  async #read(stretch: Interval): Promise<{ readings: Readings; limits: LimitsByReading }> {
    const goesOn = stretch.start.getTime() === this.#endMs;
    const readings: Readings = {};
    const limits = readingLimits(this.#site.plant);
    for (const reading of LOAD_READINGS) {
      if (!this.#available.has(reading)) continue;
      const before = goesOn ? this.#last.get(reading) : await this.#lastBefore(reading, stretch.start);
      const within = await this.#history.telemetry.readings(
        this.#site.id,
        reading,
        stretch.start,
        new Date(stretch.end.getTime() + LOOK_AHEAD_MS),
      );
      const all = before === undefined ? within : [before, ...within];
      const last = plausibleReadings(all, limits.get(reading)).findLast(({ at }) => at <= stretch.end);
      if (last !== undefined) this.#last.set(reading, last);
      readings[reading] = all;
    }
    this.#endMs = stretch.end.getTime();
    return { readings, limits };
  }

  async #loadOf(
    stretch: Interval,
    { readings, limits, slots }: { readings: Readings; limits: LimitsByReading; slots: readonly ApartSlot[] },
  ): Promise<EnergyStep[]> {
    const { id, plant } = this.#site;
    return measuredLoad(readings, stretch, this.#available, {
      battery: batteryOf(this.#site),
      hasPv: (plant.pv?.length ?? 0) > 0,
      slots,
      loadWithout: loadWithoutOf(plant),
      limits,
      metered: await meteredEnergy(this.#history.meter, id, stretch),
    });
  }

  async #lastBefore(reading: Reading, at: Date): Promise<TimedValue | undefined> {
    for (const days of LOOK_BACK_DAYS) {
      const from = new Date(at.getTime() - days * DAY_MS);
      const last = (await this.#history.telemetry.readings(this.#site.id, reading, from, at)).at(-1);
      if (last !== undefined) return last;
    }
    return undefined;
  }
}

/** What `load_power_kw` of a plant does not contain. */
function loadWithoutOf(plant: Site["plant"]): LoadWithout {
  const isWallbox = (slot: number) =>
    plant.slots.some((one) => one.slot === slot && one.kind === "wallbox" && one.enabled);
  const slots = (plant.telemetry.load_without ?? []).filter((slot) => !isWallbox(slot));
  return { vehicles: isLoadWithoutVehicles(plant), slots: slots.flatMap((slot) => slotNumber(slot) ?? []) };
}

function batteryOf({ plant: { battery } }: Site): MeasuredBattery | undefined {
  if (battery === null || battery === undefined) return undefined;
  return { capacityKwh: battery.capacity_kwh, oneWayEfficiency: oneWayEfficiency(battery.efficiency_pct) };
}
