import { type IncomingMessage, request as plainRequest } from "node:http";
import { request as secureRequest } from "node:https";
import { reachOfHost } from "./address.js";
import { type FetchAnswer, FetchError, redirectTarget, unescaped, type Validators } from "./fetch.js";
import { lookupOf, mayConnect, RefusedAddressError, type Resolve } from "./resolve.js";

export interface GuardedGetOptions {
  resolve: Resolve;
  /** Also hosts of the operator's own network. */
  allowPrivateHosts: boolean;
  /** Aborts the request, for example when the gateway stops. */
  signal: AbortSignal;
  /** Time limit for the complete answer. */
  timeoutMs: number;
  /** Size limit of the body. */
  maxBytes: number;
  headers?: Readonly<Record<string, string>>;
  /** Of the last answer; sent only if they belong to the same URL. */
  validators?: Validators | undefined;
  /** Trusted certificates instead of Node's. */
  ca?: string | undefined;
}

const MAX_REDIRECTS = 5;
const REDIRECTS = [301, 302, 303, 307, 308];

/**
 * One GET request to an address that a user entered, with limits of time and size. Every host, also that of a redirect, must be on
 * the internet, or in the own network where that is allowed; plain http only there. The connection goes to the address that was
 * checked. User name and password in the URL are sent as Basic authentication, not after a redirect to another origin. Throws
 * FetchError for everything except a complete 200 or 304; its messages name the host, never the path or a secret.
 */
export async function guardedGet(url: URL, options: GuardedGetOptions): Promise<FetchAnswer> {
  const limit = AbortSignal.timeout(options.timeoutMs);
  const signal = AbortSignal.any([limit, options.signal]);
  let at = url;
  try {
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      checkHost(at, options.allowPrivateHosts);
      const response = await get(at, { ...options, signal, withCredentials: at.origin === url.origin });
      const { statusCode = 0 } = response;
      const { location } = response.headers;
      if (!REDIRECTS.includes(statusCode) || location === undefined)
        return await answerOf(response, url, options);
      response.destroy();
      at = redirectTarget(url, at, location);
    }
    throw new FetchError(`${url.host} redirects more than ${MAX_REDIRECTS} times.`);
  } catch (error) {
    throw asFetchError(error, at, limit.aborted ? options.timeoutMs : undefined);
  }
}

/** The lookup function is not called for literal addresses, so they are checked before. */
function checkHost(url: URL, allowPrivateHosts: boolean): void {
  const reach = reachOfHost(url.hostname);
  if (reach !== undefined && !mayConnect(url, reach, allowPrivateHosts))
    throw new RefusedAddressError(url.hostname);
}

function get(url: URL, options: GuardedGetOptions & { withCredentials: boolean }): Promise<IncomingMessage> {
  const { resolve, allowPrivateHosts, signal, headers, ca, withCredentials } = options;
  const validators = options.validators?.url === url.href ? options.validators : undefined;
  const bare = new URL(url);
  bare.username = "";
  bare.password = "";
  const request = url.protocol === "https:" ? secureRequest : plainRequest;
  return new Promise((done, fail) => {
    const outgoing = request(bare, {
      method: "GET",
      headers: {
        "user-agent": "hourgate",
        "accept-encoding": "identity",
        ...headers,
        ...(withCredentials && url.username !== "" && { authorization: basicOf(url) }),
        ...(validators?.etag !== undefined && { "if-none-match": validators.etag }),
        ...(validators?.lastModified !== undefined && { "if-modified-since": validators.lastModified }),
      },
      agent: false,
      lookup: lookupOf(resolve, (reach) => mayConnect(url, reach, allowPrivateHosts)),
      signal,
      ...(ca !== undefined && { ca }),
    });
    outgoing.once("response", done);
    outgoing.on("error", fail);
    // For example after an unexpected upgrade.
    outgoing.once("close", () => fail(new Error("no answer")));
    outgoing.end();
  });
}

function basicOf({ username, password }: URL): string {
  return `Basic ${Buffer.from(`${unescaped(username)}:${unescaped(password)}`).toString("base64")}`;
}

async function answerOf(
  response: IncomingMessage,
  url: URL,
  { maxBytes, validators }: GuardedGetOptions,
): Promise<FetchAnswer> {
  const { statusCode: status = 0, headers } = response;
  if (status === 304 && validators !== undefined) {
    response.destroy();
    return { notModified: true, body: "", validators };
  }
  if (status !== 200) {
    response.destroy();
    const fault = { kind: "status", host: url.host, status } as const;
    throw new FetchError(`${url.host} answered with status ${status}.`, { fault });
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) {
      response.destroy();
      throw new FetchError(`${url.host} answered more than ${Math.round(maxBytes / 1024)} KiB.`);
    }
    chunks.push(chunk);
  }
  const { etag, "last-modified": lastModified } = headers;
  const isConditional = etag !== undefined || lastModified !== undefined;
  return {
    notModified: false,
    body: Buffer.concat(chunks).toString("utf8"),
    ...(isConditional && {
      validators: {
        url: url.href,
        ...(etag !== undefined && { etag }),
        ...(lastModified !== undefined && { lastModified }),
      },
    }),
  };
}

function asFetchError(error: unknown, { host }: URL, timeoutMs: number | undefined): FetchError {
  if (error instanceof FetchError) return error;
  if (error instanceof RefusedAddressError)
    return new FetchError(`${host} is not on the internet, or is asked without https there.`);
  if (timeoutMs !== undefined) {
    const seconds = timeoutMs / 1000;
    const fault = { kind: "timeout", host, seconds } as const;
    return new FetchError(`${host} did not answer within ${seconds} s.`, { fault });
  }
  const { code, message = "unknown reason" } = (error ?? {}) as NodeJS.ErrnoException;
  const reason = code ?? message;
  const fault = { kind: "unreachable", host, reason } as const;
  return new FetchError(`${host} cannot be reached or closed the connection (${reason}).`, { fault });
}
