import type { StoreSettings, VehicleSettings } from "../../config/settings.js";
import type { Site } from "../../config/site.js";
import { DAY_MS, type EnergyStep, HOUR_MS, MINUTE_MS } from "../../core/domain/interval.js";
import { type LiveState, type Reading, readingOfSlot } from "../../core/domain/sample.js";
import { type SlotNumber, slotNumber } from "../../core/domain/slot.js";
import { errorMessage } from "../../core/error-message.js";
import type { Log } from "../../core/log.js";
import { type Cancel, type Clock, onEach } from "../../core/time/clock.js";
import { SerialQueue } from "../../core/work/serial-queue.js";
import type { DeviceState, Known } from "../windows/estimates.js";
import {
  isOfStay,
  isTriedInVain,
  storeTemperatureC,
  type TankHeat,
  vehicleSocPct,
} from "../windows/estimates.js";
import { type SlotPlan, slotMoment } from "../windows/slot-schedule.js";
import type { Stay } from "../windows/stay.js";
import { departuresOf } from "../windows/vehicle.js";
import { legionellaDueMs, REACHED_TOLERANCE_C } from "./legionella.js";

export interface DeviceEstimatorOptions {
  clock: Clock;
  sites: { list(): readonly Site[] };
  telemetry: {
    live(siteId: string): LiveState;
    slotState(siteId: string, slot: SlotNumber): DeviceState | undefined;
    slotEnergy(siteId: string, slot: SlotNumber, from: Date, to: Date): Promise<EnergyStep[]>;
    readings(
      siteId: string,
      reading: Reading,
      from: Date,
      to: Date,
    ): Promise<readonly { at: Date; value: number }[]>;
  };
  /** Energy that was set for a slot whose device is not measured. */
  follower: { takenSteps(siteId: string, slot: number, from: Date, to: Date): EnergyStep[] };
  log: Pick<Log, "warn">;
}

/** The schedules of slots, which start later than the estimates that they are made with. */
export interface PlannedSlots {
  current(siteId: string): readonly SlotPlan[];
  /** Energy that nothing measured, by confirmed commands or as planned. */
  assumedSteps(siteId: string, slot: number, from: Date, to: Date): EnergyStep[];
}

const EVERY_MS = 5 * MINUTE_MS;
const HISTORY_MS = 8 * DAY_MS;
/** Older values say nothing of a tank or a vehicle. */
const OLDEST_MS = 7 * DAY_MS;
/** A tank that has not got hotter in this time, whatever part of it it was on, will not. */
const GIVEN_UP_MS = 120 * MINUTE_MS;
/** What a device takes that heats or charges, rather than one on standby, kWh in a quarter-hour. */
const LEAST_KWH = 0.02;
/** A vehicle that took no more counts as full for this time; then it is tried again: something may have interrupted it. */
const FULL_MS = 4 * HOUR_MS;
/** A sensor that has sent nothing for this time is dead. */
const DEAD_MS = DAY_MS;
/** A tank warmer than this cools within two days: a sensor that always reports the same is stuck. */
const STUCK_MS = 2 * DAY_MS;
const WARM_C = 30;

/**
 * State of charge of vehicles and temperature of tanks: as reported, else estimated every five minutes from the last report
 * and the energy measured since; of a tank also without any report.
 */
export class DeviceEstimator {
  readonly #options: DeviceEstimatorOptions;
  /** Estimates with the stay by the plug that they are of. */
  readonly #estimates = new Map<string, { state: DeviceState; stay: Stay | undefined }>();
  #flex: PlannedSlots = { current: () => [], assumedSteps: () => [] };
  /** When tanks and vehicles took nothing of what they were switched on for: thermostats were open, or the vehicle was full. */
  readonly #fullAt = new Map<string, Date>();
  /** The last temperatures of tanks, each since it is reported. */
  readonly #temperatures = new Map<string, Known>();
  /** The highest temperature of tanks on the way to their `legionella_c`. */
  readonly #climbs = new Map<string, Climb>();
  /** When tanks were heated against legionella. */
  readonly #heats = new Map<string, TankHeat>();
  readonly #work = new SerialQueue();
  #stops: Cancel[] = [];

