/** Something to be done in its turn. */
export interface Job {
  /** Jobs of one lane are done one after the other. */
  lane: string;
  /** Whose jobs are counted, and dropped, together. */
  owner: string;
  /** A job takes the place of those of its owner with the same topic that still wait; left out: of none. */
  supersedes?: string;
  /** Done before everything that waits. */
  urgent?: boolean;
  run: () => Promise<void>;
  /** Called instead of `run` when the job is never done. */
  forgotten: (why: JobDropped) => void;
}

/** Why a job is never done: too many of its owner waited, a newer one took its place, the owner is gone, or all ends. */
export type JobDropped = "overflow" | "superseded" | "dropped" | "closed";

/**
 * Does jobs in order of their coming, one at a time in each lane and only so many over all, and lets no owner pile up
 * more than so many. Closed until `open` is called.
 */
export class KeyedQueue {
  readonly #limits: { atOnce: number; waitingPerOwner: number };
  readonly #busy = new Set<string>();
  #waiting: Job[] = [];
  #isOpen = false;
  #onIdle: (() => void)[] = [];

  constructor(limits: { atOnce: number; waitingPerOwner: number }) {
    this.#limits = limits;
  }

  add(job: Job): void {
    const { owner, supersedes, urgent = false } = job;
    if (supersedes !== undefined) {
      this.#forget((one) => one.owner === owner && one.supersedes === supersedes, "superseded");
    }
    if (urgent) this.#waiting.unshift(job);
    else this.#waiting.push(job);
    const own = this.#waiting.filter((one) => one.owner === owner && one.urgent !== true);
    if (own.length > this.#limits.waitingPerOwner) {
      this.#forget((one) => one === own[0], "overflow");
    }
    this.#fill();
  }

  /** Lets the jobs begin. */
  open(): void {
    this.#isOpen = true;
    this.#fill();
  }

  /** Forgets what waits of an owner; what is under way goes on. */
  drop(owner: string): void {
    this.#forget((job) => job.owner === owner, "dropped");
  }

  /** Forgets all that waits, and begins nothing more. */
  close(): void {
    this.#isOpen = false;
    this.#forget(() => true, "closed");
  }

  /** Resolves when nothing is under way and nothing waits that could begin. */
  async idle(): Promise<void> {
    if (this.#busy.size === 0) return;
    await new Promise<void>((resolve) => this.#onIdle.push(resolve));
  }

  #forget(which: (job: Job) => boolean, why: JobDropped): void {
    const forgotten = this.#waiting.filter(which);
    this.#waiting = this.#waiting.filter((job) => !forgotten.includes(job));
    for (const job of forgotten) job.forgotten(why);
  }

  #fill(): void {
    while (this.#isOpen && this.#busy.size < this.#limits.atOnce) {
      const index = this.#waiting.findIndex((job) => !this.#busy.has(job.lane));
      if (index === -1) break;
      const [job] = this.#waiting.splice(index, 1);
      this.#begin(job!);
    }
    if (this.#busy.size === 0) for (const tell of this.#onIdle.splice(0)) tell();
  }

  #begin(job: Job): void {
    this.#busy.add(job.lane);
    const end = () => {
      this.#busy.delete(job.lane);
      this.#fill();
    };
    job.run().then(end, end);
  }
}
