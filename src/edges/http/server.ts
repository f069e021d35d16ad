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
import type { HttpLimits, HttpUsage } from "./connection-limiter.js";
import { HttpListener, type ListenerOptions, type TlsIdentity, type UpgradeHandler } from "./listener.js";
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
  tls?: TlsIdentity | undefined;
  log: Log;
  /** Called for every finished request. */
  onAnswered?: ((request: AnsweredRequest) => void) | undefined;
}

export interface HttpServer {
  /** Listens; throws an Error that says what to do if the port is not available. */
  start(): Promise<{ port: number }>;
  /** Accepts no more requests, lets running ones end, and is closed within 3 seconds. */
  stop(): Promise<void>;
  /** Further routes (portal, controller links), matched after the operations and before the 404. */
  routes: Router;
  /**
   * Passes connection upgrades below `pathPrefix` to the handler; other paths get 404. Requests that only offer h2c, as
   * Java clients do with every call, are served as plain HTTP.
   */
  onUpgrade(pathPrefix: string, handler: UpgradeHandler): void;
  /** Connections in use. */
  readonly usage: HttpUsage;
}

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
  const app = createApp(served, context, routes);
  const exact = new ExactRoutes(served, log);
  const open = requestLogging(log, onAnswered);
  const listener = new HttpListener({
    settings,
    name: "http",
    limits,
    proxies,
    hosts,
    isAuthenticated,
    tls: options.tls,
    onRequest: (req, res) => {
      const route = exact.of(req);
      open(req, res, route?.path);
      if (route === undefined) app(req, res);
      else route.serve(req, res);
    },
  });
  return {
    routes,
    onUpgrade: (pathPrefix, handler) => listener.onUpgrade(pathPrefix, handler),
    start: () => listener.start(),
    stop: () => listener.stop(),
    get usage() {
      return listener.usage;
    },
  };
}

function createApp(
  served: ReadonlyMap<Operation, OperationRoute>,
  context: RouteContext,
  routes: Router,
): Express {
  const { services, log } = context;
  const app = express();
  app.disable("x-powered-by").disable("etag");
  app.enable("case sensitive routing");

  const operations = [...served.keys()];
  for (const path of new Set(operations.map((operation) => operation.path))) {
    const route = app.route(path);
    const methods = [];
    for (const [operation, serve] of served) {
      if (operation.path !== path) continue;
      route[operation.method === "GET" ? "get" : "post"](serve);
      methods.push(...(operation.method === "GET" ? ["GET", "HEAD"] : [operation.method]));
    }
    refuseOtherMethods(route, methods, context);
  }

  const openApi = app.route("/openapi.json" as string);
  openApi.get(taggedDocument(() => openApiDocument(operations, services.baseUrl)));
  refuseOtherMethods(openApi, ["GET", "HEAD"], context);
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
  refuseOtherMethods(root, ["GET", "HEAD"], context);

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
function refuseOtherMethods(
  route: ReturnType<Express["route"]>,
  methods: readonly string[],
  { services, log }: RouteContext,
): void {
  const allow = [...methods, "OPTIONS"].join(", ");
  route.options((_req, res) => {
    res.writeHead(204, { Allow: allow });
    res.end();
  });
  route.all((req, res) => {
    const error = new ApiError("method_not_allowed", `This path accepts ${methods.join(" and ")}.`);
    sendAnswer(req, res, refusalAnswer(error, accessOf(services, req), failureLog(log, req, res)), {
      Allow: allow,
    });
  });
}

/** Maps Express' own errors for paths that it cannot decode (an invalid percent sequence). */
function fromExpress(thrown: unknown): unknown {
  const status = thrown instanceof Error && "status" in thrown ? thrown.status : undefined;
  return typeof status === "number" && status >= 400 && status < 500
    ? new ApiError("malformed_request", "The request cannot be read: check its path and its headers.")
    : thrown;
}

interface ExactRoute {
  path: string;
  serve(req: IncomingMessage, res: ServerResponse): void;
}

/**
 * The operations by exact method and path, a fast path for frequent requests. Every other form (HEAD, a trailing slash) is
 * left to the router.
 */
class ExactRoutes {
  readonly #routes: ReadonlyMap<string, ExactRoute>;

  constructor(routes: ReadonlyMap<Operation, OperationRoute>, log: Log) {
    this.#routes = new Map(
      [...routes].map(([{ method, path }, route]) => [
        `${method} ${path}`,
        {
          path,
          serve: (req, res) => {
            route(req, res).catch((thrown: unknown) => {
              failureLog(log, req, res)(thrown);
              res.destroy();
            });
          },
        },
      ]),
    );
  }

  of(req: IncomingMessage): ExactRoute | undefined {
    return this.#routes.get(`${req.method} ${pathOf(req)}`);
  }
}
