import { parseRetryAfter } from "./backoff.js";

/** What a server needs to say "not modified"; valid for one URL only. */
export interface Validators {
  url: string;
  etag?: string;
  lastModified?: string;
}

/** Why a request failed, as a sentence for the log and the status page. Names the host, never the query or a secret. */
export class FetchError extends Error {
  override readonly name = "FetchError";
  /** What the server asked for by Retry-After, ms. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, retryAfterMs?: number) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}

export interface FetchOptions {
  /** Ends the request early, when the gateway stops. */
  signal: AbortSignal;
  /** Time for the whole answer, body included; default 15 s. */
  timeoutMs?: number;
  /** Longest body that is read; default 8 MiB. */
  maxBytes?: number;
  headers?: Record<string, string>;
  /** From the last answer; sent only when they belong to the same URL. */
  validators?: Validators | undefined;
}

export interface FetchAnswer {
  /** The server says that the last answer still holds; `body` is empty. */
  notModified: boolean;
  body: string;
  validators?: Validators;
  /** From the Expires header: until then the server wants no further question. */
  freshUntil?: Date;
}

const MEBIBYTE = 1024 * 1024;

/**
 * One GET with a time limit, a size limit and, where validators are held, a condition. Does not retry: who calls
 * knows what serves meanwhile, and waits as `backoffMs` says. Throws FetchError for all that is not a whole 200 or 304.
 */
export async function fetchText(url: URL, options: FetchOptions): Promise<FetchAnswer> {
  const { timeoutMs = 15_000, maxBytes = 8 * MEBIBYTE } = options;
  const held = options.validators?.url === url.href ? options.validators : undefined;
  const ended = new AbortController();
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    ended.abort();
  }, timeoutMs);
  const stop = () => ended.abort();
  options.signal.addEventListener("abort", stop);
  if (options.signal.aborted) stop();
  try {
    const response = await fetch(url, {
      signal: ended.signal,
      headers: {
        "user-agent": "hourgate",
        ...options.headers,
        ...(held?.etag === undefined ? {} : { "if-none-match": held.etag }),
        ...(held?.lastModified === undefined ? {} : { "if-modified-since": held.lastModified }),
      },
    });
    const fresh = freshnessOf(response);
    if (response.status === 304 && held !== undefined)
      return { notModified: true, body: "", validators: held, ...fresh };
    if (response.status !== 200) {
      await response.body?.cancel();
      const retryAfterMs = parseRetryAfter(response.headers.get("retry-after"), Date.now());
      throw new FetchError(`${url.host} answered with status ${response.status}.`, retryAfterMs);
    }
    const body = await readBody(response, url, maxBytes);
    return { notModified: false, body, ...validatorsOf(response, url), ...fresh };
  } catch (error) {
    if (error instanceof FetchError) throw error;
    if (timedOut) throw new FetchError(`${url.host} did not answer within ${timeoutMs / 1000} s.`);
    if (options.signal.aborted) throw new FetchError(`The request to ${url.host} was stopped.`);
    throw new FetchError(`${url.host} cannot be reached or broke off (${reasonOf(error)}).`);
  } finally {
    clearTimeout(timer);
    options.signal.removeEventListener("abort", stop);
  }
}

async function readBody(response: Response, url: URL, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Counted after decompression, so that a small bomb is as harmless as a large answer.
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new FetchError(`${url.host} answered more than ${maxBytes / MEBIBYTE} MiB.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function validatorsOf(response: Response, url: URL): { validators?: Validators } {
  const etag = response.headers.get("etag");
  const lastModified = response.headers.get("last-modified");
  if (etag === null && lastModified === null) return {};
  return {
    validators: {
      url: url.href,
      ...(etag === null ? {} : { etag }),
      ...(lastModified === null ? {} : { lastModified }),
    },
  };
}

/** What Expires says (RFC 9111, 5.3); one that is no date, such as the customary 0, means that it is past. */
function freshnessOf(response: Response): { freshUntil?: Date } {
  const freshUntil = new Date(response.headers.get("expires") ?? Number.NaN);
  return Number.isNaN(freshUntil.getTime()) ? {} : { freshUntil };
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return "unknown reason";
  return "code" in cause && typeof cause.code === "string" ? cause.code : cause.message;
}

/** The body as JSON; throws FetchError that shows how a body that is none begins (often an HTML error page). */
export function parseJson(body: string, host: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    const opening = body.trim().slice(0, 30).replace(/\s+/g, " ");
    const shown = opening === "" ? "it is empty" : `it begins "${opening}"`;
    throw new FetchError(`${host} answered with something that is not complete JSON (${shown}).`);
  }
}
