import { randomUUID } from "node:crypto";
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import helmet from "helmet";
import type { Log } from "../../core/log.js";

/** Browsers use HTTPS for this host for half a year. */
const HSTS = "max-age=15552000";

export interface AnsweredRequest {
  method: string;
  /** Path as received, without the query; may contain a secret, such as the token of a controller link. */
  path: string;
  /** Pattern of the matched route; undefined for mounted routers and unknown paths. */
  pattern: string | undefined;
  /** Undefined if the client disconnected before the end of the answer. */
  status: number | undefined;
  seconds: number;
}

/** Properties that Express adds to a routed request. */
type Request = IncomingMessage & { route?: { path?: unknown }; baseUrl?: string };

/**
 * Runs first for every request: sets the request id and the common headers, and logs the request and calls `onAnswered`
 * when it is finished. `pattern` is the route if already known.
 */
export function requestLogging(log: Log, onAnswered: ((request: AnsweredRequest) => void) | undefined) {
  const headers = [...securityHeaders(), ["Cache-Control", "no-store"] as const];
  return (req: Request, res: ServerResponse, pattern: string | undefined): void => {
    for (const [name, value] of headers) res.setHeader(name, value);
    if ("encrypted" in req.socket) res.setHeader("Strict-Transport-Security", HSTS);
    res.setHeader("X-Request-Id", requestId(req));
    const startedMs = performance.now();
    // Read now: a mounted router strips its own path while it answers.
    const method = req.method ?? "";
    const path = pathOf(req);
    res.once("finish", () =>
      log.debug(
        {
          method,
          path: withoutToken(path),
          status: res.statusCode,
          ms: Math.round((performance.now() - startedMs) * 10) / 10,
          requestId: res.getHeader("X-Request-Id"),
        },
        "Answered.",
      ),
    );
    if (onAnswered === undefined) return;
    res.once("close", () =>
      onAnswered({
        method,
        path,
        pattern: pattern ?? routedPattern(req),
        status: res.writableFinished ? res.statusCode : undefined,
        seconds: (performance.now() - startedMs) / 1000,
      }),
    );
  };
}

/** The path of a request as received, without the query. */
export function pathOf({ url = "" }: IncomingMessage): string {
  const mark = url.indexOf("?");
  return mark < 0 ? url : url.slice(0, mark);
}

/** The headers set by helmet. They are the same for every request and computed once. */
function securityHeaders(): [name: string, value: string][] {
  const req = new IncomingMessage(new Socket());
  const res = new ServerResponse(req);
  helmet({
    // Set per request: over plain HTTP browsers must not be sent to an HTTPS port that may not exist.
    strictTransportSecurity: false,
    contentSecurityPolicy: { directives: { "upgrade-insecure-requests": null } },
  })(req, res, () => {});
  return Object.entries(res.getHeaders()).map(([name, value]) => [name, String(value)]);
}

/** The caller's own id if it is well-formed, so that its log can be matched with ours. */
function requestId(req: IncomingMessage): string {
  const given = req.headers["x-request-id"];
  return typeof given === "string" && /^[\w.:+=/-]{1,128}$/.test(given) ? given : randomUUID();
}

/** Only the path is logged, without the token of a controller link: the log must not contain secrets from URLs. */
function withoutToken(path: string): string {
  return path.replace(/(\/c\/+)[^/]+/i, "$1<token>");
}

function routedPattern({ baseUrl = "", route }: Request): string | undefined {
  return baseUrl === "" && typeof route?.path === "string" ? route.path : undefined;
}
