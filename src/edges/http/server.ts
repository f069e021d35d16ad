import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import express, { type Express, type NextFunction, type Request, type Response, Router } from "express";
import { basicAccess } from "../../accounts/access.js";
import { ApiError } from "../../api/errors.js";
import type { Operation } from "../../api/operation.js";
import { refusalAnswer } from "../../api/request.js";
import type { Services } from "../../api/services.js";
import type { Log } from "../../core/log.js";
import type { HostNames } from "../../core/net/host-names.js";
import type { TrustedProxies } from "../../core/net/trusted-proxies.js";
import { AnswerCache } from "./answer-cache.js";
import type { HttpLimits } from "./connection-limiter.js";
import { HttpListener, type ListenerOptions, type TlsIdentity } from "./listener.js";
import { openApiDocument } from "./openapi.js";
import {
  accessOf,
  failureLog,
  type OperationRoute,
  operationRoute,
  type RouteContext,
} from "./operation-route.js";
import { type AnsweredRequest, pathOf, requestLogging } from "./request-logging.js";
import { sendAnswer, sendPublic } from "./send.js";

export interface HttpServerOptions {
  operations: readonly Operation[];
  services: Services;
  settings: ListenerOptions["settings"];
  limits: HttpLimits;
  proxies: TrustedProxies;
  hosts: HostNames;
  /** Whether a request carries a valid key, controller link or portal session. */
  isAuthenticated: (req: IncomingMessage) => boolean;
  hasDeparted?: ListenerOptions["hasDeparted"];
  tls?: TlsIdentity | undefined;
  log: Log;
  /** Called for every finished request. */
  onAnswered?: ((request: AnsweredRequest) => void) | undefined;
}

/** `routes`: further ones (portal, controller links), matched after the operations and before the 404. */
export type HttpServer = HttpListener & { readonly routes: Router };

/** The HTTP edge: the operations and the mounted routers, as Express routes on a node:http server. */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { operations, services, settings, limits, proxies, hosts, isAuthenticated, log, onAnswered } =
    options;
  const context: RouteContext = {
    services,
    proxies,
    cache: new AnswerCache(),
    perSecondCache: new AnswerCache({ maxEntries: 16, maxBytes: 1024 * 1024 }),
    log,
  };
  const routes = Router();
  const served = new Map(operations.map((operation) => [operation, operationRoute(operation, context)]));
  const app = createApp(operations, context, routes);
  const handlers = handlersOf(served, context);
  const open = requestLogging(log, onAnswered);
  const listener = new HttpListener({
    settings,
    name: "http",
    limits,
    proxies,
    hosts,
    isAuthenticated,
    hasDeparted: options.hasDeparted,
    tls: options.tls,
    onRequest: (req, res) => {
      // A trailing slash makes no difference, as with the other routes.
      const path = pathOf(req).replace(/(?<=.)\/$/, "");
      const handle = handlers.get(path);
      open(req, res, handle && path);
      if (handle === undefined) app(req, res);
      else handle(req, res);
    },
  });
  return Object.assign(listener, { routes });
}

type Handler = (req: IncomingMessage, res: ServerResponse) => void;

/** What answers the requests to an operation's path, whatever their method. */
function handlersOf(
  served: ReadonlyMap<Operation, OperationRoute>,
  context: RouteContext,
): ReadonlyMap<string, Handler> {
  const byPath = new Map<string, Map<string, OperationRoute>>();
  for (const [{ method, path }, serve] of served) {
    const routes = byPath.get(path) ?? new Map<string, OperationRoute>();
    byPath.set(path, routes.set(method, serve));
    if (method === "GET") routes.set("HEAD", serve);
  }
  return new Map(
    [...byPath].map(([path, routes]) => {
      const otherMethod = otherMethods([...routes.keys()], context);
      const handle: Handler = (req, res) => {
        const serve = routes.get(req.method ?? "");
        if (serve === undefined) return otherMethod(req, res);
        serve(req, res).catch((thrown: unknown) => {
          failureLog(context.log, req, res)(thrown);
          res.destroy();
        });
      };
      return [path, handle];
    }),
  );
}

/** Everything besides the operations. */
function createApp(operations: readonly Operation[], context: RouteContext, routes: Router): Express {
  const { services, log } = context;
  const app = express();
  app.disable("x-powered-by").disable("etag");
  app.enable("case sensitive routing");

  const openApi = app.route("/openapi.json" as string);
  openApi.get(taggedDocument(() => openApiDocument(operations, services.baseUrl)));
  openApi.all(otherMethods(["GET", "HEAD"], context));
  app.use(routes);
  const overview = {
    name: "hourgate",
    version: services.version,
    status_path: "/v1/status",
    health_path: "/health",
    openapi_path: "/openapi.json",
  };
  const root = app.route("/" as string);
  root.get((req, res) => sendAnswer(req, res, { status: 200, document: overview }));
  root.all(otherMethods(["GET", "HEAD"], context));

  app.use((req, res) => {
    const error = new ApiError(
      "not_found",
      "There is no such path; GET /v1/status lists the endpoints and /openapi.json describes them.",
    );
    sendAnswer(req, res, refusalAnswer(error, accessOf(services, req), failureLog(log, req, res)));
  });
  app.use((thrown: unknown, req: Request, res: Response, _next: NextFunction) => {
    sendAnswer(req, res, refusalAnswer(fromExpress(thrown), basicAccess(false), failureLog(log, req, res)));
  });
  return app;
}

/** Serves a document that does not change while the gateway runs, with a tag, so that clients need not load it again. */
function taggedDocument(document: () => object): (req: Request, res: Response) => void {
  let tagged: { body: Buffer; tag: string } | undefined;
  return (req, res) => {
    tagged ??= withTag(document());
    const { body, tag } = tagged;
    const headers = { ETag: tag, "Cache-Control": "no-cache" };
    const known = (req.headers["if-none-match"] ?? "").split(",").map((one) => one.trim());
    if (known.includes(tag) || known.includes("*")) res.writeHead(304, headers).end();
    else sendPublic(req, res, body, headers);
  };
}

/** Weak, because the bytes are others when they are compressed. */
function withTag(document: object): { body: Buffer; tag: string } {
  const body = Buffer.from(JSON.stringify(document));
  return { body, tag: `W/"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"` };
}

/** Answers OPTIONS with the permitted methods and refuses every other method with 405. */
function otherMethods(methods: readonly string[], { services, log }: RouteContext): Handler {
  const allow = [...methods, "OPTIONS"].join(", ");
  return (req, res) => {
    if (req.method === "OPTIONS") {
      res.writeHead(204, { Allow: allow }).end();
      return;
    }
    const error = new ApiError("method_not_allowed", `This path accepts ${methods.join(" and ")}.`);
    sendAnswer(req, res, refusalAnswer(error, accessOf(services, req), failureLog(log, req, res)), {
      Allow: allow,
    });
  };
}

/** Maps Express' own errors for paths that it cannot decode (an invalid percent sequence). */
function fromExpress(thrown: unknown): unknown {
  const status = thrown instanceof Error && "status" in thrown ? thrown.status : undefined;
  return typeof status === "number" && status >= 400 && status < 500
    ? new ApiError("malformed_request", "The request cannot be read: check its path and its headers.")
    : thrown;
}
