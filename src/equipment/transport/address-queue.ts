interface Waiting {
  isCommand: boolean;
  start(): Promise<void>;
}

/** One conversation at a time with an address; commands go before readings. */
export class AddressQueue {
  readonly #waiting: Waiting[] = [];
  #isBusy = false;

  run<Result>(job: () => Promise<Result>, { isCommand = false } = {}): Promise<Result> {
    return new Promise((resolve, reject) => {
      const start = () => job().then(resolve, reject);
      const place = isCommand ? this.#waiting.findIndex((one) => !one.isCommand) : -1;
      if (place < 0) this.#waiting.push({ isCommand, start });
      else this.#waiting.splice(place, 0, { isCommand, start });
      if (!this.#isBusy) void this.#work();
    });
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift())
      await next.start();
    this.#isBusy = false;
  }
}
