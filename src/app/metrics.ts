import type { Services } from "../api/services.js";
import type { Settings } from "../config/settings.js";
import type { ActuatorService } from "../equipment/service.js";
import type { Webhooks } from "../messages/webhooks/service.js";
import { createMetrics } from "../ops/metrics/create.js";
import type { MetricsOptions } from "../ops/metrics/service.js";
import type { Foundation } from "./foundation.js";
import type { Inputs } from "./inputs.js";
import type { Planning } from "./planning.js";
import type { Running } from "./running.js";

/** What the metrics show of the core. */
interface MetricsCore {
  foundation: Foundation;
  inputs: Inputs;
  planning: Planning;
  webhooks: Webhooks;
  services: Services;
}

/** The metrics, started; undefined if they are switched off. */
export async function startMetrics(
  { metrics: settings, node_red: nodeRed }: Settings,
  { foundation, inputs, planning, webhooks, services }: MetricsCore,
  {
    actuators,
    usage,
    running,
  }: { actuators: ActuatorService; usage: MetricsOptions["usage"]; running: Running },
) {
  const { bus, registry, dataFolder } = foundation;
  const metrics = await createMetrics(
    { enabled: settings.enabled, nodeRedPath: nodeRed.path },
    {
      ...services,
      bus,
      sites: registry,
      socAt: (siteId) => inputs.telemetry.live(siteId).soc_pct?.at,
      savings: (siteId) => planning.savings.now(siteId),
      deliveries: (siteId) => webhooks.deliveries(siteId),
      actuators: (siteId) => actuators.list(siteId),
      usage,
      dataFolder,
    },
  );
  if (metrics !== undefined) await running.begin(metrics.service);
  return metrics;
}
