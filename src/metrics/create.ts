import type { MetricsOptions } from "./service.js";

/** Paths of the portal and of controller links, which have routers of their own (see `routeLabel`). */
const AREAS = [
  "/",
  "/c",
  "/dashboard",
  "/settings",
  "/admin",
  "/portal",
  "/login",
  "/logout",
  "/register",
  "/confirm",
  "/recover",
  "/reset",
];

/** The metrics with their observer and route for the HTTP server; undefined if disabled (nothing is loaded then). */
export async function createMetrics(
  { enabled, nodeRedPath }: { enabled: boolean; nodeRedPath: string },
  options: Omit<MetricsOptions, "areas">,
) {
  if (!enabled) return undefined;
  const [{ Metrics }, { metricsRoute }] = await Promise.all([import("./service.js"), import("./route.js")]);
  const service = new Metrics({ ...options, areas: [...AREAS, nodeRedPath] });
  return { service, observe: service.observe.bind(service), route: metricsRoute(service) };
}
