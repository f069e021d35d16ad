interface Waiting<Item, Result> {
  item: Item;
  size: number;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

export interface BatchOptions<Item> {
  /** Default: 1 for each item. */
  sizeOf?: (item: Item) => number;
  /** Largest sum of sizes of a batch with more than one item, to bound its duration. */
  mostPerBatch?: number;
}

/**
 * Does one batch of items after another, in the order of the calls: what is added during a batch shares the next one, because
 * a slow disk completes only a few writes a second.
 */
export class BatchQueue<Item, Result = void> {
  readonly #run: (items: readonly Item[]) => Promise<readonly Result[]>;
  readonly #options: Required<BatchOptions<Item>>;
  readonly #waiting: Waiting<Item, Result>[] = [];
  #running: Promise<void> | undefined;
  #size = 0;

  /** `run` returns the results in the order of the items. */
  constructor(
    run: (items: readonly Item[]) => Promise<readonly Result[]>,
    { sizeOf = () => 1, mostPerBatch = Infinity }: BatchOptions<Item> = {},
  ) {
    this.#run = run;
    this.#options = { sizeOf, mostPerBatch };
  }

  /** Sum of the sizes of all items whose batch has not ended. */
  get size(): number {
    return this.#size;
  }

  /** Resolves with the result of the item, or rejects with the error of its batch. */
  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      const size = this.#options.sizeOf(item);
      this.#size += size;
      this.#waiting.push({ item, size, resolve, reject });
      this.#running ??= this.#runAll();
    });
  }

  /** Resolves when all items so far are done; never rejects. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #runAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#nextBatch();
      try {
        const results = await this.#run(batch.map(({ item }) => item));
        batch.forEach(({ resolve }, index) => {
          resolve(results[index]!);
        });
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
      this.#size -= sizeOf(batch);
    }
    // Synchronously after the last check of the queue, so that a later call starts again.
    this.#running = undefined;
  }

  #nextBatch(): Waiting<Item, Result>[] {
    let size = 0;
    let count = 0;
    for (const waiting of this.#waiting) {
      size += waiting.size;
      if (count > 0 && size > this.#options.mostPerBatch) break;
      count++;
    }
    return this.#waiting.splice(0, count);
  }
}

function sizeOf(batch: readonly { size: number }[]): number {
  return batch.reduce((sum, { size }) => sum + size, 0);
}
