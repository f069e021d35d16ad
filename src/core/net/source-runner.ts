import type { SourceFault } from "../domain/source-fault.js";
import { errorMessage } from "../error-message.js";
import type { Log } from "../log.js";
import type { Cancel, Clock } from "../time/clock.js";
import { backoffMs } from "./backoff.js";
import { FetchError, type Validators } from "./fetch.js";

/** Minimum interval between requests to a network source, also in a fast replay. */
const MIN_REQUEST_INTERVAL_MS = 20_000;
/** Upper limit for the validity that a server states for its answer. */
const MAX_FRESH_MS = 6 * 3_600_000;

/** Common part of all requests to a source. */
export interface SourceRequest {
  /** Those of the last answer of the source. */
  validators?: Validators | undefined;
  signal: AbortSignal;
}

/** Common part of all answers of a source. */
export interface SourceAnswer {
  /** True when nothing changed since the answer that `validators` belong to. */
  notModified?: boolean;
  validators?: Validators;
  /** Sentences about parts of the answer that could not be used. */
  warnings?: string[];
  /** The earliest time of the next request according to the source. */
  freshUntil?: Date | undefined;
}

/** A source of data. Constructors only assign; nothing runs before `fetch` or `watch`. */
export interface Source<Request extends SourceRequest, Answer extends SourceAnswer> {
  /** For log and status, such as `awattar` or `file prices.csv`. */
  readonly name: string;
  /** True for local data: fast enough to wait for at the start. */
  readonly local: boolean;
  /** Rejects with an Error whose message is a sentence; a FetchError may carry the server's Retry-After. */
  fetch(request: Request): Promise<Answer>;
  /** Calls `changed` when a fetch would return new data. */
  watch?(changed: () => void): Cancel;
}

/** Current state of one source. */
export interface SourceState {
  name: string;
  state: "untried" | "ok" | "failing";
  /** Why it fails, or which part of its last answer could not be used; a sentence, or empty. */
  detail: string;
  /** What kind of failure, where it is known. */
  fault?: SourceFault | undefined;
}

interface Options {
  /** What the source provides, for the log: `price`, `weather`. */
  kind: string;
  /** Backoff and throttling use wall time, also in a replay. */
  wall: Clock;
  random: () => number;
  log: Log;
  /** Called when a failed source may be requested again. */
  retry: () => void;
}

/** One source with its state: validators, consecutive failures, time of the next attempt. */
export class SourceRunner<Request extends SourceRequest, Answer extends SourceAnswer> {
  readonly source: Source<Request, Answer>;
  readonly #options: Options;
  #state: SourceState["state"] = "untried";
  #detail = "";
  #fault: SourceFault | undefined;
  #failures = 0;
  #requestedAtMs = -Infinity;
  #freshUntilMs = -Infinity;
  #validators: Validators | undefined;
  #cancelRetry: Cancel | undefined;

  constructor(source: Source<Request, Answer>, options: Options) {
    this.source = source;
    this.#options = options;
  }

  get status(): SourceState {
    return { name: this.source.name, state: this.#state, detail: this.#detail, fault: this.#fault };
  }

  /** False during the waiting time after a failure, within the minimum interval, and while the last answer is valid. */
  get mayRequest(): boolean {
    if (this.#cancelRetry !== undefined) return false;
    if (this.source.local) return true;
    const nowMs = this.#options.wall.now().getTime();
    // The clock was set back: the recorded times cannot be compared with the current one.
    if (nowMs < this.#requestedAtMs) return true;
    return nowMs - this.#requestedAtMs >= MIN_REQUEST_INTERVAL_MS && nowMs >= this.#freshUntilMs;
  }

  /** Whether a failed source may be asked again before its waiting time is over: not within the minimum interval. */
  get mayRetry(): boolean {
    const agoMs = this.#options.wall.now().getTime() - this.#requestedAtMs;
    return this.#state === "failing" && (agoMs < 0 || agoMs >= MIN_REQUEST_INTERVAL_MS);
  }

  /** Requests the source; undefined when it fails. A failure is logged, shown in the status and retried after a while. */
  async request(request: Request): Promise<Answer | undefined> {
    this.stop();
    this.#requestedAtMs = this.#options.wall.now().getTime();
    try {
      const answer = await this.source.fetch({ ...request, validators: this.#validators });
      this.#succeed(answer);
      return answer;
    } catch (error) {
      if (!request.signal.aborted) this.#fail(error);
      return undefined;
    }
  }

  /** Cancels the next attempt. */
  stop(): void {
    this.#cancelRetry?.();
    this.#cancelRetry = undefined;
  }

  #succeed(answer: Answer): void {
    const { kind, log } = this.#options;
    this.#validators = answer.validators;
    this.#freshUntilMs = Math.min(
      answer.freshUntil?.getTime() ?? -Infinity,
      this.#requestedAtMs + MAX_FRESH_MS,
    );
    const detail = answer.notModified === true ? this.#lastWarning() : (answer.warnings?.join(" ") ?? "");
    if (this.#state === "failing") log.info({ source: this.source.name }, `The ${kind} source works again.`);
    if (detail !== "" && detail !== this.#detail) log.warn({ source: this.source.name }, detail);
    this.#state = "ok";
    this.#detail = detail;
    this.#failures = 0;
  }

  /** The warning about an answer remains while the answer is unchanged. */
  #lastWarning(): string {
    return this.#state === "ok" ? this.#detail : "";
  }

  #fail(error: unknown): void {
    const { log, random, retry, wall } = this.#options;
    const detail = errorMessage(error);
    const retryAfterMs = error instanceof FetchError ? error.retryAfterMs : undefined;
    this.#failures++;
    const waitMs = backoffMs(this.#failures, random, retryAfterMs);
    const fields = {
      source: this.source.name,
      failures: this.#failures,
      wait_seconds: Math.round(waitMs / 1000),
    };
    // Repeated failures must not fill the log; the state is on the status page.
    if (detail === this.#detail) log.debug(fields, detail);
    else log.warn(fields, detail);
    this.#state = "failing";
    this.#fault = error instanceof FetchError ? error.fault : undefined;
    this.#detail = detail;
    this.#cancelRetry = wall.at(new Date(wall.now().getTime() + waitMs), () => {
      this.#cancelRetry = undefined;
      retry();
    });
  }
}
