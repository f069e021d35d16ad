import type { Site } from "../../config/site.js";
import { type Interval, QUARTER_MS } from "../../core/domain/interval.js";
import { slotsApart } from "../../core/domain/slots-apart.js";
import { addDays, dayInterval, localTime } from "../../core/time/zone.js";
import type { SampleArchive } from "../../store/sample-archive.js";
import { deviceQuarters } from "../../telemetry/agreeing-readings.js";
import { slotReadings } from "./slot-readings.js";

/** Energy of devices in each quarter-hour of a local day by slot, before hourgate controlled them; only the proportions count. */
export type UsualHours = ReadonlyMap<number, readonly number[]>;

/** Days before the installation that are read, and how many of them have to be known. */
const DAYS = 28;
const LEAST_DAYS = 7;
/** A device takes at least this on a day that counts, kWh. */
const LEAST_KWH = 0.1;
const QUARTERS = 96;

interface UsualHoursSources {
  samples: Pick<SampleArchive, "range">;
}

/** When the boilers of a site ran in the four weeks before its installation, by their thermostats. Throws StoreError. */
async function usualHours(
  sources: UsualHoursSources,
  site: Site,
  installed: string | undefined,
): Promise<UsualHours> {
  const usual = new Map<number, readonly number[]>();
  const { slots, timezone: zone } = site.plant;
  const boilers = slotsApart(slots).filter(({ slot }) =>
    slots.some((one) => one.slot === slot && one.kind === "boiler"),
  );
  if (installed === undefined || boilers.length === 0) return usual;
  const before = {
    start: dayInterval(addDays(installed, -DAYS), zone).start,
    end: dayInterval(installed, zone).start,
  };
  for (const device of await slotReadings(sources, site, before)) {
    const { slot } = device;
    if (!boilers.some((one) => one.slot === slot)) continue;
    const hours = hoursOfDay(deviceQuarters(device, "instant"), before, zone);
    if (hours !== undefined) usual.set(slot, hours);
  }
  return usual;
}

/** The usual hours of the devices of sites; kept, because they change with late readings and settings only. */
export class UsualHoursStore {
  readonly #sources: UsualHoursSources;
  readonly #installedOn: (siteId: string) => Promise<string | undefined>;
  readonly #kept = new Map<string, { basis: string; hours: UsualHours }>();

  constructor(sources: UsualHoursSources, installedOn: (siteId: string) => Promise<string | undefined>) {
    this.#sources = sources;
    this.#installedOn = installedOn;
  }

  /** Throws StoreError. */
  async of(site: Site): Promise<UsualHours> {
    const installed = await this.#installedOn(site.id);
    const basis = JSON.stringify([installed, site.plant.slots]);
    const known = this.#kept.get(site.id);
    if (known?.basis === basis) return known.hours;
    const hours = await usualHours(this.#sources, site, installed);
    this.#kept.set(site.id, { basis, hours });
    return hours;
  }

  forget(siteId: string): void {
    this.#kept.delete(siteId);
  }
}

/** Energy by quarter-hour of the day, summed over the days that are known whole; undefined with too few of them. Pure. */
export function hoursOfDay(
  kwh: readonly (number | undefined)[],
  { start }: Pick<Interval, "start">,
  zone: string,
): number[] | undefined {
  const sums = new Array<number>(QUARTERS).fill(0);
  let day: { quarter: number; kwh: number }[] = [];
  let days = 0;
  kwh.forEach((energy, index) => {
    const quarter = quarterOfDay(new Date(start.getTime() + index * QUARTER_MS), zone);
    if (quarter === 0) day = [];
    if (energy !== undefined) day.push({ quarter, kwh: Math.max(0, energy) });
    // A day on which the clocks change is left out.
    if (quarter < QUARTERS - 1 || day.length !== QUARTERS) return;
    if (day.reduce((sum, one) => sum + one.kwh, 0) < LEAST_KWH) return;
    days++;
    for (const one of day) sums[one.quarter]! += one.kwh;
  });
  return days < LEAST_DAYS ? undefined : sums;
}

/** The quarter-hour of the local day, from 0 on. */
export function quarterOfDay(at: Date, zone: string): number {
  const { hour, minute } = localTime(at, zone);
  return hour * 4 + Math.floor(minute / 15);
}
