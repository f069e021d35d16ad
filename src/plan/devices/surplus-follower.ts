import type { Site } from "../../config/site.js";
import type { SiteParts, SiteRuntime, SiteRuntimes } from "../../config/site-runtimes.js";
import { chargingPower } from "../../config/slot-rules.js";
import { type Bus, subscribe } from "../../core/bus.js";
import {
  DAY_MS,
  type EnergyStep,
  floorTo,
  HOUR_MS,
  MINUTE_MS,
  QUARTER_MS,
} from "../../core/domain/interval.js";
import { type LiveState, type Reading, readingOfSlot } from "../../core/domain/sample.js";
import { slotNumber } from "../../core/domain/slot.js";
import { type Cancel, type Clock, onEach } from "../../core/time/clock.js";
import { powerBalance } from "../../telemetry/energy-balance.js";
import { loadWithoutVehicles } from "../device-power.js";
import type { SitePlan } from "../site-plan.js";
import type { DeviceState } from "../windows/estimates.js";
import { type SlotPlan, slotMoment } from "../windows/slot-schedule.js";
import {
  type BatteryShare,
  type FollowerState,
  followSurplus,
  IDLE_FOLLOWER,
  observeBattery,
  surplusFor,
  UNSEEN_BATTERY,
} from "./surplus.js";
import { followsSurplus, hasVehicle, surplusDemand } from "./surplus-demand.js";

export interface SurplusFollowerOptions {
  clock: Clock;
  bus: Bus;
  sites: SiteRuntimes;
  telemetry: { live(siteId: string): LiveState };
}

/** Parts that start later. */
export interface FollowedParts {
  flex: {
    current(siteId: string): SlotPlan[];
    setFollowed(siteId: string, slot: number, powerKw: number | undefined): void;
  };
  estimator: { state(siteId: string, slot: number): DeviceState | undefined };
  plans: { current(siteId: string): Pick<SitePlan, "scalars"> | undefined };
}

/** State of one slot. */
interface Follower {
  state: FollowerState;
  /** Energy taken in each quarter-hour, by its start, kWh. */
  taken: Map<number, number>;
  /** Power and time of the last tick. */
  last: { powerKw: number; atMs: number } | undefined;
}

interface FollowingSite {
  runtime: SiteRuntime;
  /** By slot number. */
  followers: Map<number, Follower>;
  battery: BatteryShare;
}

export const TICK_MS = 10_000;
/** Older readings do not show the surplus. */
const FRESH_MS = MINUTE_MS;
/** A longer gap between two ticks was no operation. */
const MOST_GAP_MS = MINUTE_MS;
const KEPT_MS = 2 * DAY_MS;
/** At most this much below `max_soc_pct` the battery is full, percent. */
const FULL_PCT = 0.5;

/**
 * Sets the power of vehicles with `surplus: prefer` or `only` by the measured PV surplus, every ten seconds. While PV and
 * load are not measured, the schedule applies, and a vehicle with `only` waits.
 */
export class SurplusFollower {
  readonly #options: SurplusFollowerOptions;
  readonly #sites: SiteParts<FollowingSite>;
  #parts: FollowedParts | undefined;
  #ticks: Cancel | undefined;
  #unsubscribe: Cancel = () => {};

