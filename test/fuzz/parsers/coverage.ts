import { Session } from "node:inspector";

interface Coverage {
  result: { url: string; functions: { ranges: { count: number }[] }[] }[];
}

/** Code of the project that has run in this thread since the last question, by V8's block coverage. */
export class NewCode {
  readonly #session = new Session();

  constructor() {
    this.#session.connect();
    this.#session.post("Profiler.enable");
    this.#session.post("Profiler.startPreciseCoverage", { callCount: false, detailed: true });
  }

  /** Whether code ran that had not run before. V8 reports each function and block once. */
  ran(): boolean {
    let found = false;
    // Synchronous for a session of the same thread.
    this.#session.post("Profiler.takePreciseCoverage", (_error, coverage) => {
      const { result } = coverage as unknown as Coverage;
      found = result.some(
        ({ url, functions }) =>
          url.includes("/src/") && functions.some(({ ranges }) => ranges.some(({ count }) => count > 0)),
      );
    });
    return found;
  }
}
