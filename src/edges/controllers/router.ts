import type { IncomingMessage } from "node:http";
import { type Request, Router } from "express";
import { toApiError } from "../../api/error-document.js";
import { parseForeignJson } from "../../core/json.js";
import { boundedBody } from "../../core/net/bounded-body.js";
import { isOptimizerPath, optimizerPages } from "./optimizer.js";
import type { ControllerOptions } from "./options.js";
import { type Read, readPages } from "./reads.js";
import { ascii, type ControllerReply, READS, send, WRITES } from "./reply.js";
import { flexPage, telemetryPage, type Write } from "./writes.js";

const MAX_BODY_BYTES = 64 * 1024;
/** Bytes read and discarded beyond the limit, so that clients that only read after sending get the answer. */
const MAX_DRAINED_BYTES = 8 * 1024 * 1024;

/** The parameters of a request, or the error of its body. */
type Parameters = { values: Record<string, unknown> } | { status: 400 | 413; problem: string };

/**
 * Reads the query and, for POST and PUT, the body: a JSON object or `name=value` pairs. The Content-Type is ignored
 * because controllers do not set it. A repeated name becomes a list, which no parameter accepts. The result has no
 * prototype, so any name is safe. Rejects when the client disconnects.
 */
async function readParameters(req: IncomingMessage & { originalUrl?: string }): Promise<Parameters> {
  const values: Record<string, unknown> = Object.create(null);
  const url = req.originalUrl ?? req.url ?? "";
  const mark = url.indexOf("?");
  if (mark >= 0) addPairs(values, url.slice(mark + 1));
  if (req.method === "GET" || req.method === "HEAD") return { values };

  const bytes = await boundedBody(req, { maxBytes: MAX_BODY_BYTES, drainedBytes: MAX_DRAINED_BYTES });
  if (bytes === undefined)
    return { status: 413, problem: "The body is larger than 64 KiB: send only the values." };
  const body = bytes.toString("utf8").trim();
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

const UNKNOWN_LINK: ControllerReply = { status: 404, text: "unknown link" };
const OPTIMIZER_ONLY: ControllerReply = {
  status: 403,
  text: "This link serves only the optimizer for evcc: create one with the scope read.",
};

/** Pages with a name as the next path segment. */
const NAMED = new Set(["value", "on", "evcc"]);

/**
 * The pages for controllers that cannot send headers or parse JSON: `/c/<token>/line`, `value`, `on`, `telemetry`,
 * `flex`, `hours` and `evcc` (docs/controllers.md). Plain ASCII text, answered from memory, except evcc's optimizer. The token in the path is the
 * only authentication; sessions and quotas do not apply.
 */
export function createControllers(options: ControllerOptions): Router {
  const reads = new Map<string, Read>(Object.entries(readPages(options)));
  const writes = new Map<string, Write>([
    ["telemetry", telemetryPage(options)],
    ["flex", flexPage(options)],
  ]);

  const optimizer = optimizerPages(options);

  const answer = async (
    req: Request,
    [token = "", page = "", name = "", ...more]: readonly string[],
  ): Promise<ControllerReply> => {
    const link = options.links.find(token);
    const site = link && options.accounts.site(link.siteId);
    if (link === undefined || site === undefined) return UNKNOWN_LINK;
    if (link.scope === "optimizer") return OPTIMIZER_ONLY;
    const read = reads.get(page);
    const write = writes.get(page);
    const isNamed = NAMED.has(page);
    if ((read === undefined && write === undefined) || more.length > 0 || (name !== "" && !isNamed))
      return {
        status: 404,
        text: "There is no such page: append line, value, on, telemetry, flex, hours or evcc to the link.",
      };
    const methods = read === undefined ? WRITES : READS;
    if (!methods.includes(req.method)) return methodReply(req.method, methods);
    if (read !== undefined) return read(site, name);
    const parameters = await readParameters(req);
    return "values" in parameters
      ? write!(site, link, parameters.values)
      : { status: parameters.status, text: parameters.problem };
  };

  const router = Router({ caseSensitive: true });
  router.use("/c", (req, res) => {
    const parts = pathParts(req.path);
    if (isOptimizerPath(parts.slice(1))) {
      optimizer(req, res, parts);
      return;
    }
    answer(req, parts)
      .catch((thrown: unknown) => {
        // The path is not logged because it contains the token.
        if (!req.destroyed || req.complete)
          options.log.error({ err: thrown }, "A controller's request failed.");
        const { status, message } = toApiError(thrown);
        return { status, text: ascii(message) };
      })
      .then((reply) => send(req, res, reply));
  });
  return router;
}

/** The decoded segments of a path without a trailing slash; segments that cannot be decoded are left as they are. */
function pathParts(path: string): string[] {
  const parts = path.split("/").slice(1);
  if (parts.at(-1) === "") parts.pop();
  return parts.map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
}

function methodReply(method: string, methods: readonly string[]): ControllerReply {
  const headers = { Allow: [...methods, "OPTIONS"].join(", ") };
  return method === "OPTIONS"
    ? { status: 200, text: headers.Allow, headers }
    : { status: 405, text: `This page takes ${methods.join(", ")}.`, headers };
}
