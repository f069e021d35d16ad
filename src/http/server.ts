import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import express, { type Express, type NextFunction, type Request, type Response, Router } from "express";
import helmet from "helmet";
import { basicAccess } from "../accounts/access.js";
import { ApiError } from "../api/errors.js";
import type { Operation } from "../api/operation.js";
import { refusal } from "../api/request.js";
import type { Services } from "../api/services.js";
import type { Log } from "../log.js";
import { AnswerCache } from "./answer-cache.js";
import { close, listen } from "./listen.js";
import { answerMalformed } from "./malformed.js";
import { openApiDocument } from "./openapi.js";
import { accessOf, failureLog, operationRoute, type RouteContext } from "./operation-route.js";
import { isOfferOnly, servePlain } from "./plain-upgrade.js";
import { sendAnswer, sendBytes } from "./send.js";

/** A connection over which nothing has moved for so long is closed. */
const SILENCE_MS = 60_000;

export type UpgradeHandler = (req: IncomingMessage, socket: Duplex, head: Buffer) => void;

export interface HttpServerOptions {
  operations: readonly Operation[];
  services: Services;
  settings: { host: string; port: number; trust_proxy: boolean };
  log: Log;
  /** Told of every request once it is over. */
  onAnswered?: ((request: AnsweredRequest) => void) | undefined;
}

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

export interface HttpServer {
  /** Listens; throws an Error that says what to do when the port cannot be had. */
  start(): Promise<{ port: number }>;
  /** Takes no more work, lets running requests end, and is closed within 3 seconds. */
  stop(): Promise<void>;
  /** Further routes (portal, controller links); they are asked after the operations and before the 404. */
  routes: Router;
  /**
   * Hands connection upgrades of `pathPrefix` over; other paths get 404. Requests that merely offer h2c, as Java clients
   * do with every call, are served as plain HTTP.
   */
  onUpgrade(pathPrefix: string, handler: UpgradeHandler): void;
  app: Express;
}

/** The HTTP edge: the operations as Express routes on a node:http server. */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { operations, services, settings, log, onAnswered } = options;
  const context: RouteContext = {
    services,
    trustProxy: settings.trust_proxy,
    cache: new AnswerCache(),
    momentary: new AnswerCache({ maxEntries: 16, maxBytes: 1024 * 1024 }),
    log,
  };
  const routes = Router();
  const app = createApp(operations, context, { routes, onAnswered });
  const server = createServer(
    // Simple controllers send HTTP/1.1 without Host; nothing here depends on it.
    {
      requestTimeout: 30_000,
      headersTimeout: 15_000,
      // Node looks after the two limits above only every 30 s by itself.
      connectionsCheckingInterval: 5_000,
      requireHostHeader: false,
    },
    app,
  );
  // A client that sends requests and reads no answer: nothing else ends its connection. Event streams say something
  // more often than that.
  server.setTimeout(SILENCE_MS);
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
    app,
    routes,
    onUpgrade(pathPrefix, handler) {
      if (upgrades.size === 0)
        server.on("upgrade", (req, socket, head) =>
          isOfferOnly(req) ? servePlain(server, req, socket, head) : upgrade(upgrades, req, socket, head),
        );
      upgrades.set(pathPrefix, handler);
    },
    start: () => listen(server, settings),
    stop: async () => {
      stopping = true;
      await close(server);
    },
  };
}

function createApp(
  operations: readonly Operation[],
  context: RouteContext,
  { routes, onAnswered }: { routes: Router; onAnswered: HttpServerOptions["onAnswered"] },
): Express {
  const { services, log } = context;
  const app = express();
  app.disable("x-powered-by").disable("etag");
  app.enable("case sensitive routing");
  app.use((req, res, next) => {
    res.setHeader("X-Request-Id", requestId(req));
    res.setHeader("Cache-Control", "no-store");
    logRequest(log, req, res);
    if (onAnswered !== undefined) tellWhenOver(req, res, onAnswered);
    next();
  });
  app.use(
    helmet({
      // Served as plain HTTP on the LAN: browsers must not be sent to an https that is not there.
      strictTransportSecurity: false,
      contentSecurityPolicy: { directives: { "upgrade-insecure-requests": null } },
    }),
  );

  for (const path of new Set(operations.map((operation) => operation.path))) {
    const served = operations.filter((operation) => operation.path === path);
    const route = app.route(path);
    for (const operation of served) {
      route[operation.method === "GET" ? "get" : "post"](operationRoute(operation, context));
    }
    const methods = served.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]));
    refuseOtherMethods(route, methods, context);
  }

  let openApi: Buffer | undefined;
  serveFixed(app, "/openapi.json", context, () => {
    openApi ??= Buffer.from(
      JSON.stringify(openApiDocument(operations, { version: services.version, baseUrl: services.baseUrl })),
    );
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
    sendAnswer(req, res, refusal(error, accessOf(services, req), failureLog(log, req, res)));
  });
  app.use((thrown: unknown, req: Request, res: Response, _next: NextFunction) => {
    sendAnswer(req, res, refusal(fromExpress(thrown), basicAccess(false), failureLog(log, req, res)));
  });
  return app;
}

function serveFixed(app: Express, path: string, context: RouteContext, body: () => Buffer): void {
  const route = app.route(path).get((req, res) => sendBytes(req, res, 200, body()));
  refuseOtherMethods(route, ["GET", "HEAD"], context);
}

/** OPTIONS is told the methods, every other method is refused with them. */
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
    const error = new ApiError("method_not_allowed", `This path takes ${methods.join(" and ")}.`);
    sendAnswer(req, res, refusal(error, accessOf(services, req), failureLog(log, req, res)), {
      Allow: allow,
    });
  });
}

/** The caller's own id where it is well-formed, so that its log and ours can be laid side by side. */
function requestId(req: IncomingMessage): string {
  const given = req.headers["x-request-id"];
  return typeof given === "string" && /^[\w.:+=/-]{1,128}$/.test(given) ? given : randomUUID();
}

/** Only the path is logged, without the token of a controller link: no secret of a URL must end up in a file. */
function logRequest(log: Log, req: Request, res: Response): void {
  const startedMs = performance.now();
  // Read at once: a mounted router cuts its own path off while it answers.
  const path = req.path.replace(/(\/c\/+)[^/]+/i, "$1<token>");
  res.once("finish", () =>
    log.debug(
      {
        method: req.method,
        path,
        status: res.statusCode,
        ms: Math.round((performance.now() - startedMs) * 10) / 10,
        requestId: res.getHeader("X-Request-Id"),
      },
      "Answered.",
    ),
  );
}

function tellWhenOver(req: Request, res: Response, onAnswered: (request: AnsweredRequest) => void): void {
  const startedMs = performance.now();
  const { method, path } = req;
  res.once("close", () => {
    const pattern: unknown = req.baseUrl === "" ? req.route?.path : undefined;
    onAnswered({
      method,
      path,
      pattern: typeof pattern === "string" ? pattern : undefined,
      status: res.writableFinished ? res.statusCode : undefined,
      seconds: (performance.now() - startedMs) / 1000,
    });
  });
}

/** Express refuses by itself what it cannot decode (a path with a broken percent sign). */
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
  // From here on the socket is nobody's: a reset without a listener would end the process.
  socket.on("error", () => socket.destroy());
  const path = (req.url ?? "").split("?")[0]!;
  const found = [...handlers].find(([prefix]) => path === prefix || path.startsWith(`${prefix}/`));
  if (found === undefined) {
    socket.end("HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    return;
  }
  found[1](req, socket, head);
}
