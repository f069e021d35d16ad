import type { SourceFault } from "../domain/source-fault.js";
import { parseForeignJson } from "../json.js";
import { reachOfHost } from "./address.js";
import { parseRetryAfter } from "./backoff.js";

/** Validators of a conditional request; valid for one URL only. */
export interface Validators {
  url: string;
  etag?: string;
  lastModified?: string;
}

interface FetchErrorOptions {
  retryAfterMs?: number | undefined;
  fault?: SourceFault;
}

/** Why a request failed, as a sentence for the log and the status page. Names the host, never the query or a secret. */
export class FetchError extends Error {
  override readonly name = "FetchError";
  /** Retry-After of the server, ms. */
  readonly retryAfterMs: number | undefined;

  /** What kind of failure, where it is known. */
  readonly fault: SourceFault | undefined;

  constructor(message: string, { retryAfterMs, fault }: FetchErrorOptions = {}) {
    super(message);
    this.retryAfterMs = retryAfterMs;
    this.fault = fault;
  }
}

export interface FetchOptions {
  /** Aborts the request, for example when the gateway stops. */
  signal: AbortSignal;
  /** Time limit for the complete answer including the body; default 15 s. */
  timeoutMs?: number | undefined;
  /** Size limit of the body after decompression; default 8 MiB. */
  maxBytes?: number;
  headers?: Record<string, string> | undefined;
  /** Of the last answer; sent only if they belong to the same URL. */
  validators?: Validators | undefined;
}

export interface FetchAnswer {
  /** The last answer is still valid; `body` is empty. */
  notModified: boolean;
  body: string;
  validators?: Validators;
  /** From the Expires header. */
  freshUntil?: Date;
}

const MEBIBYTE = 1024 * 1024;
const MAX_REDIRECTS = 5;
/** Headers that are also sent after a redirect to another origin; keys and credentials are not. */
const HEADERS_FOR_ANY_ORIGIN = new Set(["user-agent", "accept", "if-none-match", "if-modified-since"]);

/** Requests JSON and has `parse` read it; `unchanged` where the last answer is still valid. Rejects with FetchError. */
export async function fetchParsed<Parsed extends object>(
  url: URL,
  options: FetchOptions,
  parse: (body: unknown, host: string) => Parsed,
  unchanged: Parsed,
): Promise<Parsed & Omit<FetchAnswer, "notModified" | "body"> & { notModified?: boolean }> {
  const { body, notModified, ...validity } = await fetchText(url, options);
  return notModified
    ? { ...unchanged, notModified, ...validity }
    : { ...parse(parseJson(body, url.host), url.host), ...validity };
}

/**
 * One GET request with a time limit, a size limit and, if validators are known, a condition. Does not retry: the caller
 * does so after `backoffMs`. User name and password in the URL are sent as Basic authentication. Throws FetchError for
 * everything except a complete 200, 203 or 304. With 203 MET Norway announces for months the end of a version that still serves.
 */
export async function fetchText(url: URL, options: FetchOptions): Promise<FetchAnswer> {
  const { timeoutMs = 15_000, maxBytes = 8 * MEBIBYTE } = options;
  const validators = options.validators?.url === url.href ? options.validators : undefined;
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
    const headers = new Headers({ "user-agent": "hourgate" });
    for (const [name, value] of Object.entries(options.headers ?? {})) headers.set(name, value);
    if (validators?.etag !== undefined) headers.set("if-none-match", validators.etag);
    if (validators?.lastModified !== undefined) headers.set("if-modified-since", validators.lastModified);
    const response = await follow(url, headers, ended.signal);
    const fresh = freshnessOf(response);
    if (response.status === 304 && validators !== undefined)
      return { notModified: true, body: "", validators: validators, ...fresh };
    if (response.status !== 200 && response.status !== 203) {
      await response.body?.cancel();
      const retryAfterMs = parseRetryAfter(response.headers.get("retry-after"), Date.now());
      const fault = { kind: "status", host: url.host, status: response.status } as const;
      throw new FetchError(`${url.host} answered with status ${response.status}.`, { retryAfterMs, fault });
    }
    const body = await readBody(response, url, maxBytes);
    return { notModified: false, body, ...validatorsOf(response, url), ...fresh };
  } catch (error) {
    if (error instanceof FetchError) throw error;
    if (timedOut) {
      const seconds = timeoutMs / 1000;
      const fault = { kind: "timeout", host: url.host, seconds } as const;
      throw new FetchError(`${url.host} did not answer within ${seconds} s.`, { fault });
    }
    if (options.signal.aborted) throw new FetchError(`The request to ${url.host} was stopped.`);
    const reason = reasonOf(error);
    const fault = { kind: "unreachable", host: url.host, reason } as const;
    throw new FetchError(`${url.host} cannot be reached or closed the connection (${reason}).`, { fault });
  } finally {
    clearTimeout(timer);
    options.signal.removeEventListener("abort", stop);
  }
}

