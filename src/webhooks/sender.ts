import type { LookupFunction } from "node:net";
import type { Cancel } from "../time/clock.js";
import { reachOfHost } from "./address.js";
import { connectionEnded, type DeliveryAttempt, notPublic, statusError } from "./attempt.js";
import { post } from "./post.js";
import { checkedLookup, isOpen, type Resolve } from "./resolve.js";
import { signature } from "./signature.js";

/** Time for a delivery, from the lookup of the name to the answer. */
const TIMEOUT_MS = 10_000;

/** What is sent, and where to. */
export interface SignedEvent {
  url: URL;
  secret: string;
  rawBody: string;
}

export interface SenderOptions {
  version: string;
  allowPrivateHosts: boolean;
  resolve: Resolve;
  /** Certificates to trust in place of those that Node trusts; undefined: those of Node. */
  ca: string | undefined;
  startTimer: (ms: number, callback: () => void) => Cancel;
  /** Wall time, Unix ms: a receiver compares the signature's time with its own clock, also in a replay. */
  wallNowMs: () => number;
}

/** Carries letters over HTTPS: one attempt, no redirect, only to addresses that were checked when connecting. */
export class Sender {
  readonly #options: SenderOptions;
  readonly #lookup: LookupFunction;
  readonly #stopped = new AbortController();

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#lookup = checkedLookup(options.resolve, options.allowPrivateHosts);
  }

  /** One attempt; never rejects. */
  async send({ url, secret, rawBody }: SignedEvent): Promise<DeliveryAttempt> {
    const { version, allowPrivateHosts, startTimer, wallNowMs, ca } = this.#options;
    const host = url.hostname;
    const startedAt = performance.now();
    const after = (status: number | null, error: DeliveryAttempt["error"]): DeliveryAttempt => ({
      status,
      durationMs: Math.round(performance.now() - startedAt),
      error,
    });
    if (this.#stopped.signal.aborted) return after(null, stopped());
    // Sockets look up names only: an address in the URL is checked here, by the rules of today.
    const reach = reachOfHost(host);
    if (reach !== undefined && !isOpen(reach, allowPrivateHosts)) return after(null, notPublic(host));
    const late = new AbortController();
    const cancelTimer = startTimer(TIMEOUT_MS, () => late.abort());
    let answered: DeliveryAttempt | undefined;
    try {
      await post(url, {
        headers: {
          "Content-Type": "application/json",
          "User-Agent": `hourgate/${version}`,
          "X-Service-Signature": signature(secret, rawBody, Math.floor(wallNowMs() / 1000)),
        },
        rawBody,
        lookup: this.#lookup,
        ca,
        signal: AbortSignal.any([late.signal, this.#stopped.signal]),
        onStatus: (status) => {
          answered = after(status, statusError(status, host));
        },
      });
    } catch (error) {
      // What breaks off after the status takes nothing back.
      answered ??= after(null, this.#faultOf(error, host, late.signal));
    } finally {
      cancelTimer();
    }
    return answered ?? after(null, connectionEnded(undefined, host));
  }

  /** Breaks off what is under way, and sends nothing more. */
  stop(): void {
    this.#stopped.abort();
  }

  #faultOf(error: unknown, host: string, late: AbortSignal): NonNullable<DeliveryAttempt["error"]> {
    if (this.#stopped.signal.aborted) return stopped();
    if (late.aborted) {
      return { code: "timeout", message: `${host} did not answer within ${TIMEOUT_MS / 1000} s.` };
    }
    return connectionEnded(error, host);
  }
}

function stopped(): NonNullable<DeliveryAttempt["error"]> {
  return { code: "stopped", message: "The gateway was stopped before the receiver answered." };
}
