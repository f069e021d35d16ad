import { availableParallelism } from "node:os";
import type { Log } from "../core/log.js";
import { TaskThread } from "../core/work/worker-thread.js";
import type { PlanTask } from "./plan-tasks.js";
import type { SitePlan } from "./site-plan.js";

/**
 * From this number of sites on, loads are sampled in threads: a plan with sampled loads takes tens of milliseconds, and a thread
 * needs 55 MB. The hourly plans of fewer sites are published after a second or two.
 */
const MANY_SITES = 20;
/** One processor is left for the main thread. */
const MOST_THREADS = Math.min(4, Math.max(1, availableParallelism() - 1));
/** Threads that nothing was due for this long are ended. */
const IDLE_MS = 60_000;
/** After a thread has failed, plans are computed in the main thread for this long. */
const PAUSE_MS = 60_000;
/** Most memory of a thread beside its young generation; a plan needs less than a tenth of it. */
const MOST_MEMORY_MB = 256;

/** `plan` is left out if the computation has failed. */
export interface PlanResult {
  plan?: SitePlan;
}

export type PlanThread = TaskThread<PlanTask, PlanResult>;

interface PlanThreadsOptions<Site> {
  /** The task of a site that is due; undefined if it has none. Runs in an event loop turn of its own. */
  task: (site: Site) => PlanTask | undefined;
  onPlan: (site: Site, plan: SitePlan) => void;
  /** The plan could not be computed in a thread. */
  onFailure: (site: Site) => void;
  log: Pick<Log, "warn">;
  startThread?: () => PlanThread;
}

/** Computes plans with sampled loads in threads. Threads are started when they are needed. */
export class PlanThreads<Site> {
  readonly #options: PlanThreadsOptions<Site>;
  readonly #due = new Set<Site>();
  /** The tasks in progress whose results count. */
  readonly #tasks = new Map<Site, PlanTask>();
  readonly #threads = new Set<PlanThread>();
  readonly #free: PlanThread[] = [];
  #next: NodeJS.Immediate | undefined;
  #idle: NodeJS.Timeout | undefined;
  #pausedUntilMs = -Infinity;

  constructor(options: PlanThreadsOptions<Site>) {
    this.#options = options;
  }

  /** Whether the plans of so many sites are computed in threads now. */
  isUsedFor(sites: number): boolean {
    return sites >= MANY_SITES && performance.now() >= this.#pausedUntilMs;
  }

  /** Computes a plan of the site soon, unless one is in progress. */
  add(site: Site): void {
    if (this.#tasks.has(site)) return;
    this.#due.add(site);
    this.#scheduleNext();
  }

  /** Discards the result of the plan in progress. */
  discard(site: Site): void {
    this.#tasks.delete(site);
  }

  /** Nothing is due for the site any more. */
  remove(site: Site): void {
    this.#due.delete(site);
    this.#tasks.delete(site);
  }

  /** Ends the threads; plans in progress are discarded. */
  async stop(): Promise<void> {
    clearImmediate(this.#next);
    this.#due.clear();
    this.#tasks.clear();
    await this.#endThreads();
  }

  async #endThreads(): Promise<void> {
    clearTimeout(this.#idle);
    const threads = [...this.#threads];
    this.#threads.clear();
    this.#free.length = 0;
    await Promise.all(threads.map((thread) => thread.stop()));
  }

  #scheduleNext(): void {
    this.#next ??= setImmediate(() => {
      this.#next = undefined;
      this.#startNext();
    });
  }

  #startNext(): void {
    if (this.#free.length === 0 && this.#threads.size >= MOST_THREADS) return;
    const [site] = this.#due;
    if (site === undefined) return;
    this.#due.delete(site);
    const task = this.#options.task(site);
    if (task !== undefined) void this.#run(site, task);
    this.#scheduleNext();
  }

  async #run(site: Site, task: PlanTask): Promise<void> {
    clearTimeout(this.#idle);
    this.#tasks.set(site, task);
    const plan = await this.#compute(task);
    if (this.#threads.size > 0 && this.#free.length === this.#threads.size && this.#due.size === 0)
      this.#idle = setTimeout(() => void this.#endThreads(), IDLE_MS).unref();
    this.#scheduleNext();
    if (this.#tasks.get(site) !== task) return;
    this.#tasks.delete(site);
    if (plan === undefined) this.#options.onFailure(site);
    else this.#options.onPlan(site, plan);
  }

  /** The plan of a task; undefined if it could not be computed. */
  async #compute(task: PlanTask): Promise<SitePlan | undefined> {
    let thread = this.#free.pop();
    try {
      if (thread === undefined) {
        thread = (this.#options.startThread ?? startPlanThread)();
        this.#threads.add(thread);
      }
      const { plan } = await thread.run(withoutCourse(task));
      if (this.#threads.has(thread)) this.#free.push(thread);
      return plan;
    } catch (error) {
      // A thread that has been ended here is no longer in the set.
      if (thread === undefined || this.#threads.delete(thread)) this.#onError(error);
      await thread?.stop();
      return undefined;
    }
  }

  #onError(error: unknown): void {
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

/** A thread that answers each task with its plan. */
export function startPlanThread(): PlanThread {
  return new TaskThread(new URL("./plan-thread.js", import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY_MB },
  });
}
