import { randomUUID } from "node:crypto";
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import helmet from "helmet";
import type { Log } from "../log.js";

export interface AnsweredRequest {
  method: string;
  /** Path as it came, without the query. */
  path: string;
  /** Pattern of the route that answered; undefined where a mounted part or nothing did. */
  pattern: string | undefined;
  /** Undefined when the client had gone before the end of the answer. */
  status: number | undefined;
  seconds: number;
}

/** What Express adds to a request that it routes. */
type Request = IncomingMessage & { route?: { path?: unknown }; baseUrl?: string };

/**
 * What is done first with every request: its id, the headers that all answers carry, a line in the log and a word to
 * `onAnswered` when it is over. `pattern` is the route where it is known already.
 */
export function requestLogging(log: Log, onAnswered: ((request: AnsweredRequest) => void) | undefined) {
  const headers = [...securityHeaders(), ["Cache-Control", "no-store"] as const];
  return (req: Request, res: ServerResponse, pattern: string | undefined): void => {
    for (const [name, value] of headers) res.setHeader(name, value);
    res.setHeader("X-Request-Id", requestId(req));
    const startedMs = performance.now();
    // Read at once: a mounted router cuts its own path off while it answers.
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

/** The path of a request as it came, without the query. */
export function pathOf({ url = "" }: IncomingMessage): string {
  const mark = url.indexOf("?");
  return mark < 0 ? url : url.slice(0, mark);
}

/** The headers that helmet sets. They are the same for every request, so it is asked once. */
function securityHeaders(): [name: string, value: string][] {
  const req = new IncomingMessage(new Socket());
  const res = new ServerResponse(req);
  helmet({
    // Served as plain HTTP on the LAN: browsers must not be sent to an https that is not there.
    strictTransportSecurity: false,
    contentSecurityPolicy: { directives: { "upgrade-insecure-requests": null } },
  })(req, res, () => {});
  return Object.entries(res.getHeaders()).map(([name, value]) => [name, String(value)]);
}

/** The caller's own id where it is well-formed, so that its log and ours can be laid side by side. */
function requestId(req: IncomingMessage): string {
  const given = req.headers["x-request-id"];
  return typeof given === "string" && /^[\w.:+=/-]{1,128}$/.test(given) ? given : randomUUID();
}

/** Only the path is logged, without the token of a controller link: no secret of a URL must end up in a file. */
function withoutToken(path: string): string {
  return path.replace(/(\/c\/+)[^/]+/i, "$1<token>");
}

function routedPattern({ baseUrl = "", route }: Request): string | undefined {
  return baseUrl === "" && typeof route?.path === "string" ? route.path : undefined;
}
