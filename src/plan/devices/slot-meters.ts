import type { SiteParts, SiteRuntime, SiteRuntimes } from "../../config/site-runtimes.js";
import { type Bus, subscribe } from "../../core/bus.js";
import type { TimedValue } from "../../core/domain/counter.js";
import { DAY_MS, floorTo, HOUR_MS, MINUTE_MS, QUARTER_MS } from "../../core/domain/interval.js";
import { type LiveState, type Reading, readingOfSlot } from "../../core/domain/sample.js";
import { SLOT_NUMBERS } from "../../core/domain/slot.js";
import { isOnlyWallbox } from "../../core/domain/slots-apart.js";
import type { Cancel, Clock } from "../../core/time/clock.js";
import type { Delivered } from "../windows/delivered.js";

export interface SlotMetersOptions {
  clock: Clock;
  bus: Bus;
  sites: SiteRuntimes;
  telemetry: { live(siteId: string): LiveState };
}

/** A counter that was read within this time shows the energy; else the power does. */
const COUNTER_MS = 65 * MINUTE_MS;
/** A power applies until the next reading, but no longer than this; a device at rest may send nothing for longer. */
const HOLD_MS = 30 * MINUTE_MS;
const REST_HOLD_MS = 18 * HOUR_MS;
const REST_KW = 0.05;
const LEAST_KNOWN_MS = MINUTE_MS;
const KEPT_MS = 2 * DAY_MS;

/** Running energy of one slot. */
interface SlotMeter {
  since: Date;
  counter?: TimedValue;
  /** The last power; `at` is until when its energy is part of `taken`. */
  power?: { value: number; readAt: Date; at: Date };
  /** Energy that was counted by power since the last reading of the counter, kWh. */
  byPowerKwh: number;
  readAt?: Date;
  /** Energy by the quarter-hour in which it became known, by its start, kWh. */
  taken: Map<number, number>;
}

interface SiteMeters {
  runtime: SiteRuntime;
  slots: Map<number, SlotMeter>;
}

/**
 * What the devices of slots have taken, as measured: the difference of a counter, else the power over time. Energy is counted when it
 * becomes known, so that a counter that is rarely read loses nothing.
 */
export class SlotMeters {
  readonly #options: SlotMetersOptions;
  readonly #sites: SiteParts<SiteMeters>;
  #unsubscribe: Cancel = () => {};

  constructor(options: SlotMetersOptions) {
    this.#options = options;
    this.#sites = options.sites.parts<SiteMeters>({ create: (runtime) => ({ runtime, slots: new Map() }) });
  }

  start(): void {
    // What was read before the start is the beginning of what follows.
    for (const site of this.#sites) {
      const live = this.#options.telemetry.live(site.runtime.site.id);
      this.#read(site, (reading) => live[reading]);
    }
    this.#unsubscribe = subscribe(this.#options.bus, {
      "telemetry.received": ({ siteId, sample: { at, values } }) => {
        const site = this.#sites.get(siteId);
        if (site === undefined) return;
        this.#read(site, (reading) => {
          const value = values[reading];
          return value === undefined ? undefined : { value, at };
        });
      },
    });
  }

  async stop(): Promise<void> {
    this.#unsubscribe();
  }

  /** What a device took from `from` until now; undefined where nothing measures it. */
  delivered(siteId: string, slot: number, from: Date): Delivered | undefined {
    const now = this.#options.clock.now();
    const meter = this.#sites.get(siteId)?.slots.get(slot);
    if (meter === undefined) return undefined;
    settle(meter, now);
    const isCounted = isAlive(meter.counter, now);
    const isKnown = isCounted || (meter.power !== undefined && meter.power.at >= now);
    // A device that is read for the first time took as much before.
    const knownMs = now.getTime() - Math.max(meter.since.getTime(), from.getTime());
    if (!isKnown || knownMs < LEAST_KNOWN_MS) return undefined;
    let kwh = 0;
    for (const [startMs, part] of meter.taken) if (startMs + QUARTER_MS > from.getTime()) kwh += part;
    return {
      kwh: (kwh * (now.getTime() - from.getTime())) / knownMs,
      isMeasured: meter.readAt !== undefined && meter.readAt > from,
    };
  }

  #read({ runtime, slots }: SiteMeters, read: (reading: Reading) => TimedValue | undefined): void {
    const now = this.#options.clock.now();
    for (const slot of SLOT_NUMBERS) {
      const counter = read(readingOfSlot(slot, "energy_kwh"));
      const power =
        read(readingOfSlot(slot, "power_kw")) ??
        (isOnlyWallbox(runtime.site.plant.slots, slot) ? read("ev_power_kw") : undefined);
      if (counter === undefined && power === undefined) continue;
      const meter = slots.get(slot) ?? { since: now, byPowerKwh: 0, taken: new Map<number, number>() };
      slots.set(slot, meter);
      settle(meter, now);
      if (counter !== undefined) count(meter, counter, now);
      if (power !== undefined) meter.power = { value: power.value, readAt: power.at, at: now };
      meter.readAt = now;
    }
  }
}

function isAlive(counter: TimedValue | undefined, now: Date): boolean {
  return counter !== undefined && now.getTime() - counter.at.getTime() <= COUNTER_MS;
}

function count(meter: SlotMeter, next: TimedValue, now: Date): void {
  const { counter, byPowerKwh } = meter;
  // A counter that falls was reset or replaced.
  if (counter !== undefined && next.value >= counter.value)
    add(meter, Math.max(0, next.value - counter.value - byPowerKwh), now);
  meter.counter = next;
  meter.byPowerKwh = 0;
}

/** Counts the energy of the last power until now, unless a counter shows it. */
function settle(meter: SlotMeter, now: Date): void {
  const { power } = meter;
  if (power === undefined) return;
  const holdMs = Math.abs(power.value) <= REST_KW ? REST_HOLD_MS : HOLD_MS;
  const until = new Date(Math.min(now.getTime(), power.readAt.getTime() + holdMs));
  if (until <= power.at) return;
  const kwh = Math.max(0, (power.value * (until.getTime() - power.at.getTime())) / HOUR_MS);
  if (!isAlive(meter.counter, now)) {
    add(meter, kwh, now);
    meter.byPowerKwh += kwh;
  }
  power.at = until;
}

function add({ taken }: SlotMeter, kwh: number, now: Date): void {
  // Energy that is known at the end of a quarter-hour belongs to it.
  const quarterMs = floorTo(now.getTime() - 1, QUARTER_MS);
  if (kwh > 0) taken.set(quarterMs, (taken.get(quarterMs) ?? 0) + kwh);
  for (const startMs of taken.keys()) if (startMs < now.getTime() - KEPT_MS) taken.delete(startMs);
}