  constructor(options: SurplusFollowerOptions) {
    this.#options = options;
    this.#sites = options.sites.parts({
      create: (runtime): FollowingSite => ({ runtime, followers: new Map(), battery: UNSEEN_BATTERY }),
    });
  }

  start(parts: FollowedParts): void {
    this.#parts = parts;
    const arm = () => this.#arm();
    this.#unsubscribe = subscribe(this.#options.bus, { "site.changed": arm, "site.removed": arm });
    this.#arm();
  }

  async stop(): Promise<void> {
    this.#unsubscribe();
    this.#ticks?.();
    this.#ticks = undefined;
  }

  /** Energy that the vehicle of a slot took, kWh, as measured or set; undefined for a slot that does not follow the surplus. */
  takenKwh(siteId: string, slot: number, from: Date, to: Date): number | undefined {
    const steps = this.takenSteps(siteId, slot, from, to);
    return steps.length === 0 ? undefined : steps.reduce((sum, { kwh }) => sum + kwh, 0);
  }

  /** The same by quarter-hour, as far as it is known. */
  takenSteps(siteId: string, slot: number, from: Date, to: Date): EnergyStep[] {
    const follower = this.#sites.get(siteId)?.followers.get(slot);
    if (follower === undefined) return [];
    this.#record(follower, undefined);
    return [...follower.taken]
      .filter(([startMs]) => startMs + QUARTER_MS > from.getTime() && startMs < to.getTime())
      .map(([startMs, kwh]) => ({ start: new Date(startMs), end: new Date(startMs + QUARTER_MS), kwh }));
  }

  /** Ticks only where a slot follows the surplus, or may by an override. */
  #arm(): void {
    const { clock, sites } = this.#options;
    const isNeeded = sites.list().some(({ plant }) => plant.slots.some(hasVehicle));
    if (isNeeded) this.#ticks ??= onEach(clock, TICK_MS, () => this.#tick());
    else {
      this.#ticks?.();
      this.#ticks = undefined;
    }
  }

  #tick(): void {
    for (const part of this.#sites) if (part.runtime.site.plant.slots.some(hasVehicle)) this.#follow(part);
  }

  #follow(part: FollowingSite): void {
    const parts = this.#parts;
    if (parts === undefined) return;
    const { site } = part.runtime;
    const now = this.#options.clock.now();
    const nowMs = now.getTime();
    const plans = parts.flex.current(site.id);
    const wallboxes = plans.filter(({ settings }) => settings.kind === "wallbox");
    const powers = new Map(
      wallboxes.map((plan) => [plan.slot, this.#takenKw(site.id, plan, wallboxes.length === 1)]),
    );
    const surplusKw = this.#surplusKw(site);
    for (const plan of wallboxes) {
      const { slot, settings } = plan;
      if (!followsSurplus(settings) || settings.vehicle === null) {
        // An override may just have ended.
        const ended = part.followers.get(slot);
        if (ended !== undefined) this.#end(ended);
        parts.flex.setFollowed(site.id, slot, undefined);
        continue;
      }
      const follower = this.#followerOf(part, slot);
      const ownKw = powers.get(slot) ?? 0;
      this.#record(follower, ownKw);
      const demand = surplusDemand(plan, parts.estimator.state(site.id, slot)?.socPct, now);
      if (demand === undefined) {
        follower.state = IDLE_FOLLOWER;
        parts.flex.setFollowed(site.id, slot, undefined);
        continue;
      }
      if (surplusKw === undefined) {
        follower.state = { ...IDLE_FOLLOWER, startedAtMs: follower.state.startedAtMs };
        parts.flex.setFollowed(site.id, slot, demand.mayImport ? undefined : 0);
        continue;
      }
      const { minKw, maxKw } = chargingPower(settings.vehicle, settings.power_kw);
      const othersKw = [...powers].reduce((sum, [other, kw]) => (other === slot ? sum : sum + kw), 0);
      const sitePowers = { surplusKw, othersKw, batteryKw: this.#fresh(site.id, "battery_power_kw"), ownKw };
      const seen = observeBattery(part.battery, sitePowers, nowMs);
      part.battery = seen;
      const batteryMostKw = this.#batteryMostKw(site, parts);
      const roomKw = (site.plant.grid.import_limit_kw ?? Number.POSITIVE_INFINITY) + surplusKw - othersKw;
      follower.state = followSurplus(
        follower.state,
        {
          nowMs,
          surplusKw: surplusFor(sitePowers, { isFirst: demand.isFirst, batteryMostKw, seen }),
          plannedKw: demand.plannedKw,
          wanted: demand.wanted,
        },
        { minPowerKw: Math.min(minKw, maxKw), maxPowerKw: Math.min(maxKw, roomKw) },
      );
      powers.set(slot, follower.state.powerKw);
      parts.flex.setFollowed(site.id, slot, follower.state.powerKw);
    }
  }

  /** PV power less the load without vehicles, kW; undefined unless both were measured within a minute. */
  #surplusKw({ id, plant }: Site): number | undefined {
    const balance = powerBalance(plant, (reading) => this.#fresh(id, reading));
    const loadKw = loadWithoutVehicles(balance);
    return balance.pvKw === undefined || loadKw === undefined ? undefined : balance.pvKw - loadKw;
  }

  /** What a wallbox takes, kW: as measured, else as set. */
  #takenKw(siteId: string, plan: SlotPlan, isOnly: boolean): number {
    const number = slotNumber(plan.slot);
    const measured =
      number === undefined ? undefined : this.#fresh(siteId, readingOfSlot(number, "power_kw"));
    const vehicles = isOnly ? this.#fresh(siteId, "ev_power_kw") : undefined;
    return measured ?? vehicles ?? slotMoment(plan, this.#options.clock.now())?.powerKw ?? 0;
  }

  /** Power that the battery takes before a vehicle, kW. */
  #batteryMostKw({ id, plant }: Site, { plans }: FollowedParts): number {
    const { battery } = plant;
    if (battery === null) return 0;
    const socPct = this.#options.telemetry.live(id).soc_pct?.value;
    if (socPct !== undefined && socPct >= battery.max_soc_pct - FULL_PCT) return 0;
    const scalars = plans.current(id)?.scalars;
    if (scalars === undefined) return battery.max_charge_power_kw;
    const plannedKw = scalars.chargeNow === 1 ? scalars.chargePowerKw : scalars.chargeCapKw;
    return Math.min(battery.max_charge_power_kw, plannedKw);
  }

  #fresh(siteId: string, reading: Reading): number | undefined {
    const last = this.#options.telemetry.live(siteId)[reading];
    const ageMs = last === undefined ? Infinity : this.#options.clock.now().getTime() - last.at.getTime();
    return Math.abs(ageMs) <= FRESH_MS ? last?.value : undefined;
  }

  #followerOf({ followers }: FollowingSite, slot: number): Follower {
    const follower = followers.get(slot) ?? { state: IDLE_FOLLOWER, taken: new Map(), last: undefined };
    followers.set(slot, follower);
    return follower;
  }

  /** From now on the vehicle takes what is planned, which is not counted here. */
  #end(follower: Follower): void {
    this.#record(follower, undefined);
    follower.last = undefined;
    follower.state = IDLE_FOLLOWER;
  }

  /** Adds the energy since the last tick; `powerKw` is the present power, left out: as at the last tick. */
  #record(follower: Follower, powerKw: number | undefined): void {
    const nowMs = this.#options.clock.now().getTime();
    const { last, taken } = follower;
    const gapMs = last === undefined ? 0 : nowMs - last.atMs;
    if (last !== undefined && gapMs > 0 && gapMs <= MOST_GAP_MS) {
      // The tick at the end of a quarter-hour belongs to it.
      const quarterMs = floorTo(nowMs - 1, QUARTER_MS);
      taken.set(quarterMs, (taken.get(quarterMs) ?? 0) + (last.powerKw * gapMs) / HOUR_MS);
    }
    const kw = powerKw ?? last?.powerKw;
    follower.last = kw === undefined ? undefined : { powerKw: kw, atMs: nowMs };
    for (const startMs of taken.keys()) if (startMs < nowMs - KEPT_MS) taken.delete(startMs);
  }
}
