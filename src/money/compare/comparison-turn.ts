/** One comparison at a time, of any site and kind: each takes the memory of a gateway. */
export class ComparisonTurn {
  #isTaken = false;

  get isTaken(): boolean {
    return this.#isTaken;
  }

  /** Takes the turn until the returned function is called; undefined while it is taken. */
  take(): (() => void) | undefined {
    if (this.#isTaken) return undefined;
    this.#isTaken = true;
    return () => {
      this.#isTaken = false;
    };
  }
}
