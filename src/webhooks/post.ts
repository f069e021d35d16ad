import { request } from "node:https";
import type { LookupFunction } from "node:net";

/** What the other side says beyond its status is of no interest; more than this is not even waited for. */
const ANSWER_BYTES = 4096;

export interface PostOptions {
  headers: Record<string, string>;
  rawBody: string;
  lookup: LookupFunction;
  /** Certificates to trust in place of those that Node trusts. */
  ca: string | undefined;
  /** Breaks it off at any moment, also while the name is looked up or the connection made. */
  signal: AbortSignal;
  /** Called with the HTTP status as soon as it is known. */
  onStatus: (status: number) => void;
}

/**
 * One POST over a connection of its own, which is gone afterwards: checked for itself, with no session or socket of
 * an earlier one. Follows no redirect. Rejects with what Node says when it breaks off before there is a status;
 * resolves when the answer is over, or no more of it is wanted.
 */
export function post(
  url: URL,
  { headers, rawBody, lookup, ca, signal, onStatus }: PostOptions,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const body = Buffer.from(rawBody, "utf8");
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
      // Whatever becomes of the rest: the status has told everything.
      response.on("error", () => {});
      response.once("close", resolve);
    });
    outgoing.on("error", reject);
    // Such as an upgrade that nobody asked for.
    outgoing.once("close", () => reject(new Error("The connection was closed without an answer.")));
    outgoing.end(body);
  });
}
