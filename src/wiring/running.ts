import type { Log } from "../log.js";

/** A part of the gateway that runs between the two. */
export interface Part {
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** What was started, in order; stopped in the reverse one. */
export class Running {
  /** Parts of one group are stopped at the same time. */
  readonly #groups: Pick<Part, "stop">[][] = [];
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Starts a part. It is stopped with the others even where its start fails: it may hold something by then. */
  async begin<Started extends Part>(part: Started): Promise<Started> {
    this.add(part);
    await part.start();
    return part;
  }

  /** Takes in what was started elsewhere, or will be at another moment than it is to be stopped. */
  add(part: Pick<Part, "stop">): void {
    this.#groups.push([part]);
  }

  /**
   * As `add`, but stopped together with the part that came before. Edges give their clients time to end, not one
   * another: one after the other they would take longer than a stop may.
   */
  addBeside(part: Pick<Part, "stop">): void {
    const group = this.#groups.at(-1);
    if (group === undefined) this.add(part);
    else group.push(part);
  }

  /** Stops all; a part that cannot stop is logged and does not keep the others from it. */
  async stop(): Promise<void> {
    for (const group of this.#groups.splice(0).reverse()) {
      await Promise.all(
        group.map((part) =>
          part
            .stop()
            .catch((error: unknown) => this.#log.error({ err: error }, "A part did not stop cleanly.")),
        ),
      );
    }
  }
}
