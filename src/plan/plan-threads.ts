import { availableParallelism } from "node:os";
import { programModule } from "../core/installation.js";
import type { Log } from "../core/log.js";
import { Turns } from "../core/work/turns.js";
import { WorkError } from "../core/work/work-error.js";
import { WorkPool } from "../core/work/work-pool.js";
import type { PlanTask } from "./plan-tasks.js";
import type { PlanWork } from "./plan-worker.js";
import type { SitePlan } from "./site-plan.js";

/**
 * From this number of sites on, loads are sampled in threads: a plan with sampled loads takes tens of milliseconds, and a thread
 * needs 55 MB.
 */
const MANY_SITES = 20;
/** One processor is left for the main thread. */
const MOST_THREADS = Math.min(4, Math.max(1, availableParallelism() - 1));
/** After a thread has failed, plans are computed in the main thread for this long. */
const PAUSE_MS = 60_000;
const TIME_MS = 30_000;
/** A plan needs less than a tenth of it. */
const MEMORY_MB = 256;

/** What is used of the pool of threads. */
export interface PlanPool {
  readonly free: number;
  run(name: "plan", task: PlanTask, options: { owner: string }): Promise<SitePlan>;
  stop(): Promise<void>;
}

interface PlanThreadsOptions<Site> {
  sites(): number;
  /** The task of a site that is due; undefined if it has none. Runs in an event loop turn of its own. */
  task: (site: Site) => PlanTask | undefined;
  onPlan: (site: Site, plan: SitePlan) => void;
  /** Plans in this thread: there are few sites, or threads have failed. */
  planHere: (site: Site) => void;
  log: Pick<Log, "warn">;
  /** Left out: `startPlanPool`. */
  planPool?: PlanPool;
}

/** Computes plans with sampled loads: in threads for many sites, else here after what the event loop has to send. */
export class PlanThreads<Site> {
  readonly #options: PlanThreadsOptions<Site>;
  readonly #pool: PlanPool;
  readonly #due = new Set<Site>();
  readonly #here: Turns<Site, true>;
  /** The tasks in progress whose results count. */
  readonly #tasks = new Map<Site, PlanTask>();
  #next: NodeJS.Immediate | undefined;
  #pausedUntilMs = -Infinity;

  constructor(options: PlanThreadsOptions<Site>) {
    this.#options = options;
    this.#pool = options.planPool ?? startPlanPool();
    this.#here = new Turns((site) => options.planHere(site), undefined, { isFirstAtOnce: false });
  }

  /** Whether plans are computed in this thread, which does not take long. */
  isHere(): boolean {
    return this.#options.sites() < MANY_SITES || performance.now() < this.#pausedUntilMs;
  }

  /** Computes a plan of the site soon, unless one is in progress. */
  add(site: Site): void {
    if (this.isHere()) this.#here.add([site], true);
    else if (!this.#tasks.has(site)) {
      this.#due.add(site);
      this.#scheduleNext();
    }
  }

  /** Computes now what is due here. */
  settle(site: Site): void {
    this.#here.runNow(site);
  }

  /** Discards the result of the plan in progress. */
  discard(site: Site): void {
    this.#tasks.delete(site);
  }

  /** Nothing is due for the site any more. */
  remove(site: Site): void {
    this.#here.remove(site);
    this.#due.delete(site);
    this.#tasks.delete(site);
  }

  /** Ends the threads; plans in progress are discarded. */
  async stop(): Promise<void> {
    clearImmediate(this.#next);
    this.#here.stop();
    this.#due.clear();
    this.#tasks.clear();
    await this.#pool.stop();
  }

  #scheduleNext(): void {
    this.#next ??= setImmediate(() => {
      this.#next = undefined;
      this.#startNext();
    });
  }

  #startNext(): void {
    if (this.isHere()) {
      this.#here.add(this.#due, true);
      this.#due.clear();
    }
    const [site] = this.#due;
    if (site === undefined || this.#pool.free === 0) return;
    this.#due.delete(site);
    const task = this.#options.task(site);
    if (task !== undefined) void this.#run(site, task);
    this.#scheduleNext();
  }

  async #run(site: Site, task: PlanTask): Promise<void> {
    this.#tasks.set(site, task);
    const plan = await this.#compute(task);
    this.#scheduleNext();
    if (this.#tasks.get(site) !== task) return;
    this.#tasks.delete(site);
    if (plan === undefined) this.#options.planHere(site);
    else this.#options.onPlan(site, plan);
  }

  /** The plan of a task; undefined if it could not be computed. */
  async #compute(task: PlanTask): Promise<SitePlan | undefined> {
    try {
      return await this.#pool.run("plan", withoutCourse(task), { owner: task.input.siteId });
    } catch (error) {
      if (error instanceof WorkError && error.fault !== "stopped") this.#onThreadError(error);
      return undefined;
    }
  }

  #onThreadError(error: unknown): void {
    const now = performance.now();
    if (now >= this.#pausedUntilMs)
      this.#options.log.warn(
        { err: error },
        "A thread that computes plans has ended; they are computed in the main thread for a minute.",
      );
    this.#pausedUntilMs = now + PAUSE_MS;
  }
}

/** The task with what `planSite` reads of the previous plan: copying all of it takes four times as long. */
function withoutCourse({ input, samples }: PlanTask): PlanTask {
  if (input.previous === undefined) return { input, samples };
  const { chargeHours, command, commandSince, scalars } = input.previous;
  return { input: { ...input, previous: { chargeHours, command, commandSince, scalars } }, samples };
}

export function startPlanPool(): WorkPool<PlanWork> {
  return new WorkPool({
    module: programModule("plan/plan-worker"),
    kind: "thread",
    name: "A thread for plans",
    atOnce: MOST_THREADS,
    timeMs: TIME_MS,
    memoryMb: MEMORY_MB,
  });
}
