import type { Site } from "../../config/site.js";
import type { SiteRuntimes } from "../../config/site-runtimes.js";
import { type Bus, subscribe } from "../../core/bus.js";
import { DAY_MS, QUARTER_MS } from "../../core/domain/interval.js";
import { errorMessage } from "../../core/error-message.js";
import type { Log } from "../../core/log.js";
import type { Cancel, Clock } from "../../core/time/clock.js";
import { addDays, dayInterval, localDate } from "../../core/time/zone.js";
import type { SlotPlan } from "../../plan/windows/slot-schedule.js";
import type { Ledger } from "./ledger.js";
import type { QuarterColumns } from "./stored-day.js";

/** What a vehicle has taken since it was plugged in. */
export interface ChargingSession {
  since: Date;
  /** As measured, kWh; undefined: not measured. */
  kwh: number | undefined;
  /** The part from the grid at its price, PV surplus at the price of feed-in, EUR; undefined: not known. */
  costEur: number | undefined;
}

declare module "../../core/bus.js" {
  interface Events {
    /** The charging sessions of a site were computed. */
    "sessions.updated": [{ siteId: string }];
  }
}

export interface ChargingSessionOptions {
  clock: Pick<Clock, "now">;
  bus: Bus;
  sites: SiteRuntimes;
  flex: { current(siteId: string): readonly SlotPlan[] };
  ledger: Pick<Ledger, "quarters" | "quartersSoFar">;
  log: Pick<Log, "warn">;
}

/** A car that stands longer has a session of these days. */
const LONGEST_DAYS = 7;

/** The present charging session of each wallbox whose plug is read, by the quarter-hours of the ledger. */
export class ChargingSessions {
  readonly #options: ChargingSessionOptions;
  readonly #sessions = new Map<string, ReadonlyMap<number, ChargingSession>>();
  #stop: Cancel = () => {};

  constructor(options: ChargingSessionOptions) {
    this.#options = options;
  }

  start(): void {
    this.#stop = subscribe(this.#options.bus, {
      "savings.updated": ({ siteId }) => void this.#update(siteId),
      "slots.updated": ({ siteId }) => {
        if (this.#hasChanged(siteId)) void this.#update(siteId);
      },
      "site.removed": ({ siteId }) => void this.#sessions.delete(siteId),
    });
  }

  async stop(): Promise<void> {
    this.#stop();
  }

  /** The session at a slot; undefined while no vehicle is plugged in, or nothing reads the plug. */
  of(siteId: string, slot: number): ChargingSession | undefined {
    return this.#sessions.get(siteId)?.get(slot);
  }

  /** The wallboxes with a vehicle, and since when it is there. */
  #stays(siteId: string): { slot: number; since: Date }[] {
    return this.#options.flex
      .current(siteId)
      .flatMap(({ slot, plugged, stay }) =>
        plugged === 1 && stay?.since !== undefined ? [{ slot, since: stay.since }] : [],
      );
  }

  /** Whether a vehicle came or left. */
  #hasChanged(siteId: string): boolean {
    const known = this.#sessions.get(siteId);
    const stays = this.#stays(siteId);
    const isKnown = ({ slot, since }: (typeof stays)[number]) =>
      known?.get(slot)?.since.getTime() === since.getTime();
    return stays.length !== (known?.size ?? 0) || !stays.every(isKnown);
  }

  async #update(siteId: string): Promise<void> {
    const { bus, log, sites } = this.#options;
    const site = sites.get(siteId);
    if (site === undefined) return;
    const stays = this.#stays(siteId);
    const before = this.#sessions.get(siteId)?.size ?? 0;
    if (stays.length === 0 && before === 0) return;
    try {
      const sessions = new Map<number, ChargingSession>();
      for (const { slot, since } of stays) sessions.set(slot, await this.#session(site, slot, since));
      this.#sessions.set(siteId, sessions);
      bus.emit("sessions.updated", { siteId });
    } catch (error) {
      log.warn({ site: siteId, err: error }, `A charging session was not computed: ${errorMessage(error)}`);
    }
  }

  async #session(site: Site, slot: number, since: Date): Promise<ChargingSession> {
    const { clock, ledger } = this.#options;
    const { timezone: zone } = site.plant;
    const now = clock.now();
    const today = localDate(now, zone);
    const from = new Date(Math.max(since.getTime(), now.getTime() - LONGEST_DAYS * DAY_MS));
    const parts: SessionPart[] = [];
    for (let date = localDate(from, zone); date <= today; date = addDays(date, 1)) {
      const columns =
        date === today ? await ledger.quartersSoFar(site) : await ledger.quarters(site.id, date);
      if (columns !== undefined)
        parts.push(sessionPart(columns, slot, { start: dayInterval(date, zone).start, from }));
    }
    const sum = (of: (part: SessionPart) => number | undefined) => {
      const known = parts.map(of).filter((value) => value !== undefined);
      return known.length === 0 ? undefined : known.reduce((total, value) => total + value, 0);
    };
    return { since, kwh: sum(({ kwh }) => kwh), costEur: sum(({ costEur }) => costEur) };
  }
}

type SessionPart = Omit<ChargingSession, "since">;

/** What a device took in the quarter-hours of a day that begin at `from` or later. Pure. */
export function sessionPart(
  { importKwh, importCtKwh, exportCtKwh, slots }: QuarterColumns,
  slot: number,
  { start, from }: { start: Date; from: Date },
): SessionPart {
  const energies = slots[slot];
  if (energies === undefined) return { kwh: undefined, costEur: undefined };
  const part = { kwh: 0, ct: 0, isPriced: true };
  for (const [index, kwh] of energies.entries()) {
    // The quarter-hour of the plug counts.
    if (kwh === null || start.getTime() + (index + 1) * QUARTER_MS <= from.getTime()) continue;
    const gridKwh = Math.min(kwh, importKwh[index] ?? kwh);
    const price = importCtKwh[index];
    part.kwh += kwh;
    if (price === null || price === undefined) part.isPriced &&= kwh === 0;
    else part.ct += gridKwh * price + (kwh - gridKwh) * (exportCtKwh[index] ?? price);
  }
  return { kwh: part.kwh, costEur: part.isPriced ? part.ct / 100 : undefined };
}
