import { request as plainRequest } from "node:http";
import { request as secureRequest } from "node:https";
import type { LookupFunction } from "node:net";

/** Bytes of the response body that are read; only the status matters. */
const ANSWER_BYTES = 4096;

export interface PostOptions {
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
export function post(
  url: URL,
  { headers, rawBody, lookup, ca, signal, onStatus }: PostOptions,
): Promise<void> {
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
