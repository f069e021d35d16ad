/** What is due for a site; a new plan includes the changes of the minute. */
export type Due = "replan" | "minute";

/** Length of the rest as a share of the turn before it. */
const REST = 1 / 3;
/** Turns without a plan need no rest. */
const SHORT_MS = 5;

/**
 * Spreads work on many sites over event loop turns: the first site is processed synchronously, each other one in a turn
 * of its own. A plan takes up to tens of milliseconds; all at once would block the event loop. Between two turns is a rest, in
 * which the event loop turns often: answers and publications need many turns, and would otherwise wait for all plans.
 */
export class SiteTurns<Site> {
  readonly #run: (site: Site, due: Due) => void;
  readonly #due = new Map<Site, Due>();
  /** Cancels the next turn; undefined without one. */
  #cancel: (() => void) | undefined;

  constructor(run: (site: Site, due: Due) => void) {
    this.#run = run;
  }

  add(sites: Iterable<Site>, due: Due): void {
    for (const site of sites) if (this.#due.get(site) !== "replan") this.#due.set(site, due);
    if (this.#cancel === undefined) this.#takeTurn();
  }

  isDue(site: Site): boolean {
    return this.#due.has(site);
  }

  /** Runs now what is due for the site, if anything. */
  runNow(site: Site): void {
    const due = this.#due.get(site);
    this.#due.delete(site);
    if (due !== undefined) this.#run(site, due);
  }

  remove(site: Site): void {
    this.#due.delete(site);
  }

  stop(): void {
    this.#cancel?.();
    this.#due.clear();
  }

  #takeTurn(): void {
    this.#cancel = undefined;
    const [first] = this.#due.keys();
    if (first === undefined) return;
    // Before the run, which may add sites and may fail.
    const next = setImmediate(() => this.#takeTurn());
    this.#cancel = () => clearImmediate(next);
    const began = performance.now();
    this.runNow(first);
    const tookMs = performance.now() - began;
    if (tookMs > SHORT_MS && this.#due.size > 0) this.#rest(tookMs * REST);
  }

  #rest(ms: number): void {
    this.#cancel?.();
    const next = setTimeout(() => this.#takeTurn(), ms);
    this.#cancel = () => clearTimeout(next);
  }
}
