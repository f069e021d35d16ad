import type { Site } from "../../config/site.js";
import type { SiteParts, SiteRuntime, SiteRuntimes } from "../../config/site-runtimes.js";
import { type Bus, subscribe } from "../../core/bus.js";
import { floorTo, MINUTE_MS, QUARTER_MS } from "../../core/domain/interval.js";
import { errorMessage } from "../../core/error-message.js";
import type { Log } from "../../core/log.js";
import { type Cancel, type Clock, onEach } from "../../core/time/clock.js";
import { addDays, localDate } from "../../core/time/zone.js";
import type { SitePlan } from "../../plan/site-plan.js";
import type { FlexService } from "../../plan/windows/service.js";
import type { Ledger } from "./ledger.js";
import type { DayIncidents } from "./ledger-day.js";
import type { PlannedSlotKwh } from "./planned-day.js";
import { promiseOf } from "./promise.js";
import { type SavingsNow, savingsNow, savingsOn, storedDays } from "./savings-view.js";

export interface LedgerServiceOptions {
  clock: Clock;
  bus: Bus;
  sites: SiteRuntimes;
  ledger: Ledger;
  /** Planned energy of the flexible devices; left out: there are none. */
  flex?: Pick<FlexService, "current" | "flexLoad">;
  log: Pick<Log, "warn">;
}

interface SiteSavings {
  runtime: SiteRuntime;
  now?: SavingsNow;
  /** Date of the last promise that was recorded or dropped. */
  promised?: string;
  /** The date of the installation is recorded. */
  isInstalled: boolean;
  /** The last incident that was recorded, with its date. */
  incident?: string;
  /** Days long ago may have to be computed again. */
  isChanged: boolean;
  /** Days with late telemetry that are marked. */
  late: Set<string>;
}

/** A reading that comes this long after its quarter-hour is late, and how long others are waited for. */
const LATE_MS = 5 * MINUTE_MS;
const LATE_WAIT_MS = MINUTE_MS;
/** Days that every quarter-hour looks back for; more only after something has changed. */
const RECENT_DAYS = 2;
const LOOK_BACK_DAYS = 400;

/**
 * Keeps the ledgers: records what the plan of each morning promises, computes the days that are over in the background, and
 * today so far every quarter-hour.
 */
export class LedgerService {
  readonly #options: LedgerServiceOptions;
  readonly #sites: SiteParts<SiteSavings>;
  readonly #stops: Cancel[] = [];
  #refreshing: Promise<void> | undefined;
  /** Late samples are being waited for. */
  #cancelLate: Cancel | undefined;
  /** Something changed during a run. */
  #again = false;
  #stopped = false;

