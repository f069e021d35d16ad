import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import express, { type Express, type NextFunction, type Request, type Response, Router } from "express";
import { basicAccess } from "../accounts/access.js";
import { ApiError } from "../api/errors.js";
import type { Operation } from "../api/operation.js";
import { refusalAnswer } from "../api/request.js";
import type { Services } from "../api/services.js";
import type { Log } from "../log.js";
import { AnswerCache } from "./answer-cache.js";
import { ExactRoutes } from "./exact-routes.js";
import { close, listenHttp } from "./listen.js";
import { answerMalformed } from "./malformed.js";
import { openApiDocument } from "./openapi.js";
import {
  accessOf,
  failureLog,
  type OperationRoute,
  operationRoute,
  type RouteContext,
} from "./operation-route.js";
import { isOfferOnly, servePlain } from "./plain-upgrade.js";
import { type AnsweredRequest, requestLogging } from "./request-logging.js";
import { sendAnswer, sendBytes } from "./send.js";

/** Idle time after which a connection is closed. */
const IDLE_MS = 60_000;

export type UpgradeHandler = (req: IncomingMessage, socket: Duplex, head: Buffer) => void;

export interface HttpServerOptions {
  operations: readonly Operation[];
  services: Services;
  settings: { host: string; port: number; trust_proxy: boolean };
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
}

/** The HTTP edge: the operations and the mounted routers, as Express routes on a node:http server. */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { operations, services, settings, log, onAnswered } = options;
  const context: RouteContext = {
    services,
    trustProxy: settings.trust_proxy,
    cache: new AnswerCache(),
    perSecondCache: new AnswerCache({ maxEntries: 16, maxBytes: 1024 * 1024 }),
    log,
  };
  const routes = Router();
  const served = new Map(operations.map((operation) => [operation, operationRoute(operation, context)]));
  const app = createApp(served, context, routes);
  const exact = new ExactRoutes(served, log);
  const open = requestLogging(log, onAnswered);
  const server = createServer(
    // Simple controllers send HTTP/1.1 without Host.
    {
      requestTimeout: 30_000,
      headersTimeout: 15_000,
      // Node checks the two limits above only every 30 s by default.
      connectionsCheckingInterval: 5_000,
      requireHostHeader: false,
    },
    (req, res) => {
      const route = exact.of(req);
      open(req, res, route?.path);
      if (route === undefined) app(req, res);
      else route.serve(req, res);
    },
  );
  // Closes the connection of a client that does not read its answers. Event streams send data more often than that.
  server.setTimeout(IDLE_MS);
  server.maxConnections = 2000;
  const lastAnswers = new WeakMap<Duplex, ServerResponse>();
  server.on("clientError", (error, socket) => answerMalformed(error, socket, lastAnswers.get(socket)));
  let stopping = false;
  // Before the app, so that an answer given while stopping ends its connection.
  server.prependListener("request", (req, res) => {
    lastAnswers.set(req.socket, res);
    if (stopping) res.setHeader("Connection", "close");
  });

  const upgrades = new Map<string, UpgradeHandler>();
  return {
    routes,
    onUpgrade(pathPrefix, handler) {
      if (upgrades.size === 0)
        server.on("upgrade", (req, socket, head) =>
          isOfferOnly(req) ? servePlain(server, req, socket, head) : upgrade(upgrades, req, socket, head),
        );
      upgrades.set(pathPrefix, handler);
    },
    start: () => listenHttp(server, settings),
    stop: async () => {
      stopping = true;
      await close(server);
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

  let openApi: Buffer | undefined;
  serveFixed(app, "/openapi.json", context, () => {
    openApi ??= Buffer.from(JSON.stringify(openApiDocument(operations, services.baseUrl)));
    return openApi;
  });
  app.use(routes);
  serveFixed(app, "/", context, () =>
    Buffer.from(
      JSON.stringify({
        name: "hourgate",
        version: services.version,
        status_path: "/v1/status",
        health_path: "/health",
        openapi_path: "/openapi.json",
      }),
    ),
  );

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

function serveFixed(app: Express, path: string, context: RouteContext, body: () => Buffer): void {
  const route = app.route(path).get((req, res) => sendBytes(req, res, 200, body()));
  refuseOtherMethods(route, ["GET", "HEAD"], context);
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

function upgrade(
  handlers: ReadonlyMap<string, UpgradeHandler>,
  req: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): void {
  // The server no longer handles the socket: an error without a listener would end the process.
  socket.on("error", () => socket.destroy());
  const path = (req.url ?? "").split("?")[0]!;
  const found = [...handlers].find(([prefix]) => path === prefix || path.startsWith(`${prefix}/`));
  if (found === undefined) {
    socket.end("HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    return;
  }
  found[1](req, socket, head);
}
