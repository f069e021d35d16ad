/** Runs jobs one after another, in the order of their calls. A job that fails does not affect the following ones. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Resolves with the result of the job, or rejects with its error. Without a handler the error is ignored. */
  run<Result>(job: () => Result | Promise<Result>): Promise<Result> {
    const result = this.#last.then(job);
    this.#last = result.catch(() => {});
    return result;
  }

  /** Resolves when all jobs queued so far have ended; never rejects. */
  async idle(): Promise<void> {
    await this.#last;
  }
}
