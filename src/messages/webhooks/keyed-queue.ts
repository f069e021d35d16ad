/** A unit of work. */
export interface Job {
  /** Jobs with the same key run one after the other. */
  key: string;
  /** Waiting jobs are limited, and removed, per owner. */
  owner: string;
  /** Replaces waiting jobs of the same owner with the same value; default: none. */
  supersedes?: string;
  /** Runs before all waiting jobs. */
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
  readonly #runningKeys = new Set<string>();
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
    if (urgent) this.#waiting.unshift(job);
    else this.#waiting.push(job);
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
    if (this.#runningKeys.size === 0) return;
    await new Promise<void>((resolve) => this.#onIdle.push(resolve));
  }

  #drop(which: (job: Job) => boolean, why: DropReason): void {
    const dropped = this.#waiting.filter(which);
    this.#waiting = this.#waiting.filter((job) => !dropped.includes(job));
    for (const job of dropped) job.dropped(why);
  }

  #fill(): void {
    while (this.#isStarted && this.#runningKeys.size < this.#limits.atOnce) {
      const index = this.#waiting.findIndex((job) => !this.#runningKeys.has(job.key));
      if (index === -1) break;
      const [job] = this.#waiting.splice(index, 1);
      this.#run(job!);
    }
    if (this.#runningKeys.size === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  #run(job: Job): void {
    this.#runningKeys.add(job.key);
    const end = () => {
      this.#runningKeys.delete(job.key);
      this.#fill();
    };
    job.run().then(end, end);
  }
}
