import type { Log } from "../core/log.js";

/** A part of the gateway with a life cycle. */
export interface Part {
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** The started parts in order; they are stopped in reverse order. */
export class Running {
  /** Parts of one group are stopped concurrently. */
  readonly #groups: Pick<Part, "stop">[][] = [];
  readonly #log: Log;
  #isStopping = false;

  constructor(log: Log) {
    this.#log = log;
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** Starts a part. It is also stopped if its start fails, since it may hold resources by then. */
  async begin<Started extends Part>(part: Started): Promise<Started> {
    this.add(part);
    await part.start();
    return part;
  }

  /** Adds a part that is started elsewhere. */
  add(part: Pick<Part, "stop">): void {
    this.#groups.push([part]);
  }

  /**
   * As `add`, but stopped concurrently with the previous part. Each edge waits for its clients; stopped one after another
   * they would exceed the time limit of a stop.
   */
  addBeside(part: Pick<Part, "stop">): void {
    const group = this.#groups.at(-1);
    if (group === undefined) this.add(part);
    else group.push(part);
  }

  /** Stops all parts; the error of one part is logged and does not affect the others. */
  async stop(): Promise<void> {
    this.#isStopping = true;
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
