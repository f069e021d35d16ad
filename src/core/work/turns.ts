/** Length of the rest as a share of the turn before it. */
export const REST = 1 / 3;
/** Shorter turns need no rest. */
export const SHORT_MS = 5;

/**
 * Spreads work on many items over event loop turns: the first is processed synchronously (unless `isFirstAtOnce` is false), each other one in a turn of its own.
 * Work of milliseconds on each of hundreds of plants would block the event loop. Between two turns is a rest, in which the
 * event loop turns often: answers and publications need many turns, and would otherwise wait for all of the work.
 */
export class Turns<Item, Work> {
  readonly #run: (item: Item, work: Work) => void;
  readonly #combine: (waiting: Work, added: Work) => Work;
  readonly #isFirstAtOnce: boolean;
  readonly #due = new Map<Item, Work>();
  /** Cancels the next turn; undefined without one. */
  #cancel: (() => void) | undefined;

  /** `combine` makes one of the work that waits for an item and what is added. */
  constructor(
    run: (item: Item, work: Work) => void,
    combine: (waiting: Work, added: Work) => Work = (_, added) => added,
    { isFirstAtOnce = true }: { isFirstAtOnce?: boolean } = {},
  ) {
    this.#run = run;
    this.#combine = combine;
    this.#isFirstAtOnce = isFirstAtOnce;
  }

  add(items: Iterable<Item>, work: Work): void {
    for (const item of items) {
      const waiting = this.#due.get(item);
      this.#due.set(item, waiting === undefined ? work : this.#combine(waiting, work));
    }
    if (this.#cancel !== undefined) return;
    if (this.#isFirstAtOnce) this.#takeTurn();
    else this.#planTurn();
  }

  isDue(item: Item): boolean {
    return this.#due.has(item);
  }

  /** Runs now what is due for the item, if anything. */
  runNow(item: Item): void {
    const work = this.#due.get(item);
    this.#due.delete(item);
    if (work !== undefined) this.#run(item, work);
  }

  remove(item: Item): void {
    this.#due.delete(item);
  }

  stop(): void {
    this.#cancel?.();
    this.#due.clear();
  }

  #takeTurn(): void {
    this.#cancel = undefined;
    const [first] = this.#due.keys();
    if (first === undefined) return;
    // Before the run, which may add items and may fail.
    this.#planTurn();
    const began = performance.now();
    this.runNow(first);
    const tookMs = performance.now() - began;
    if (tookMs > SHORT_MS && this.#due.size > 0) this.#rest(tookMs * REST);
  }

  #planTurn(): void {
    const next = setImmediate(() => this.#takeTurn());
    this.#cancel = () => clearImmediate(next);
  }

  #rest(ms: number): void {
    this.#cancel?.();
    const next = setTimeout(() => this.#takeTurn(), ms);
    this.#cancel = () => clearTimeout(next);
  }
}
