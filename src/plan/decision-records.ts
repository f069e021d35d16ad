import type { SiteParts, SiteRuntimes } from "../config/site-runtimes.js";
import { type Bus, subscribe } from "../core/bus.js";
import { contains, DAY_MS, floorTo, HOUR_MS, hoursOf } from "../core/domain/interval.js";
import { errorMessage } from "../core/error-message.js";
import type { Log } from "../core/log.js";
import { recordOf } from "../core/net/json.js";
import { hasFields, isFlag, isNumber, isOneOf } from "../core/shape.js";
import type { Cancel, Clock } from "../core/time/clock.js";
import { SerialQueue } from "../core/work/serial-queue.js";
import type { DocumentArchive } from "../store/archive.js";
import { ACTIONS, type Action, isStepReason, type StepReason } from "./explain.js";
import { presentAction, presentRuns } from "./headline.js";
import type { SitePlan } from "./site-plan.js";

/** What the first plan of an hour knew of it and decided. */
export interface HourDecision {
  /** Start of the hour. */
  atMs: number;
  action: Action;
  reason: StepReason;
  /** State of charge then, and expected at the end of the hour, percent. */
  socPct: number;
  socEndPct: number;
  /** All-in price of import, and whether it was published. */
  priceCtKwh: number;
  isPublished: boolean;
  /** Expected of the whole hour. */
  pvKwh: number;
  loadKwh: number;
}

const isHourDecision = hasFields<HourDecision>({
  atMs: isNumber,
  action: isOneOf(ACTIONS),
  reason: isStepReason,
  socPct: isNumber,
  socEndPct: isNumber,
  priceCtKwh: isNumber,
  isPublished: isFlag,
  pvKwh: isNumber,
  loadKwh: isNumber,
});

export interface DecisionRecordsOptions {
  clock: Pick<Clock, "now">;
  bus: Bus;
  sites: SiteRuntimes;
  documents: DocumentArchive;
  log: Pick<Log, "warn">;
}

/** About 7 kB a day, 2.7 MB in all for a site. */
const KEPT_DAYS = 400;
/** Days that are removed at each change of the day: the gateway may have been off. */
const REMOVED_DAYS = 7;

/** Keeps for each site and hour what was known and decided, in a document of each UTC day. */
export class DecisionRecords {
  readonly #options: DecisionRecordsOptions;
  readonly #sites: SiteParts<{ siteId: string; lastMs: number }>;
  readonly #writes = new SerialQueue();
  readonly #stops: Cancel[] = [];

  constructor(options: DecisionRecordsOptions) {
    this.#options = options;
    this.#sites = options.sites.parts({ create: ({ site }) => ({ siteId: site.id, lastMs: 0 }) });
  }

  start(): void {
    this.#stops.push(subscribe(this.#options.bus, { "plan.updated": (plan) => this.#onPlan(plan) }));
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops.splice(0)) stop();
    await this.#writes.idle();
  }

  /** The record of the hour that contains an instant; undefined: there is none. Throws StoreError. */
  async at(siteId: string, at: Date): Promise<HourDecision | undefined> {
    await this.#writes.idle();
    const hourMs = floorTo(at.getTime(), HOUR_MS);
    return (await this.#day(siteId, hourMs)).find(({ atMs }) => atMs === hourMs);
  }

  #onPlan(plan: SitePlan): void {
    const site = this.#sites.get(plan.siteId);
    const now = this.#options.clock.now();
    const hourMs = floorTo(now.getTime(), HOUR_MS);
    if (site === undefined || site.lastMs === hourMs) return;
    const decision = decisionOf(plan, now, hourMs);
    if (decision === undefined) return;
    site.lastMs = hourMs;
    const { siteId } = site;
    void this.#writes
      .run(() => this.#add(siteId, decision))
      .catch((err: unknown) =>
        this.#options.log.warn(
          { site: siteId, err },
          `What was decided could not be recorded: ${errorMessage(err)}`,
        ),
      );
  }

  async #add(siteId: string, decision: HourDecision): Promise<void> {
    const { documents } = this.#options;
    const hours = await this.#day(siteId, decision.atMs);
    // It may have been removed meanwhile, or the record may be from before a restart.
    if (this.#sites.get(siteId) === undefined || hours.some(({ atMs }) => atMs === decision.atMs)) return;
    await documents.put(nameOf(siteId, decision.atMs), { version: 1, hours: [...hours, decision] });
    if (hours.length > 0) return;
    for (let day = 0; day < REMOVED_DAYS; day++)
      await documents.put(nameOf(siteId, decision.atMs - (KEPT_DAYS + day) * DAY_MS), null);
  }

  async #day(siteId: string, atMs: number): Promise<HourDecision[]> {
    const { version, hours } = recordOf(await this.#options.documents.get(nameOf(siteId, atMs)));
    return version === 1 && Array.isArray(hours) ? hours.filter(isHourDecision) : [];
  }
}

function nameOf(siteId: string, atMs: number): string {
  return `decisions/${siteId}/${new Date(atMs).toISOString().slice(0, 10)}`;
}

/** What a plan knows of the present hour and does in it; undefined for a plan without it. */
function decisionOf(plan: SitePlan, now: Date, atMs: number): HourDecision | undefined {
  const hour = plan.days.flatMap(({ hours }) => hours).find((one) => contains(one, now));
  if (hour === undefined) return undefined;
  const run = presentRuns(plan, now).current;
  const { action, reason } = run
    ? { action: "grid_charge" as const, ...run }
    : (presentAction(plan, now) ?? hour);
  // The first hour of a plan begins with the plan.
  const scale = 1 / Math.max(0.05, Math.min(1, hoursOf(hour)));
  const rounded = (value: number, places = 1000) => Math.round(value * places) / places;
  const figures = Object.fromEntries(
    Object.entries(reason.figures).map(([name, value]) => [name, rounded(value)]),
  );
  return {
    atMs,
    action,
    reason: { code: reason.code, figures },
    socPct: rounded(plan.days[0]?.socStartPct ?? hour.socEndPct, 10),
    socEndPct: rounded(hour.socEndPct, 10),
    priceCtKwh: rounded(hour.totalCtKwh, 100),
    isPublished: hour.source === "day_ahead",
    pvKwh: rounded(hour.pvKwh * scale),
    loadKwh: rounded(hour.loadKwh * scale),
  };
}
