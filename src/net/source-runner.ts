import type { SourceFault } from "../domain/source-fault.js";
import { errorMessage } from "../error-message.js";
import type { Log } from "../log.js";
import type { Cancel, Clock } from "../time/clock.js";
import { backoffMs } from "./backoff.js";
import { FetchError, type Validators } from "./fetch.js";

/** Network sources are not asked more often than this, however fast a replay clock runs. */
const LEAST_GAP_MS = 20_000;
/** A server that says that its answer holds longer than this is not believed for longer. */
const LONGEST_FRESH_MS = 6 * 3_600_000;

/** What every question to a source carries beside its own. */
export interface SourceRequest {
  /** What the source's last answer came with. */
  validators?: Validators | undefined;
  signal: AbortSignal;
}

/** What every answer of a source carries beside its own. */
export interface SourceAnswer {
  /** True when nothing changed since the answer that `validators` belong to. */
  notModified?: boolean;
  validators?: Validators;
  /** What could not be used although the rest could; sentences. */
  warnings?: string[];
  /** Until then the source wants no further question. */
  freshUntil?: Date | undefined;
}

/** Where data come from. Constructors only assign; nothing runs before `fetch` or `watch`. */
export interface Source<Request extends SourceRequest, Answer extends SourceAnswer> {
  /** For log and status, such as `awattar` or `file prices.csv`. */
  readonly name: string;
  /** True when it is read from this machine: fast, and worth waiting for at the start. */
  readonly local: boolean;
  /** Rejects with an Error whose message is a sentence; a FetchError may carry the server's Retry-After. */
  fetch(request: Request): Promise<Answer>;
  /** Calls `changed` when a fetch would give something new. */
  watch?(changed: () => void): Cancel;
}

/** How one source is doing. */
export interface SourceState {
  name: string;
  state: "untried" | "ok" | "failing";
  /** Why it fails, or what of its last answer could not be used; a sentence, or empty. */
  detail: string;
  /** What kind of failure, where it is known. */
  fault?: SourceFault | undefined;
}

interface Options {
  /** What the source gives, for the log: `price`, `weather`. */
  kind: string;
  /** Time-outs, backoff and throttles run on wall time, also in a replay. */
  wall: Clock;
  random: () => number;
  log: Log;
  /** Called when a source that failed may be tried again. */
  retry: () => void;
}

/** One source with what its last answers taught: its validators, its failures in a row, when to try it again. */
export class SourceRunner<Request extends SourceRequest, Answer extends SourceAnswer> {
  readonly source: Source<Request, Answer>;
  readonly #options: Options;
  #state: SourceState["state"] = "untried";
  #detail = "";
  #fault: SourceFault | undefined;
  #failures = 0;
  #askedAtMs = -Infinity;
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

  /** False while it waits after a failure, was asked a moment ago, or said that it has nothing new yet. */
  get mayAsk(): boolean {
    if (this.#cancelRetry !== undefined) return false;
    if (this.source.local) return true;
    const nowMs = this.#options.wall.now().getTime();
    // The clock was set back since: what it said of the answer's age means nothing now.
    if (nowMs < this.#askedAtMs) return true;
    return nowMs - this.#askedAtMs >= LEAST_GAP_MS && nowMs >= this.#freshUntilMs;
  }

  /** Asks the source; undefined when it fails, which is logged, told in the status and tried again after a while. */
  async ask(request: Request): Promise<Answer | undefined> {
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

  #succeed(answer: Answer): void {
    const { kind, log } = this.#options;
    this.#validators = answer.validators;
    this.#freshUntilMs = Math.min(
      answer.freshUntil?.getTime() ?? -Infinity,
      this.#askedAtMs + LONGEST_FRESH_MS,
    );
    const detail = answer.notModified === true ? this.#lastWarning() : (answer.warnings?.join(" ") ?? "");
    if (this.#state === "failing") log.info({ source: this.source.name }, `The ${kind} source works again.`);
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
    const detail = errorMessage(error);
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
    this.#fault = error instanceof FetchError ? error.fault : undefined;
    this.#detail = detail;
    this.#cancelRetry = wall.at(new Date(wall.now().getTime() + waitMs), () => {
      this.#cancelRetry = undefined;
      retry();
    });
  }
}
