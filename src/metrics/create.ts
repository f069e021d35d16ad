import type { MetricsOptions } from "./service.js";

/** Paths of the portal and the controller links, which have their own routing (see `routeLabel`). */
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
];

/** The metrics and their HTTP route; undefined, with nothing loaded, if they are disabled. */
export async function createMetrics(
  { enabled, nodeRedPath }: { enabled: boolean; nodeRedPath: string },
  options: Omit<MetricsOptions, "areas">,
) {
  if (!enabled) return undefined;
  const [{ Metrics }, { metricsRoute }] = await Promise.all([import("./service.js"), import("./route.js")]);
  const service = new Metrics({ ...options, areas: [...AREAS, nodeRedPath] });
  return { service, observe: service.observe.bind(service), route: metricsRoute(service) };
}