  constructor(options: DeviceEstimatorOptions) {
    this.#options = options;
  }

  /** `flex` has the slots of a site with the stays of their vehicles. */
  start(flex: PlannedSlots): void {
    this.#flex = flex;
    this.#stops = [onEach(this.#options.clock, EVERY_MS, () => this.#update())];
    this.#update();
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops.splice(0)) stop();
    await this.#work.idle();
  }

  /** Resolves when no estimate is being made. */
  settled(): Promise<void> {
    return this.#work.idle();
  }

  /** What is known of the device of a slot; undefined where nothing was ever reported. */
  state(siteId: string, slot: number): DeviceState | undefined {
    const number = slotNumber(slot);
    if (number === undefined) return undefined;
    const { socPct, ...reported } = this.#options.telemetry.slotState(siteId, number) ?? {};
    const { sensorSince, isStuck } = this.#sensor(siteId, number);
    const { temperatureC: _, ...withoutIt } = reported;
    const measured: DeviceState = isStuck ? withoutIt : reported;
    const readAt = this.#options.telemetry.live(siteId)[readingOfSlot(number, "soc_pct")]?.at;
    const stay = this.#planOf(siteId, slot)?.stay;
    // The vehicle before may have sent it a minute ago.
    const isOwn =
      socPct !== undefined && (readAt === undefined || stay === undefined || isOfStay(readAt, stay));
    const estimated = this.#estimates.get(keyOf(siteId, slot));
    const isOfThisStay = estimated?.stay?.since?.getTime() === stay?.since?.getTime();
    const { isAssumed, ...known } = (isOfThisStay && estimated?.state) || {};
    const state: DeviceState = {
      ...known,
      ...(isAssumed && measured.temperatureC === undefined && { isAssumed }),
      ...measured,
      ...(isOwn && { socPct }),
      ...(sensorSince !== undefined && { sensorSince }),
    };
    if (Object.keys(state).length === 0) return undefined;
    return { ...state, ...(this.#heats.get(keyOf(siteId, slot)) ?? this.#planOf(siteId, slot)?.heat) };
  }

  /** Since when the sensor of a tank has reported nothing new. */
  #sensor(siteId: string, slot: SlotNumber): { sensorSince: Date | undefined; isStuck: boolean } {
    const last = this.#options.telemetry.live(siteId)[readingOfSlot(slot, "temperature_c")];
    const since = this.#temperatures.get(keyOf(siteId, slot));
    const isStuck =
      last !== undefined &&
      since?.value === last.value &&
      last.value > WARM_C &&
      last.at.getTime() - since.at.getTime() >= STUCK_MS;
    const isDead = last !== undefined && this.#options.clock.now().getTime() - last.at.getTime() >= DEAD_MS;
    return { sensorSince: isStuck ? since.at : isDead ? last.at : undefined, isStuck };
  }

  /** Notes since when the last temperature is reported; after a start from the history. */
  async #noteTemperature(siteId: string, slot: SlotNumber): Promise<void> {
    const reading = readingOfSlot(slot, "temperature_c");
    const last = this.#options.telemetry.live(siteId)[reading];
    const [key, before] = [keyOf(siteId, slot), this.#temperatures.get(keyOf(siteId, slot))];
    if (last === undefined || before?.value === last.value) return;
    const from = new Date(last.at.getTime() - OLDEST_MS);
    const history = before ? [] : await this.#options.telemetry.readings(siteId, reading, from, last.at);
    const changed = history.findLastIndex(({ value }) => value !== last.value) + 1;
    this.#temperatures.set(key, { value: last.value, at: history[changed]?.at ?? last.at });
  }

  #planOf(siteId: string, slot: number): SlotPlan | undefined {
    return this.#flex.current(siteId).find((plan) => plan.slot === slot);
  }

  /** Energy as set, where nothing measures it: by the surplus, and at other times by the plan. */
  #unmeasured(...range: [siteId: string, slot: number, from: Date, to: Date]): EnergyStep[] {
    return [...this.#flex.assumedSteps(...range), ...this.#options.follower.takenSteps(...range)];
  }

  #update(): void {
    void this.#work
      .run(async () => {
        for (const site of this.#options.sites.list())
          for (const { slot, vehicle, store } of site.plant.slots)
            if (vehicle !== null || store !== null) await this.#estimate(site, slot);
      })
      .catch((error: unknown) =>
        this.#options.log.warn({}, `The state of a device could not be estimated: ${errorMessage(error)}`),
      );
  }

  async #estimate({ id, plant }: Site, slot: number): Promise<void> {
    const { clock, telemetry } = this.#options;
    const number = slotNumber(slot);
    const settings = plant.slots.find((each) => each.slot === slot);
    if (number === undefined || settings === undefined) return;
    const now = clock.now();
    const live = telemetry.live(id);
    await this.#noteTemperature(id, number);
    const { isStuck } = this.#sensor(id, number);
    const last = (reading: "soc_pct" | "temperature_c") => {
      const isOld = reading === "temperature_c" && isStuck;
      const known = isOld ? this.#temperatures.get(keyOf(id, slot)) : live[readingOfSlot(number, reading)];
      return known !== undefined && now.getTime() - known.at.getTime() < OLDEST_MS ? known : undefined;
    };
    const key = keyOf(id, slot);
    const { vehicle, store } = settings;
    const [soc, temperature] = [last("soc_pct"), last("temperature_c")];
    const plan = this.#planOf(id, slot);
    const planned = plan?.stay;
    const stay = planned ?? (vehicle === null ? {} : sinceDeparture(vehicle, now, plant.timezone));
    const known = soc !== undefined && isOfStay(soc.at, stay) ? soc : undefined;
    // Without any report and without the plug nothing is known of a vehicle.
    const arrival = planned === undefined && soc === undefined ? undefined : stay.since;
    const tank = store && (temperature ?? assumedTank(store, await this.#lastFull(id, slot), now));
    const since = vehicle !== null ? (known?.at ?? arrival) : tank?.at;
    if (since === undefined) {
      this.#estimates.delete(key);
      return;
    }
    const measured = await telemetry.slotEnergy(id, number, since, now);
    await this.#observeHeat(id, { slot: number, hotC: settings.store?.legionella_c ?? null, now });
    const energy = measured.length > 0 ? measured : this.#unmeasured(id, slot, since, now);
    const full =
      vehicle !== null && known === undefined ? await this.#fullVehicle(id, slot, stay) : undefined;
    const state = {
      ...(vehicle !== null && {
        socPct: vehicleSocPct(vehicle, {
          known: full ?? known,
          pluggedAt: stay.since,
          leftAt: stay.leftAt,
          energy,
          now,
        }),
      }),
      ...(store !== null &&
        tank !== null && {
          temperatureC: storeTemperatureC(store, {
            known: tank,
            energy,
            now,
            zone: plant.timezone,
            isAssumed: temperature === undefined,
          }),
          ...(temperature === undefined && { isAssumed: true as const }),
        }),
    };
    this.#estimates.set(key, { state, stay: planned });
  }

  /** A vehicle of which nothing is read, and that has charged in its stay and takes no more, is full. */
  async #fullVehicle(siteId: string, slot: number, { since }: Stay): Promise<Known | undefined> {
    const at = since && (await this.#lastFull(siteId, slot, since));
    if (at === undefined || at < since!) return undefined;
    return this.#options.clock.now().getTime() - at.getTime() < FULL_MS ? { value: 100, at } : undefined;
  }

  /** Since when a device that had taken something, of late or `since` then, has taken nothing: one that never does has no power. */
  async #lastFull(siteId: string, slot: number, since?: Date): Promise<Date | undefined> {
    const key = keyOf(siteId, slot);
    const [number, fullAt] = [slotNumber(slot), this.#fullAt.get(key)];
    const idleSince = this.#planOf(siteId, slot)?.idleSince;
    if (number === undefined || idleSince === undefined || idleSince <= (fullAt ?? new Date(0)))
      return fullAt;
    const from = since ?? fullAt ?? new Date(idleSince.getTime() - OLDEST_MS);
    const taken = await this.#options.telemetry.slotEnergy(siteId, number, from, idleSince);
    if (!taken.some(({ kwh }) => kwh > LEAST_KWH)) return fullAt;
    this.#fullAt.set(key, idleSince);
    return idleSince;
  }

  /** Remembers when a tank was last as hot as it has to be against legionella; after a start as stored, else from the history. */
  async #observeHeat(
    siteId: string,
    { slot, hotC, now }: { slot: SlotNumber; hotC: number | null; now: Date },
  ): Promise<void> {
    if (hotC === null) return;
    const key = keyOf(siteId, slot);
    const isHot = (celsius: number) => celsius >= hotC - REACHED_TOLERANCE_C;
    const plan = this.#planOf(siteId, slot);
    const heat =
      this.#heats.get(key) ?? plan?.heat ?? (await this.#heatOfHistory(siteId, { slot, isHot, now }));
    this.#heats.set(key, heat);
    const { temperatureC, isAssumed } = this.state(siteId, slot) ?? {};
    if (temperatureC === undefined || isAssumed === true) return;
    if (isHot(temperatureC)) {
      this.#heats.set(key, { hotAt: now });
      this.#climbs.delete(key);
      return;
    }
    const isDue = now.getTime() > legionellaDueMs(heat) && !isTriedInVain(heat);
    if (!isDue || plan === undefined || slotMoment(plan, now)?.chargeNow !== 1) return;
    const { celsius, since } = this.#climbs.get(key) ?? { celsius: Number.NEGATIVE_INFINITY, since: now };
    if (temperatureC >= celsius + REACHED_TOLERANCE_C)
      this.#climbs.set(key, { celsius: temperatureC, since: now });
    else if (now.getTime() - since.getTime() >= GIVEN_UP_MS) {
      this.#heats.set(key, { ...heat, triedAt: now });
      this.#climbs.delete(key);
    }
  }

  async #heatOfHistory(
    siteId: string,
    { slot, isHot, now }: { slot: SlotNumber; isHot: (celsius: number) => boolean; now: Date },
  ): Promise<TankHeat> {
    const from = new Date(now.getTime() - HISTORY_MS);
    const reading = readingOfSlot(slot, "temperature_c");
    const history = await this.#options.telemetry.readings(siteId, reading, from, now);
    const hotAt = history.findLast(({ value }) => isHot(value))?.at;
    return hotAt === undefined ? {} : { hotAt };
  }
}

/** A tank on its way to a temperature. */
interface Climb {
  celsius: number;
  /** When it was first as hot. */
  since: Date;
}

/**
 * What a tank begins with that nothing has reported of late: at its least temperature, so that it rather gets too hot, for which it has a
 * thermostat; half full when that was open.
 */
function assumedTank({ min_c, max_c }: StoreSettings, fullAt: Date | undefined, now: Date): Known {
  const oldest = new Date(now.getTime() - OLDEST_MS);
  return fullAt !== undefined && fullAt > oldest
    ? { value: (min_c + max_c) / 2, at: fullAt }
    : { value: min_c, at: oldest };
}

/** Where the plug is not read, a stay begins when the vehicle before was to leave. */
function sinceDeparture(vehicle: VehicleSettings, now: Date, zone: string): Stay {
  const from = new Date(now.getTime() - OLDEST_MS);
  const leftAt = departuresOf(vehicle, { now: from, until: now, zone }).at(-1);
  return { since: leftAt, leftAt };
}

function keyOf(siteId: string, slot: number): string {
  return `${siteId} ${slot}`;
}
