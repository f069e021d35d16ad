import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { type Access, basicAccess } from "../../accounts/access.js";
import type { Call, Caller, Operation } from "../../api/operation.js";
import { requireAllowed, resetSeconds } from "../../api/quota-exceeded.js";
import { type Answer, inputReader, refusalAnswer, runOperation } from "../../api/request.js";
import type { QuotaRequest, QuotaVerdict, Services } from "../../api/services.js";
import type { Log } from "../../core/log.js";
import type { TrustedProxies } from "../../core/net/trusted-proxies.js";
import { isUnwritable } from "../../store/errors.js";
import type { AnswerCache } from "./answer-cache.js";
import { readJsonObject } from "./body.js";
import { sendAnswer, sendBytes, sendPublic } from "./send.js";

/** Shared by all routes. */
export interface RouteContext {
  services: Services;
  proxies: TrustedProxies;
  cache: AnswerCache;
  /** For answers that are equal only within a second; separate, so that they do not evict longer-lived answers. */
  perSecondCache: AnswerCache;
  log: Log;
}

/** A request with its original URL; Express keeps it when it strips a mount path from `url`. */
type Request = IncomingMessage & { originalUrl?: string };

export type OperationRoute = (req: Request, res: ServerResponse) => Promise<void>;

/** The access of a request: by the X-API-Key header only, never by the URL. */
export function accessOf(services: Services, req: IncomingMessage): Access {
  const header = req.headers["x-api-key"];
  const key = (Array.isArray(header) ? header.join() : header)?.trim();
  return key === undefined || key === "" ? basicAccess(false) : services.accounts.access(key);
}

/** Logs unexpected errors with the request id; the caller gets only the id. What the disk does not take is said once by the store. */
export function failureLog(log: Pick<Log, "error">, req: IncomingMessage, res: ServerResponse) {
  return (thrown: unknown) => {
    if (isUnwritable(thrown)) return;
    log.error(
      {
        err: thrown,
        method: req.method,
        path: (req.url ?? "").split("?")[0],
        requestId: res.getHeader("X-Request-Id"),
      },
      "A request failed.",
    );
  };
}

/**
 * Serves an operation: access, validation, quota, answer. A refused request is not counted; one with status 200, including
 * `not_available`, is counted.
 */
export function operationRoute(operation: Operation, context: RouteContext): OperationRoute {
  const { services, log } = context;
  const cache = operation.perSecondCache ? context.perSecondCache : context.cache;
  const readInput = inputReader(operation);

  const serve = async (req: Request, res: ServerResponse, caller: Caller): Promise<void> => {
    const raw =
      operation.method === "GET" ? readQuery(req.originalUrl ?? req.url ?? "") : await readJsonObject(req);
    const call: Call<Record<string, unknown>> = { ...caller, input: readInput(raw, caller) };
    const who = { access: caller.access, address: context.proxies.clientAddress(req) };

    const cacheKey = operation.cacheKey?.(call);
    const key = cacheKey === undefined ? undefined : `${operation.path}|${cacheKey}`;
    // What a caller without a key gets is the same for everybody.
    const send: typeof sendPublic = caller.access.tokenValid
      ? (...[to, via, body, headers]) => sendBytes(to, via, 200, body, headers)
      : sendPublic;
    const cached = key === undefined ? undefined : cache.get(key);
    if (cached !== undefined) {
      const verdict = await services.quotas.consume({
        ...who,
        quotaClass: operation.quotaClass(call.input),
      });
      send(req, res, cached, rateLimitHeaders(requireAllowed(verdict)));
      return;
    }
    const counter = await counterOf(operation, call, who);
    const answer = await runOperation(operation, call, failureLog(log, req, res));
    if (answer.status >= 400) {
      sendRefusal(req, res, answer);
      return;
    }
    const headers = await counter.succeeded();
    const body = Buffer.from(JSON.stringify(answer.document));
    if (key === undefined) return sendBytes(req, res, answer.status, body, headers);
    cache.set(key, body);
    send(req, res, body, headers);
  };

  /** The quota of one call: throws if the window is used up, and counts once the answer is known. */
  const counterOf = async (
    of: Operation,
    call: Call<Record<string, unknown>>,
    who: Omit<QuotaRequest, "quotaClass">,
  ): Promise<{ succeeded(): Promise<OutgoingHttpHeaders> }> => {
    const { quotas } = services;
    const quotaClass = of.quotaClass(call.input);
    if (quotaClass === "status") {
      // Not counted; under /v1 the headers show the state of the decision class.
      const shown = of.path.startsWith("/v1/");
      return {
        succeeded: async () =>
          shown ? rateLimitHeaders(await quotas.peek({ ...who, quotaClass: "decision" })) : {},
      };
    }
    const quotaCall: QuotaRequest = { ...who, quotaClass };
    if (quotaClass === "telemetry") {
      // Counted before it is stored: the softcap decides how it is stored.
      const verdict = requireAllowed(await quotas.consume(quotaCall));
      call.softcapExceeded = verdict.softcapExceeded;
      return { succeeded: async () => rateLimitHeaders(verdict) };
    }
    requireAllowed(await quotas.peek(quotaCall));
    return { succeeded: async () => rateLimitHeaders(requireAllowed(await quotas.consume(quotaCall))) };
  };

  return async (req, res) => {
    let access: Access | undefined;
    try {
      access = accessOf(services, req);
      await serve(req, res, { access, now: services.clock.now() });
    } catch (thrown) {
      const answer: Answer = refusalAnswer(thrown, access ?? basicAccess(false), failureLog(log, req, res));
      sendRefusal(req, res, answer);
    }
  };
}

/**
 * The parameters of a request's query. A repeated parameter becomes a list, which no parameter permits. The result has no
 * prototype, so that a parameter may have any name.
 */
function readQuery(url: string): Record<string, unknown> {
  const query: Record<string, unknown> = Object.create(null);
  const mark = url.indexOf("?");
  if (mark < 0) return query;
  for (const [name, value] of new URLSearchParams(url.slice(mark + 1))) {
    const before = query[name];
    if (before === undefined) query[name] = value;
    else if (Array.isArray(before)) before.push(value);
    else query[name] = [before, value];
  }
  return query;
}

function sendRefusal(req: IncomingMessage, res: ServerResponse, answer: Answer): void {
  sendAnswer(req, res, answer, answer.verdict && rateLimitHeaders(answer.verdict));
}

/** The rate-limit headers of docs/spec/http-api.md section 4. */
function rateLimitHeaders(verdict: QuotaVerdict): OutgoingHttpHeaders {
  return {
    "X-RateLimit-Limit": verdict.limit,
    "X-RateLimit-Remaining": verdict.allowed ? Math.max(0, verdict.remaining) : 0,
    "X-RateLimit-Reset": resetSeconds(verdict),
    "X-RateLimit-Scope": verdict.scope,
  };
}
