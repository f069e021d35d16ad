import type { SiteParts, SiteRuntimes } from "../../config/site-runtimes.js";
import { type Bus, subscribe } from "../../core/bus.js";
import { contains, DAY_MS, QUARTER_MS } from "../../core/domain/interval.js";
import { SLOT_NUMBERS } from "../../core/domain/slot.js";
import type { Log } from "../../core/log.js";
import { recordOf } from "../../core/net/json.js";
import { hasFields, isMaybe, isOneOf, isTimeText } from "../../core/shape.js";
import { type Cancel, type Clock, onEach } from "../../core/time/clock.js";
import { SerialQueue } from "../../core/work/serial-queue.js";
import type { DocumentArchive } from "../../store/archive.js";
import { isStepReason, type StepReason } from "../explain.js";
import type { SitePlan } from "../site-plan.js";
import type { SlotPlan } from "../windows/slot-schedule.js";
import { slotMoment } from "../windows/slot-schedule.js";

export const BATTERY_COMMANDS = ["charge", "hold", "standby", "discharge", "block"] as const;

/** What the battery was commanded to do, or the number of the slot of a device that ran. */
export type CommandName = (typeof BATTERY_COMMANDS)[number] | number;

/** A command that was in force from `start` to `end`. */
export interface PastCommand {
  name: CommandName;
  start: Date;
  end: Date;
  /** Undefined for a device that ran by its schedule. */
  reason: StepReason | undefined;
}

export interface CommandHistoryOptions {
  clock: Clock;
  bus: Bus;
  sites: SiteRuntimes;
  plans: { current(siteId: string): SitePlan | undefined };
  flex: { current(siteId: string): readonly SlotPlan[] };
  documents: DocumentArchive;
  log: Pick<Log, "warn">;
}

interface SiteLog {
  siteId: string;
  past: PastCommand[];
  /** In force now; `end` is when that was last checked. */
  present: PastCommand[];
}

const KEPT_MS = 2 * DAY_MS;
/** A limit for commands that change all the time. */
const MOST_KEPT = 500;

/**
 * Keeps which commands were in force in the last 48 hours, on disk at each change and each quarter-hour. What was in force
 * while the gateway did not run is not known.
 */
export class CommandHistory {
  readonly #options: CommandHistoryOptions;
  readonly #sites: SiteParts<SiteLog>;
  readonly #writes = new SerialQueue();
  readonly #stops: Cancel[] = [];

  constructor(options: CommandHistoryOptions) {
    this.#options = options;
    this.#sites = options.sites.parts({
      create: ({ site }): SiteLog => ({ siteId: site.id, past: [], present: [] }),
    });
  }

  /** Reads what is stored, and begins to record. Throws StoreError. */
  async start(): Promise<void> {
    const { bus, clock, documents } = this.#options;
    const now = clock.now();
    await this.#sites.forAll(async (site) => {
      const stored = commandsFrom(await documents.get(nameOf(site)));
      site.past = stored.filter(({ start, end }) => start < end && end <= now);
    });
    const check = ({ siteId }: { siteId: string }) => {
      const site = this.#sites.get(siteId);
      if (site !== undefined) this.#check(site);
    };
    this.#stops.push(
      subscribe(bus, {
        "plan.updated": check,
        "slots.updated": check,
      }),
      onEach(clock, QUARTER_MS, () => {
        for (const site of this.#sites) this.#check(site, true);
      }),
    );
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops.splice(0)) stop();
    for (const site of this.#sites) this.#check(site, true);
    await this.#writes.idle();
  }

  /** The commands of a site that ended after `from`, those in force up to now; in order of their start. */
  since(siteId: string, from: Date): PastCommand[] {
    const { past, present } = this.#sites.get(siteId) ?? { past: [], present: [] };
    const now = this.#options.clock.now();
    return [...past, ...present.map((command) => ({ ...command, end: now }))]
      .filter(({ start, end }) => end > from && start < now)
      .sort((a, b) => a.start.getTime() - b.start.getTime());
  }

  /** Compares what is in force now with what was; `isDue`: is written even without a change. */
  #check(site: SiteLog, isDue = false): void {
    const { clock, plans, flex } = this.#options;
    const { siteId } = site;
    const now = clock.now();
    const wanted = [
      ...batteryCommands(plans.current(siteId), now),
      ...deviceCommands(flex.current(siteId), now),
    ];
    const goesOn = (command: Pick<PastCommand, "name" | "reason">) =>
      site.present.find(({ name, reason }) => name === command.name && reason?.code === command.reason?.code);
    const present = wanted.map((command) => ({ start: now, ...goesOn(command), ...command, end: now }));
    const ended = site.present
      .filter(
        (command) => !present.some(({ name, start }) => name === command.name && start === command.start),
      )
      .map((command) => ({ ...command, end: now }));
    const hasChanged = ended.length > 0 || present.length > site.present.length;
    const oldest = new Date(now.getTime() - KEPT_MS);
    // A replay that begins again is before what is stored.
    site.past = [...site.past, ...ended]
      .filter(({ start, end }) => end > oldest && start < now && end > start)
      .slice(-MOST_KEPT);
    site.present = present;
    if (hasChanged || (isDue && present.length > 0)) this.#write(site);
  }

  #write(site: SiteLog): void {
    const { documents, log } = this.#options;
    const { siteId } = site;
    void this.#writes
      .run(async () => {
        // It may have been removed meanwhile.
        if (this.#sites.get(siteId) !== site) return;
        await documents.put(nameOf(site), { commands: [...site.past, ...site.present] });
      })
      .catch((err: unknown) => log.warn({ site: siteId, err }, "The past commands could not be written."));
  }
}

function batteryCommands(plan: SitePlan | undefined, now: Date): Pick<PastCommand, "name" | "reason">[] {
  const hour = plan?.days.flatMap(({ hours }) => hours).find((one) => contains(one, now));
  if (plan === undefined || hour === undefined) return [];
  const isOn: Record<(typeof BATTERY_COMMANDS)[number], boolean> = {
    charge: plan.scalars.chargeNow === 1,
    hold: hour.action === "hold" && hour.mode !== "standby",
    standby: hour.mode === "standby",
    discharge: hour.action === "discharge" || hour.action === "export",
    block: hour.mode === "block",
  };
  return BATTERY_COMMANDS.filter((name) => isOn[name]).map((name) => ({ name, reason: hour.reason }));
}

function deviceCommands(slots: readonly SlotPlan[], now: Date): Pick<PastCommand, "name" | "reason">[] {
  return slots
    .filter((plan) => plan.plugged !== 0 && slotMoment(plan, now)?.chargeNow === 1)
    .map(({ slot, override }) => ({
      name: slot,
      reason: override?.action === "run" ? { code: "override", figures: {} } : undefined,
    }));
}

const isStored = hasFields<Omit<PastCommand, "start" | "end"> & { start: string; end: string }>({
  name: isOneOf([...BATTERY_COMMANDS, ...SLOT_NUMBERS]),
  start: isTimeText,
  end: isTimeText,
  reason: isMaybe(isStepReason),
});

function commandsFrom(stored: unknown): PastCommand[] {
  const { commands } = recordOf(stored);
  return (Array.isArray(commands) ? commands.filter(isStored) : []).map(({ name, start, end, reason }) => ({
    name,
    start: new Date(start),
    end: new Date(end),
    reason,
  }));
}

function nameOf({ siteId }: SiteLog): string {
  return `commands/${siteId}`;
}