  constructor(options: LedgerServiceOptions) {
    this.#options = options;
    this.#sites = options.sites.parts({
      create: (runtime): SiteSavings => ({ runtime, isInstalled: false, isChanged: true, late: new Set() }),
    });
  }

  /** Takes over older records and starts to compute in the background. Throws StoreError. */
  async start(): Promise<void> {
    const { bus, clock, flex, ledger } = this.#options;
    await this.#sites.forAll(({ runtime }) => ledger.migrate(runtime.site));
    // Devices were planned before this listens.
    for (const part of this.#sites)
      if (flex?.current(part.runtime.site.id).some(({ result }) => result !== undefined))
        this.#onControl(part, clock.now());
    this.#stops.push(
      subscribe(bus, {
        "plan.updated": (plan) => this.#onPlan(plan),
        "telemetry.stored": ({ siteId, samples }) => {
          for (const { at } of samples) this.#onSample(siteId, at);
        },
        "slots.updated": ({ siteId }) => {
          const part = this.#sites.get(siteId);
          if (part !== undefined) this.#onControl(part, clock.now());
        },
        "following.changed": ({ siteId, state }) => {
          const part = this.#sites.get(siteId);
          if (part !== undefined && state === "no")
            this.#onIncident(part, localDate(clock.now(), part.runtime.site.plant.timezone), "notFollowed");
        },
        "site.removed": ({ siteId }) => ledger.drop(siteId),
        "meter.changed": ({ siteId }) => this.#onChange(siteId),
        "price.updated": () => {
          for (const part of this.#sites) part.isChanged = true;
        },
        "site.changed": (site) => {
          // The promise of the day was made for other settings.
          const today = localDate(clock.now(), site.plant.timezone);
          this.#sites.of(site.id).promised = today;
          this.#guard(site.id, ledger.promise(site.id, today, null));
          this.#onChange(site.id);
        },
      }),
      onEach(clock, QUARTER_MS, () => this.#refresh()),
    );
    this.#refresh();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelLate?.();
    for (const stop of this.#stops.splice(0)) stop();
    await this.#refreshing;
    await this.#options.ledger.idle();
  }

  /** Savings of a site today and this month, also in the minutes in which only those of yesterday are computed; undefined before the first computation. */
  now(siteId: string): SavingsNow | undefined {
    const { now, runtime } = this.#sites.get(siteId) ?? {};
    return (
      now && runtime && savingsOn(localDate(this.#options.clock.now(), runtime.site.plant.timezone), now)
    );
  }

  /** Resolves when the days under way are computed. */
  async settled(): Promise<void> {
    await this.#options.ledger.idle();
    while (this.#refreshing !== undefined) await this.#refreshing;
    await this.#options.ledger.idle();
  }

  #onPlan(plan: SitePlan): void {
    const { flex, ledger } = this.#options;
    const part = this.#sites.get(plan.siteId);
    if (part === undefined) return;
    const { timezone } = part.runtime.site.plant;
    const today = localDate(plan.issuedAt, timezone);
    this.#onControl(part, plan.issuedAt);
    if (plan.override !== undefined) this.#onIncident(part, today, "overridden");
    const made = promiseOf(plan, timezone, (hours) => flex?.flexLoad(plan.siteId, hours) ?? []);
    if (made === undefined || part.promised === made.date) return;
    part.promised = made.date;
    const slots = part.runtime.site.plant.slots.map(({ slot }) => slot);
    const slotKwh: PlannedSlotKwh = (slot, intervals) =>
      flex?.flexLoad(
        plan.siteId,
        intervals,
        slots.filter((one) => one !== slot),
      ) ?? [];
    this.#guard(plan.siteId, ledger.promisePlan(part.runtime.site, made, { plan, slotKwh }));
    this.#guard(plan.siteId, ledger.forecast(plan.siteId, made.next.date, made.next.forecast));
  }

  /** Something of the site is planned, its battery or a device: what is saved counts from the first day of that on. */
  #onControl(part: SiteSavings, at: Date): void {
    if (part.isInstalled) return;
    part.isInstalled = true;
    const { id, plant } = part.runtime.site;
    this.#guard(id, this.#options.ledger.installed(id, localDate(at, plant.timezone)));
  }

  #onIncident(part: SiteSavings, date: string, incident: keyof DayIncidents): void {
    if (part.incident === `${date} ${incident}`) return;
    part.incident = `${date} ${incident}`;
    const { id } = part.runtime.site;
    this.#guard(id, this.#options.ledger.incident(id, date, { [incident]: true }));
  }

  /** A late sample changes its day, or today so far. */
  #onSample(siteId: string, at: Date): void {
    const { clock, ledger } = this.#options;
    const part = this.#sites.get(siteId);
    const now = clock.now();
    if (part === undefined || at.getTime() >= floorTo(now.getTime() - LATE_MS, QUARTER_MS)) return;
    const { timezone: zone } = part.runtime.site.plant;
    const date = localDate(at, zone);
    if (date >= localDate(now, zone)) ledger.forgetToday(siteId);
    else if (!part.late.has(date)) {
      part.late.add(date);
      part.isChanged = true;
      this.#guard(siteId, ledger.invalidate(siteId, date));
    }
    this.#cancelLate ??= clock.at(new Date(now.getTime() + LATE_WAIT_MS), () => {
      this.#cancelLate = undefined;
      this.#refresh();
    });
  }

  #onChange(siteId: string): void {
    const part = this.#sites.get(siteId);
    if (part !== undefined) part.isChanged = true;
    this.#refresh();
  }

  /** Computes what is missing; one run at a time. */
  #refresh(): void {
    if (this.#refreshing !== undefined) {
      this.#again = true;
      return;
    }
    this.#refreshing = this.#refreshAll().finally(() => {
      this.#refreshing = undefined;
      const again = this.#again && !this.#stopped;
      this.#again = false;
      if (again) this.#refresh();
    });
  }

  async #refreshAll(): Promise<void> {
    for (const part of this.#sites) {
      const { site } = part.runtime;
      try {
        await this.#publishNow(part, site);
        await this.#closeDays(part, site);
      } catch (error) {
        this.#warn(site.id, error);
      }
      if (this.#stopped) return;
    }
  }

  async #closeDays(part: SiteSavings, site: Site): Promise<void> {
    const { clock, ledger, sites } = this.#options;
    const { isChanged } = part;
    part.isChanged = false;
    part.late.clear();
    const from = addDays(
      localDate(clock.now(), site.plant.timezone),
      isChanged ? -LOOK_BACK_DAYS : -RECENT_DAYS,
    );
    const isStopped = () => this.#stopped || sites.get(site.id)?.plant !== site.plant;
    const computed = await ledger.update(site, { from, isStopped });
    if (computed > 0) await this.#publishNow(part, site);
  }

  async #publishNow(part: SiteSavings, site: Site): Promise<void> {
    const { bus, clock, ledger, sites } = this.#options;
    await ledger.soFar(site, { again: true });
    const days = await storedDays(ledger, site, clock.now());
    if (sites.get(site.id) === undefined) return;
    part.now = savingsNow(days);
    bus.emit("savings.updated", { siteId: site.id });
  }

  #guard(siteId: string, work: Promise<void>): void {
    work.catch((error: unknown) => this.#warn(siteId, error));
  }

  #warn(site: string, err: unknown): void {
    this.#options.log.warn({ site, err }, `The ledger was not updated: ${errorMessage(err)}`);
  }
}
