import type { Site } from "../../config/site.js";
import { type Bus, subscribe } from "../../core/bus.js";
import { DAY_MS, type EnergyStep, MINUTE_MS } from "../../core/domain/interval.js";
import { type LiveState, type Reading, readingOfSlot } from "../../core/domain/sample.js";
import { type SlotNumber, slotNumber } from "../../core/domain/slot.js";
import { errorMessage } from "../../core/error-message.js";
import type { Log } from "../../core/log.js";
import { type Cancel, type Clock, onEach } from "../../core/time/clock.js";
import { SerialQueue } from "../../core/work/serial-queue.js";
import type { DeviceState } from "../windows/estimates.js";
import { storeTemperatureC, vehicleSocPct } from "../windows/estimates.js";
import type { SlotPlan } from "../windows/slot-schedule.js";
import { REACHED_TOLERANCE_C } from "./legionella.js";

export interface DeviceEstimatorOptions {
  clock: Clock;
  bus: Bus;
  sites: { list(): readonly Site[] };
  telemetry: {
    live(siteId: string): LiveState;
    slotState(siteId: string, slot: SlotNumber): DeviceState | undefined;
    slotEnergy(siteId: string, slot: SlotNumber, from: Date, to: Date): Promise<EnergyStep[]>;
    readings(siteId: string, reading: Reading, from: Date, to: Date): Promise<{ at: Date; value: number }[]>;
  };
  /** Energy that was set for a slot whose device is not measured. */
  follower: { takenSteps(siteId: string, slot: number, from: Date, to: Date): EnergyStep[] };
  log: Pick<Log, "warn">;
}

const EVERY_MS = 5 * MINUTE_MS;
const HISTORY_MS = 8 * DAY_MS;
/** Older values say nothing of a tank or a vehicle. */
const OLDEST_MS = 7 * DAY_MS;

/**
 * State of charge of vehicles and temperature of tanks: as reported, else estimated every five minutes from the last report
 * and the energy measured since.
 */
export class DeviceEstimator {
  readonly #options: DeviceEstimatorOptions;
  readonly #estimates = new Map<string, DeviceState>();
  /** When the vehicle of a slot was plugged in; unknown after a start. */
  readonly #pluggedAt = new Map<string, Date>();
  readonly #isPlugged = new Map<string, boolean>();
  /** When tanks were last as hot as their `legionella_c`; undefined: never within the history. */
  readonly #hotAt = new Map<string, Date | undefined>();
  readonly #work = new SerialQueue();
  #stops: Cancel[] = [];

  constructor(options: DeviceEstimatorOptions) {
    this.#options = options;
  }

  /** `flex` has the slots of a site with their plug states. */
  start(flex: { current(siteId: string): readonly SlotPlan[] }): void {
    const { bus, clock } = this.#options;
    this.#stops = [
      subscribe(bus, { "slots.updated": ({ siteId }) => this.#onSlots(siteId, flex.current(siteId)) }),
      onEach(clock, EVERY_MS, () => this.#update()),
    ];
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
    const measured = this.#options.telemetry.slotState(siteId, number);
    const estimated = this.#estimates.get(keyOf(siteId, slot));
    if (measured === undefined && estimated === undefined) return undefined;
    const hotAt = this.#hotAt.get(keyOf(siteId, slot));
    return { ...estimated, ...measured, ...(hotAt !== undefined && { hotAt }) };
  }

  #onSlots(siteId: string, plans: readonly SlotPlan[]): void {
    for (const { slot, plugged } of plans) {
      const key = keyOf(siteId, slot);
      const isPlugged = plugged !== 0;
      if (isPlugged && this.#isPlugged.get(key) === false)
        this.#pluggedAt.set(key, this.#options.clock.now());
      this.#isPlugged.set(key, isPlugged);
    }
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
    const last = (reading: "soc_pct" | "temperature_c") => {
      const known = live[readingOfSlot(number, reading)];
      return known !== undefined && now.getTime() - known.at.getTime() < OLDEST_MS ? known : undefined;
    };
    const key = keyOf(id, slot);
    const { vehicle, store } = settings;
    const [soc, temperature] = [last("soc_pct"), last("temperature_c")];
    const pluggedAt = this.#pluggedAt.get(key);
    const since = vehicle !== null ? (soc?.at ?? pluggedAt) : temperature?.at;
    if (since === undefined) {
      this.#estimates.delete(key);
      return;
    }
    const measured = await telemetry.slotEnergy(id, number, since, now);
    await this.#observeHeat(id, { slot: number, hotC: settings.store?.legionella_c ?? null, now });
    const energy = measured.length > 0 ? measured : this.#options.follower.takenSteps(id, slot, since, now);
    this.#estimates.set(key, {
      ...(vehicle !== null && { socPct: vehicleSocPct(vehicle, { known: soc, pluggedAt, energy, now }) }),
      ...(store !== null &&
        temperature !== undefined && {
          temperatureC: storeTemperatureC(store, { known: temperature, energy, now, zone: plant.timezone }),
        }),
    });
  }

  /** Remembers when a tank was last as hot as it has to be against legionella; after a start from the history. */
  async #observeHeat(
    siteId: string,
    { slot, hotC, now }: { slot: SlotNumber; hotC: number | null; now: Date },
  ): Promise<void> {
    if (hotC === null) return;
    const key = keyOf(siteId, slot);
    const isHot = (celsius: number) => celsius >= hotC - REACHED_TOLERANCE_C;
    if (!this.#hotAt.has(key)) {
      const from = new Date(now.getTime() - HISTORY_MS);
      const reading = readingOfSlot(slot, "temperature_c");
      const history = await this.#options.telemetry.readings(siteId, reading, from, now);
      this.#hotAt.set(key, history.findLast(({ value }) => isHot(value))?.at);
    }
    const { temperatureC } = this.state(siteId, slot) ?? {};
    if (temperatureC !== undefined && isHot(temperatureC)) this.#hotAt.set(key, now);
  }
}

function keyOf(siteId: string, slot: number): string {
  return `${siteId} ${slot}`;
}
