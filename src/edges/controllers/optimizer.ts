import type { IncomingMessage, ServerResponse } from "node:http";
import { ApiError } from "../../api/errors.js";
import { errorMessage } from "../../core/error-message.js";
import { boundedBody } from "../../core/net/bounded-body.js";
import { WorkError } from "../../core/work/work-error.js";
import type { ControllerOptions } from "./options.js";
import { type ControllerReply, send } from "./reply.js";

/** 2000 steps of ten units with goals and demands have 1.2 MB. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;
/** An owner may have several sites with evcc, which ask at the same moments. */
const MOST_BODIES_PER_OWNER = 2;
const METHODS = { health: ["GET", "HEAD"], "charge-schedule": ["POST"] } as const;

/** Whether the parts of a path after the token belong to the optimizer endpoint of evcc. */
export function isOptimizerPath([page, name]: readonly string[]): boolean {
  return page === "evcc" && name === "optimize";
}

/**
 * The optimizer endpoint of evcc: `evcc/optimize/charge-schedule` and `evcc/optimize/health` (docs/evcc.md). Its answers are
 * always JSON. The Authorization header, in which evcc sends its sponsor token to every endpoint, is not read.
 */
export function optimizerPages({ links, accounts, optimizer, log }: ControllerOptions) {
  const bodies = new BodyReader();
  const answer = async (
    req: IncomingMessage,
    { token, name, signal }: { token: string; name: string; signal: AbortSignal },
  ): Promise<ControllerReply> => {
    const link = links.find(token);
    if (link === undefined) return refusal(404, "unknown link");
    if (link.scope !== "optimizer")
      return refusal(403, "This link has another scope: create one with the scope optimizer.");
    if (name !== "health" && name !== "charge-schedule")
      return refusal(404, "There is no such page: OPTIMIZER_URI ends with /evcc.");
    const methods: readonly string[] = METHODS[name];
    if (!methods.includes(req.method ?? "")) {
      const headers = { Allow: [...methods, "OPTIONS"].join(", ") };
      if (req.method === "OPTIONS") return { ...json(200, {}), headers };
      return { ...refusal(405, `This page takes ${methods.join(" and ")}.`), headers };
    }
    if (name === "health") return json(200, { status: "healthy", message: "The optimizer is ready." });
    const owner = accounts.site(link.siteId)?.accountId ?? link.id;
    const body = await bodies.read(req, owner);
    if (body === undefined) return busy();
    try {
      const reply = await optimizer.optimise(body, { owner, signal });
      return "answer" in reply ? json(200, reply.answer) : json(400, reply.refusal);
    } catch (error) {
      if (!signal.aborted) return solverFailure(error, log);
      // Nobody waits for it.
      return refusal(499, "The client has disconnected.");
    }
  };

  return (req: IncomingMessage, res: ServerResponse, [token = "", ...path]: readonly string[]): void => {
    const left = new AbortController();
    res.once("close", () => left.abort());
    const name = path.length === 3 ? path[2]! : "";
    answer(req, { token, name, signal: left.signal })
      .catch((thrown: unknown) => failureReply(thrown, log))
      .then((reply) => send(req, res, reply));
  };
}

function failureReply(thrown: unknown, log: ControllerOptions["log"]): ControllerReply {
  if (thrown instanceof ApiError) return refusal(thrown.status, thrown.message);
  log.error({ err: thrown }, "A request of evcc failed.");
  return refusal(500, "Optimization failed: there is an internal error; the gateway's log has the reason.");
}

function solverFailure(error: unknown, log: ControllerOptions["log"]): ControllerReply {
  if (error instanceof WorkError && error.fault === "busy") return busy();
  log.error({ err: error }, "A request of evcc could not be optimised.");
  return refusal(500, `Optimization failed: ${errorMessage(error)}`);
}

/** `document`: a JSON text, or what becomes it. */
function json(status: number, document: object | string): ControllerReply {
  const text = typeof document === "string" ? document : JSON.stringify(document);
  return { status, text, type: "application/json; charset=utf-8" };
}

function refusal(status: number, message: string): ControllerReply {
  return json(status, { message, details: {} });
}

function busy(): ControllerReply {
  const refused = refusal(503, "The optimizer is busy: try again in 30 seconds.");
  return { ...refused, headers: { "Retry-After": 30 } };
}

/** Receives bodies, a few of each owner at a time: many links or connections of one account would fill the memory. */
class BodyReader {
  readonly #receiving = new Map<string, number>();

  /** Undefined if too many are being received. Throws ApiError. */
  async read(req: IncomingMessage, owner: string): Promise<Buffer | undefined> {
    const others = this.#receiving.get(owner) ?? 0;
    if (others >= MOST_BODIES_PER_OWNER) return undefined;
    this.#receiving.set(owner, others + 1);
    try {
      const body = await boundedBody(req, { maxBytes: MAX_BODY_BYTES, drainedBytes: MAX_BODY_BYTES });
      if (body !== undefined) return body;
      throw new ApiError("payload_too_large", "The body is larger than 4 MiB: send fewer steps.");
    } finally {
      const left = this.#receiving.get(owner)! - 1;
      if (left > 0) this.#receiving.set(owner, left);
      else this.#receiving.delete(owner);
    }
  }
}
