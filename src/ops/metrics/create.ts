import type { IncomingMessage, ServerResponse } from "node:http";
import type { Settings } from "../../config/settings.js";
import type { Metrics, MetricsOptions } from "./service.js";

/** Paths of the portal and of controller links, which have routers of their own (see `routeLabel`). */
const AREAS = [
  "/",
  "/c",
  "/dashboard",
  "/developers",
  "/actuators",
  "/devices",
  "/settings",
  "/admin",
  "/portal",
  "/meter",
  "/bill",
  "/history",
  "/what-if",
  "/why",
  "/compare",
  "/login",
  "/logout",
  "/register",
  "/confirm",
  "/recover",
  "/reset",
];

/** The metrics with their observer and route for the HTTP server; undefined if disabled (nothing is loaded then). */
export async function createMetrics(
  { metrics: { enabled }, node_red: { path } }: Pick<Settings, "metrics" | "node_red">,
  options: Omit<MetricsOptions, "areas">,
) {
  if (!enabled) return undefined;
  const { Metrics } = await import("./service.js");
  const service = new Metrics({ ...options, areas: [...AREAS, path] });
  return { service, observe: service.observe.bind(service), route: metricsRoute(service) };
}

/** Serves `/metrics` without authentication, as usual for Prometheus. */
export function metricsRoute(metrics: Pick<Metrics, "text" | "contentType">) {
  return async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    if (req.method !== "GET" && req.method !== "HEAD") {
      res.writeHead(405, { Allow: "GET, HEAD", "Content-Type": "text/plain; charset=utf-8" });
      res.end("This path takes GET and HEAD.\n");
      return;
    }
    const body = Buffer.from(await metrics.text());
    res.writeHead(200, { "Content-Type": metrics.contentType, "Content-Length": body.length });
    res.end(req.method === "HEAD" ? undefined : body);
  };
}
