import type { MetricsOptions } from "./service.js";

/** Where the portal and the controllers' links live: they find their pages themselves (see `routeLabel`). */
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

/** The metrics and what the HTTP edge needs of them; undefined where they are off, and nothing is loaded then. */
export async function createMetrics(
  { enabled, nodeRedPath }: { enabled: boolean; nodeRedPath: string },
  options: Omit<MetricsOptions, "areas">,
) {
  if (!enabled) return undefined;
  const [{ Metrics }, { metricsRoute }] = await Promise.all([import("./service.js"), import("./route.js")]);
  const service = new Metrics({ ...options, areas: [...AREAS, nodeRedPath] });
  return { service, observe: service.observe.bind(service), route: metricsRoute(service) };
}
