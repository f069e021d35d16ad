import type { SiteParts, SiteRuntimes } from "../config/site-runtimes.js";
import { type Bus, subscribe } from "../core/bus.js";
import { DAY_MS, HOUR_MS } from "../core/domain/interval.js";
import type { Cancel, Clock } from "../core/time/clock.js";
import type { StartBudget } from "../plan/windows/switching.js";
import type { ActuatorStatus } from "./status.js";

/** What is needed of the actuators of a site. */
type SwitchStatus = Pick<
  ActuatorStatus,
  "id" | "controls" | "enabled" | "dryRun" | "accepted" | "confirmed" | "writesToday" | "maxWritesPerDay"
>;

/** The actuators of the sites. */
interface Switches {
  list(siteId: string): readonly SwitchStatus[];
  /** The power that the device of an actuator takes when it is asked for one, kW. */
  takenKw(siteId: string, id: string, askedKw: number): number;
}

export interface SlotSwitchesOptions {
  clock: Clock;
  bus: Bus;
  sites: SiteRuntimes;
}

/** A time for which the device of a slot confirmed that it is on; `to` is open while it is. */
interface Confirmed {
  slot: number;
  from: number;
  to: number | undefined;
}

const KEPT_MS = 2 * DAY_MS;

/** Commands of a day that are not planned: for overrides, exits and limits. */
const RESERVED_COMMANDS = 2;

/**
 * What the plan has to know of the actuators of slots: for how long they confirmed that the device is on, how often they may switch,
 * and with which power.
 */
export class SlotSwitches {
  readonly #options: SlotSwitchesOptions;
  readonly #sites: SiteParts<{ times: Confirmed[] }>;
  #actuators: Switches = { list: () => [], takenKw: (_site, _id, askedKw) => askedKw };
  #unsubscribe: Cancel = () => {};

  constructor(options: SlotSwitchesOptions) {
    this.#options = options;
    this.#sites = options.sites.parts({ create: () => ({ times: [] }) });
  }

  /** The actuators start later than the plans that need their time. */
  start(actuators: Switches): void {
    this.#actuators = actuators;
    this.#unsubscribe = subscribe(this.#options.bus, {
      "actuator.changed": ({ siteId }) => this.#update(siteId),
    });
  }

  async stop(): Promise<void> {
    this.#unsubscribe();
  }

  /** Hours for which a slot was confirmed to be on, from `from` until now; undefined for one that no actuator switches. */
  confirmedHours(siteId: string, slot: number, from: Date): number | undefined {
    if (this.#switchOf(siteId, slot) === undefined) return undefined;
    const nowMs = this.#options.clock.now().getTime();
    const ms = (this.#sites.get(siteId)?.times ?? [])
      .filter((time) => time.slot === slot)
      .reduce((sum, time) => sum + Math.max(0, (time.to ?? nowMs) - Math.max(time.from, from.getTime())), 0);
    return ms / HOUR_MS;
  }

  /** The starts that the actuator of a slot has commands for; undefined: none switches it. */
  startBudget(siteId: string, slot: number): StartBudget | undefined {
    const actuator = this.#switchOf(siteId, slot);
    if (actuator === undefined) return undefined;
    const { maxWritesPerDay, writesToday } = actuator;
    const planned = maxWritesPerDay - RESERVED_COMMANDS;
    // A run that has begun also needs its end.
    const pending = isOn(actuator) ? 1 : 0;
    const starts = (commands: number) => Math.max(0, Math.floor(commands / 2));
    return { leftToday: starts(planned - writesToday - pending), perDay: starts(planned) };
  }

  /** The power that the device of a slot takes when it is asked for one, kW: whole amperes of a wallbox, for example. */
  takenKw(siteId: string, slot: number, askedKw: number): number {
    const actuator = this.#switchOf(siteId, slot);
    return actuator === undefined ? askedKw : this.#actuators.takenKw(siteId, actuator.id, askedKw);
  }

  #switchOf(siteId: string, slot: number): SwitchStatus | undefined {
    return this.#switches(siteId).find(({ controls }) => controls === `slot ${slot}`);
  }

  #switches(siteId: string): readonly SwitchStatus[] {
    return this.#actuators.list(siteId).filter(({ enabled, dryRun }) => enabled && !dryRun);
  }

  #update(siteId: string): void {
    const site = this.#sites.get(siteId);
    if (site === undefined) return;
    const nowMs = this.#options.clock.now().getTime();
    const on = new Set(
      this.#switches(siteId)
        .filter(isOn)
        .map(({ controls }) => Number(controls.replace("slot ", ""))),
    );
    for (const time of site.times) if (time.to === undefined && !on.has(time.slot)) time.to = nowMs;
    for (const slot of on)
      if (!site.times.some((time) => time.slot === slot && time.to === undefined))
        site.times.push({ slot, from: nowMs, to: undefined });
    site.times = site.times.filter(({ to }) => to === undefined || to > nowMs - KEPT_MS);
  }
}

/** A device that does not report its state counts by what its controller has accepted. */
function isOn({ confirmed, accepted }: Pick<SwitchStatus, "confirmed" | "accepted">): boolean {
  return (confirmed ?? accepted)?.state === "on";
}
