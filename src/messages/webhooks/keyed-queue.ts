/** A unit of work. */
export interface Job {
  /** Jobs with the same key run one after the other. */
  key: string;
  /** Waiting jobs are limited, and removed, per owner. */
  owner: string;
  /** Whoever has the fewest running jobs is served first, so that slow receivers of one account hold up no other one. */
  account: string;
  /** Replaces waiting jobs of the same owner with the same value; default: none. */
  supersedes?: string;
  /** Runs before all waiting jobs of its account. */
  urgent?: boolean;
  run: () => Promise<void>;
  /** Called instead of `run` when the job is dropped. */
  dropped: (why: DropReason) => void;
}

/** Why a job was dropped: queue of its owner full, replaced by a newer job, owner removed, or queue stopped. */
export type DropReason = "overflow" | "superseded" | "removed" | "stopped";

/**
 * Runs jobs in order, one at a time per key, with limits for concurrent jobs and for waiting jobs per owner. Jobs wait
 * until `start` is called.
 */
export class KeyedQueue {
  readonly #limits: { atOnce: number; waitingPerOwner: number };
  /** Accounts of the running jobs, by key. */
  readonly #running = new Map<string, string>();
  #waiting: Job[] = [];
  #isStarted = false;
  #onIdle: (() => void)[] = [];

  constructor(limits: { atOnce: number; waitingPerOwner: number }) {
    this.#limits = limits;
  }

  add(job: Job): void {
    const { owner, supersedes, urgent = false } = job;
    if (supersedes !== undefined) {
      this.#drop((one) => one.owner === owner && one.supersedes === supersedes, "superseded");
    }
    const first = urgent ? this.#waiting.findIndex(({ account }) => account === job.account) : -1;
    this.#waiting.splice(first < 0 ? this.#waiting.length : first, 0, job);
    const own = this.#waiting.filter((one) => one.owner === owner && one.urgent !== true);
    if (own.length > this.#limits.waitingPerOwner) {
      this.#drop((one) => one === own[0], "overflow");
    }
    this.#fill();
  }

  /** Starts running jobs. */
  start(): void {
    this.#isStarted = true;
    this.#fill();
  }

  /** Drops the waiting jobs of an owner; running jobs continue. */
  removeOwner(owner: string): void {
    this.#drop((job) => job.owner === owner, "removed");
  }

  /** Drops all waiting jobs and starts no more. */
  stop(): void {
    this.#isStarted = false;
    this.#drop(() => true, "stopped");
  }

  /** Resolves when no job is running. */
  async idle(): Promise<void> {
    if (this.#running.size === 0) return;
    await new Promise<void>((resolve) => this.#onIdle.push(resolve));
  }

  #drop(which: (job: Job) => boolean, why: DropReason): void {
    const dropped = this.#waiting.filter(which);
    this.#waiting = this.#waiting.filter((job) => !dropped.includes(job));
    for (const job of dropped) job.dropped(why);
  }

  #fill(): void {
    while (this.#isStarted && this.#running.size < this.#limits.atOnce) {
      const next = this.#next();
      if (next === undefined) break;
      this.#waiting.splice(this.#waiting.indexOf(next), 1);
      this.#run(next);
    }
    if (this.#running.size === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  #next(): Job | undefined {
    const accounts = [...this.#running.values()];
    const runningOf = (job: Job) => accounts.filter((account) => account === job.account).length;
    const free = this.#waiting.filter(({ key }) => !this.#running.has(key));
    const fewest = Math.min(...free.map(runningOf));
    return free.find((job) => runningOf(job) === fewest);
  }

  #run(job: Job): void {
    this.#running.set(job.key, job.account);
    const end = () => {
      this.#running.delete(job.key);
      this.#fill();
    };
    job.run().then(end, end);
  }
}