/** Follows redirects itself, because fetch would send custom headers with a key to any redirect target. */
async function follow(url: URL, headers: Headers, signal: AbortSignal): Promise<Response> {
  if (url.username !== "" || url.password !== "")
    headers.set("authorization", `Basic ${Buffer.from(credentialsOf(url)).toString("base64")}`);
  let at = withoutCredentials(url);
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await fetch(at, { signal, headers, redirect: "manual" });
    const location = response.headers.get("location");
    if (![301, 302, 303, 307, 308].includes(response.status) || location === null) return response;
    await response.body?.cancel();
    const next = withoutCredentials(redirectTarget(url, at, location));
    if (next.origin !== at.origin)
      for (const name of [...headers.keys()]) if (!HEADERS_FOR_ANY_ORIGIN.has(name)) headers.delete(name);
    at = next;
  }
  throw new FetchError(`${url.host} redirects more than ${MAX_REDIRECTS} times.`);
}

/**
 * Where a redirect of a request for `url` leads, from `at`. To plain http only from a server of the own network, or from the same
 * host over http: a server of the internet must not have devices in the home asked, some of which switch by a GET. Throws FetchError.
 */
export function redirectTarget(url: URL, at: URL, location: string): URL {
  if (!URL.canParse(location, at)) throw new FetchError(`${url.host} redirects to an invalid address.`);
  const next = new URL(location, at);
  const mayBePlain =
    reachOfHost(url.hostname) === "private" || (at.protocol === "http:" && next.hostname === url.hostname);
  if (next.protocol !== "https:" && !(next.protocol === "http:" && mayBePlain))
    throw new FetchError(`${url.host} redirects to an address that is not https.`);
  return next;
}

const credentialsOf = ({ username, password }: URL) => `${unescaped(username)}:${unescaped(password)}`;

/** Decodes percent escapes; a text with an invalid escape is returned unchanged. */
export function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** fetch rejects a URL with credentials and repeats them in its error message. */
function withoutCredentials(url: URL): URL {
  const bare = new URL(url);
  bare.username = "";
  bare.password = "";
  return bare;
}

async function readBody(response: Response, url: URL, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Counted after decompression, as protection against decompression bombs.
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new FetchError(`${url.host} answered more than ${maxBytes / MEBIBYTE} MiB.`);
    chunks.push(chunk);
  }
  // Without a byte order mark, which no parser of JSON takes.
  return new TextDecoder().decode(Buffer.concat(chunks));
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

/** The Expires header (RFC 9111, 5.3); an invalid date such as the customary 0 means already expired. */
function freshnessOf(response: Response): { freshUntil?: Date } {
  const freshUntil = new Date(response.headers.get("expires") ?? Number.NaN);
  return Number.isNaN(freshUntil.getTime()) ? {} : { freshUntil };
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return "unknown reason";
  return "code" in cause && typeof cause.code === "string" ? cause.code : cause.message;
}

/** Parses the body as JSON; throws FetchError with the beginning of an invalid body (often an HTML error page). */
export function parseJson(body: string, host: string): unknown {
  try {
    return parseForeignJson(body);
  } catch {
    const opening = body.trim().slice(0, 30).replace(/\s+/g, " ");
    const shown = opening === "" ? "it is empty" : `it begins "${opening}"`;
    throw new FetchError(`${host} answered with text that is not complete JSON (${shown}).`);
  }
}
