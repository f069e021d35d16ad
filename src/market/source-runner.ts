import type { Log } from "../log.js";
import { backoffMs } from "../net/backoff.js";
import { FetchError, type Validators } from "../net/fetch.js";
import type { Cancel, Clock } from "../time/clock.js";
import type { SourceState } from "./price-status.js";
import type { PriceAnswer, PriceSource } from "./source.js";

/** Network sources are not asked more often than this, however fast a replay clock runs. */
const LEAST_GAP_MS = 20_000;

interface Options {
  /** Time-outs, backoff and throttles run on wall time, also in a replay. */
  wall: Clock;
  random: () => number;
  log: Log;
  /** Called when a source that failed may be tried again. */
  retry: () => void;
}

/** One source with what its last answers taught: its validators, its failures in a row, when to try it again. */
export class SourceRunner {
  readonly source: PriceSource;
  readonly #options: Options;
  #state: SourceState["state"] = "untried";
  #detail = "";
  #failures = 0;
  #askedAtMs = -Infinity;
  #validators: Validators | undefined;
  #cancelRetry: Cancel | undefined;

  constructor(source: PriceSource, options: Options) {
    this.source = source;
    this.#options = options;
  }

  get status(): SourceState {
    return { name: this.source.name, state: this.#state, detail: this.#detail };
  }

  /** False while it waits after a failure, or was asked a moment ago. */
  get mayAsk(): boolean {
    const gapMs = this.#options.wall.now().getTime() - this.#askedAtMs;
    return this.#cancelRetry === undefined && (this.source.local || gapMs >= LEAST_GAP_MS);
  }

  /** Asks the source; undefined when it fails, which is logged, told in the status and tried again after a while. */
  async ask(request: {
    from: Date;
    to: Date;
    now: Date;
    signal: AbortSignal;
  }): Promise<PriceAnswer | undefined> {
    this.stop();
    this.#askedAtMs = this.#options.wall.now().getTime();
    try {
      const answer = await this.source.fetch({ ...request, validators: this.#validators });
      this.#succeed(answer);
      return answer;
    } catch (error) {
      if (!request.signal.aborted) this.#fail(error);
      return undefined;
    }
  }

  /** Ends the wait for the next try. */
  stop(): void {
    this.#cancelRetry?.();
    this.#cancelRetry = undefined;
  }

  #succeed(answer: PriceAnswer): void {
    const { log } = this.#options;
    this.#validators = answer.validators;
    const detail = answer.notModified === true ? this.#lastWarning() : (answer.warnings?.join(" ") ?? "");
    if (this.#state === "failing") log.info({ source: this.source.name }, "The price source works again.");
    if (detail !== "" && detail !== this.#detail) log.warn({ source: this.source.name }, detail);
    this.#state = "ok";
    this.#detail = detail;
    this.#failures = 0;
  }

  /** What was wrong with an answer stays wrong while that answer stays the same. */
  #lastWarning(): string {
    return this.#state === "ok" ? this.#detail : "";
  }

  #fail(error: unknown): void {
    const { log, random, retry, wall } = this.#options;
    const detail = error instanceof Error ? error.message : String(error);
    const retryAfterMs = error instanceof FetchError ? error.retryAfterMs : undefined;
    this.#failures++;
    const waitMs = backoffMs(this.#failures, random, retryAfterMs);
    const fields = {
      source: this.source.name,
      failures: this.#failures,
      wait_seconds: Math.round(waitMs / 1000),
    };
    // A source that stays away must not fill the log; its state is on the status page.
    if (detail === this.#detail) log.debug(fields, detail);
    else log.warn(fields, detail);
    this.#state = "failing";
    this.#detail = detail;
    this.#cancelRetry = wall.at(new Date(wall.now().getTime() + waitMs), () => {
      this.#cancelRetry = undefined;
      retry();
    });
  }
}
