import { request as plainRequest } from "node:http";
import { request as secureRequest } from "node:https";
import type { LookupFunction } from "node:net";
import { type AddressReach, reachOfHost } from "../../core/net/address.js";
import { lookupOf, mayConnect, type Resolve, systemResolve } from "../../core/net/resolve.js";
import { type Cancel, startWallTimer } from "../../core/time/clock.js";
import { connectionEnded, type DeliveryAttempt, notPublic, statusError } from "./attempt.js";
import { signature } from "./signature.js";

/** Time limit of a delivery, from the name lookup to the response. */
const TIMEOUT_MS = 10_000;

/** A JSON document with its receiver. */
export interface OutgoingPost {
  /** With http: only an address of the own network is used, since everything is sent in clear text. */
  url: URL;
  rawBody: string;
  /** Signs the body; undefined: it is not signed. */
  secret?: string | undefined;
  /** Further headers. */
  headers?: Readonly<Record<string, string>>;
  /** Also allows receivers in the operator's own network, as the option of the sender does. */
  allowPrivateHosts?: boolean;
}

export interface SenderOptions {
  /** Of the gateway. */
  version: string;
  /** `webhooks.allow_private_hosts`: receivers in the operator's own network are allowed. */
  allowPrivateHosts: boolean;
  resolve?: Resolve | undefined;
  /** Trusted certificates instead of Node's. */
  ca?: string | undefined;
  /** Timers run on wall time, also in a replay. */
  startTimer?: ((ms: number, callback: () => void) => Cancel) | undefined;
  /** Wall time in Unix ms, also in a replay: the receiver compares the time in the signature with its own clock. */
  wallNowMs?: (() => number) | undefined;
}

/** Sends documents by POST: one attempt, no redirects, only to addresses that were checked when connecting. */
export class Sender {
  readonly #options: SenderOptions;
  readonly #stopped = new AbortController();

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  /** One attempt; never rejects. */
  async send(outgoing: OutgoingPost): Promise<DeliveryAttempt> {
    const { url, rawBody, secret, headers, allowPrivateHosts = this.#options.allowPrivateHosts } = outgoing;
    const { version, ca, resolve = systemResolve } = this.#options;
    const { startTimer = startWallTimer, wallNowMs = Date.now } = this.#options;
    const isAllowed = (reach: AddressReach) => mayConnect(url, reach, allowPrivateHosts);
    const host = url.hostname;
    const startedAt = performance.now();
    const after = (status: number | null, error: DeliveryAttempt["error"]): DeliveryAttempt => ({
      status,
      durationMs: Math.round(performance.now() - startedAt),
      error,
    });
    if (this.#stopped.signal.aborted) return after(null, stopped());
    // The lookup function is not called for literal addresses, so they are checked here.
    const reach = reachOfHost(host);
    if (reach !== undefined && !isAllowed(reach)) return after(null, notPublic(host));
    const timeout = new AbortController();
    const cancelTimer = startTimer(TIMEOUT_MS, () => timeout.abort());
    let answered: DeliveryAttempt | undefined;
    try {
      await post(url, {
        headers: {
          "Content-Type": "application/json",
          "User-Agent": `hourgate/${version}`,
          ...(secret !== undefined && {
            "X-Service-Signature": signature(secret, rawBody, Math.floor(wallNowMs() / 1000)),
          }),
          ...headers,
        },
        rawBody,
        lookup: lookupOf(resolve, isAllowed),
        ca,
        signal: AbortSignal.any([timeout.signal, this.#stopped.signal]),
        onStatus: (status) => {
          answered = after(status, statusError(status, host));
        },
      });
    } catch (error) {
      // An error after the status does not change the outcome.
      answered ??= after(null, this.#faultOf(error, host, timeout.signal));
    } finally {
      cancelTimer();
    }
    return answered ?? after(null, connectionEnded(undefined, host));
  }

  /** Aborts deliveries in progress; later ones fail with `stopped`. */
  stop(): void {
    this.#stopped.abort();
  }

  #faultOf(error: unknown, host: string, timeout: AbortSignal): NonNullable<DeliveryAttempt["error"]> {
    if (this.#stopped.signal.aborted) return stopped();
    if (timeout.aborted) {
      return { code: "timeout", message: `${host} did not answer within ${TIMEOUT_MS / 1000} s.` };
    }
    return connectionEnded(error, host);
  }
}

function stopped(): NonNullable<DeliveryAttempt["error"]> {
  return { code: "stopped", message: "The gateway was stopped before the receiver answered." };
}

/** Bytes of the response body that are read; only the status matters. */
const ANSWER_BYTES = 4096;

interface PostOptions {
  headers: Record<string, string>;
  rawBody: string;
  lookup: LookupFunction;
  /** Trusted certificates instead of Node's. */
  ca: string | undefined;
  /** Aborts the request, also during lookup and connect. */
  signal: AbortSignal;
  /** Called with the HTTP status as soon as it is known. */
  onStatus: (status: number) => void;
}

/**
 * One POST over a new connection, which is closed afterwards, so that each request is checked by `lookup`. Does not
 * follow redirects. Rejects with Node's error if there is no status; resolves at the end of the response.
 */
function post(url: URL, { headers, rawBody, lookup, ca, signal, onStatus }: PostOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const body = Buffer.from(rawBody, "utf8");
    const request = url.protocol === "https:" ? secureRequest : plainRequest;
    const outgoing = request(url, {
      method: "POST",
      headers: { ...headers, "Content-Length": body.byteLength },
      agent: false,
      lookup,
      signal,
      ...(ca !== undefined && { ca }),
    });
    outgoing.once("response", (response) => {
      onStatus(response.statusCode ?? 0);
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.byteLength;
        if (bytes > ANSWER_BYTES) response.destroy();
      });
      // Only the status matters.
      response.on("error", () => {});
      response.once("close", resolve);
    });
    outgoing.on("error", reject);
    // For example after an unexpected upgrade.
    outgoing.once("close", () => reject(new Error("The connection was closed without an answer.")));
    outgoing.end(body);
  });
}
