import { FairQueue } from "./fair-queue.js";
import { REST, SHORT_MS } from "./turns.js";
import { WorkError } from "./work-error.js";

/**
 * Runs short jobs of many owners in this thread, one in a turn of the event loop, the owners in turn: the first at once, and
 * after a longer one with a rest in which the event loop serves everything else.
 */
export class FairTurns {
  readonly #waiting = new FairQueue<() => void>();
  readonly #waitingPerOwner: number;
  #isBusy = false;

  /** `waitingPerOwner`: jobs of one owner that may wait. */
  constructor(waitingPerOwner: number) {
    this.#waitingPerOwner = waitingPerOwner;
  }

  /** Rejects with an error of the job, or with WorkError if too many of the owner wait. */
  run<Result>(owner: string, job: () => Result): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.sizeOf(owner) >= this.#waitingPerOwner)
        return reject(new WorkError("busy", "Too many requests are waiting: try again later."));
      this.#waiting.push(owner, () => {
        try {
          resolve(job());
        } catch (error) {
          reject(error);
        }
      });
      if (!this.#isBusy) this.#takeTurn();
    });
  }

  #takeTurn(): void {
    const job = this.#waiting.shift();
    this.#isBusy = job !== undefined;
    if (job === undefined) return;
    const began = performance.now();
    job();
    const tookMs = performance.now() - began;
    if (tookMs > SHORT_MS) setTimeout(() => this.#takeTurn(), tookMs * REST);
    else setImmediate(() => this.#takeTurn());
  }
}
