/** What is due for a site; a new plan includes the changes of the minute. */
export type Due = "replan" | "minute";

/**
 * Spreads work on many sites over event loop turns: the first site is processed synchronously, each other one in a turn
 * of its own. A plan and its publication take tens of milliseconds; fifty at once would block the event loop for seconds.
 */
export class SiteTurns<Site> {
  readonly #run: (site: Site, due: Due) => void;
  readonly #due = new Map<Site, Due>();
  #nextTurn: NodeJS.Immediate | undefined;

  constructor(run: (site: Site, due: Due) => void) {
    this.#run = run;
  }

  add(sites: Iterable<Site>, due: Due): void {
    for (const site of sites) if (this.#due.get(site) !== "replan") this.#due.set(site, due);
    if (this.#nextTurn === undefined) this.#takeTurn();
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
    clearImmediate(this.#nextTurn);
    this.#due.clear();
  }

  #takeTurn(): void {
    this.#nextTurn = undefined;
    const [first] = this.#due.keys();
    if (first === undefined) return;
    this.#nextTurn = setImmediate(() => this.#takeTurn());
    this.runNow(first);
  }
}
