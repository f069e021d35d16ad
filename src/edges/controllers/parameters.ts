import type { IncomingMessage } from "node:http";
import { parseForeignJson } from "../../core/json.js";

const MAX_BODY_BYTES = 64 * 1024;
/** Bytes read and discarded beyond the limit, so that clients that only read after sending get the answer. */
const MAX_DRAINED_BYTES = 8 * 1024 * 1024;

/** The parameters of a request, or the error of its body. */
export type Parameters = { values: Record<string, unknown> } | { status: 400 | 413; problem: string };

/**
 * Reads the query and, for POST and PUT, the body: a JSON object or `name=value` pairs. The Content-Type is ignored
 * because controllers do not set it. A repeated name becomes a list, which no parameter accepts. The result has no
 * prototype, so any name is safe. Rejects when the client disconnects.
 */
export async function readParameters(req: IncomingMessage & { originalUrl?: string }): Promise<Parameters> {
  const values: Record<string, unknown> = Object.create(null);
  const url = req.originalUrl ?? req.url ?? "";
  const mark = url.indexOf("?");
  if (mark >= 0) addPairs(values, url.slice(mark + 1));
  if (req.method === "GET" || req.method === "HEAD") return { values };

  const body = await readBody(req);
  if (body === undefined)
    return { status: 413, problem: "The body is larger than 64 KiB: send only the values." };
  if (!body.startsWith("{")) {
    addPairs(values, body);
    return { values };
  }
  try {
    for (const [name, value] of Object.entries(parseForeignJson(body) as object)) add(values, name, value);
    return { values };
  } catch {
    return {
      status: 400,
      problem: 'The body is not JSON: send an object such as {"soc_pct": 55}, or soc_pct=55.',
    };
  }
}

function addPairs(values: Record<string, unknown>, text: string): void {
  for (const [name, value] of new URLSearchParams(text)) add(values, name, value);
}

function add(values: Record<string, unknown>, name: string, value: unknown): void {
  const before = values[name];
  if (before === undefined) values[name] = value;
  else if (Array.isArray(before)) before.push(value);
  else values[name] = [before, value];
}

/** The body as text; undefined when it is too large. */
async function readBody(req: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_DRAINED_BYTES) return undefined;
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  if (size > MAX_BODY_BYTES) return undefined;
  return Buffer.concat(chunks).toString("utf8").trim();
}
