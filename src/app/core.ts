import { Quotas } from "../accounts/quotas.js";
import { createOperations } from "../api/catalogue.js";
import { webhookEvents } from "../api/documents/webhook-events.js";
import type { Services } from "../api/services.js";
import type { Settings } from "../config/settings.js";
import type { HealthRegistry } from "../core/health-registry.js";
import type { Log } from "../core/log.js";
import type { Clock } from "../core/time/clock.js";
import { VIENNA } from "../core/time/zone.js";
import { Webhooks } from "../messages/webhooks/service.js";
import { siteCard } from "../messages/webhooks/site-card.js";
import { WhatIfService } from "../money/compare/service.js";
import { type FoundationOptions, openFoundation } from "./foundation.js";
import { startInputs } from "./inputs.js";
import { accountsWithUses } from "./last-uses.js";
import { startPlanning } from "./planning.js";

/** The started services that all edges use, by name. */
export type Core = Awaited<ReturnType<typeof startCore>>;

interface CoreOptions extends FoundationOptions {
  /** Address of the API. */
  apiUrl: () => string;
  /** The port of MQTT; undefined until it listens. */
  mqttPort: () => number | undefined;
  /** The devices of a site, which are created after the core. */
  devices: Services["devices"]["list"];
  /** Number of loads sampled for the expectation of a plan; undefined: that of the plan service. */
  sampledLoads?: number | undefined;
  /** Called once, as soon as the states of components can be reported. */
  onComponents?: (components: HealthRegistry) => void;
}

/** Starts data, inputs, webhooks and planning. */
export async function startCore(settings: Settings, options: CoreOptions) {
  const { running, apiUrl, mqttPort, devices, sampledLoads } = options;
  const foundation = await openFoundation(settings, options);
  options.onComponents?.(foundation.components);
  const inputs = await startInputs(settings, foundation, running);
  const { registry, state } = foundation;
  // Before the forecast, whose first run already emits an event.
  const webhooks = await running.begin(
    new Webhooks({
      ...foundation,
      sites: registry,
      events: webhookEvents,
      baseUrl: apiUrl,
      siteCard: (siteId) => siteCard(siteId, registry, state.data),
    }),
  );
  const planning = await startPlanning(settings, { foundation, inputs, running, sampledLoads });
  const quotas = await quotasOf(settings, foundation);
  if ("start" in quotas) await running.begin(quotas);
  const { loads, pv } = inputs;
  const whatIf = new WhatIfService({ ...foundation, ...inputs, ...planning });
  running.add(whatIf);
  const services: Services = {
    ...foundation,
    ...inputs,
    ...planning,
    get baseUrl() {
      return apiUrl();
    },
    mqtt: (siteId) => ({
      url: brokerOf(settings),
      port: mqttPort() ?? configuredPort(settings),
      prefix: foundation.moved.origin(siteId) ?? settings.mqtt.prefix,
    }),
    devices: { list: devices },
    whatIf,
    zoneDefault: VIENNA,
    quality: (siteId) => ({ load: loads.quality(siteId), pv: pv.quality(siteId) }),
    accounts: accountsWithUses(foundation),
    quotas,
    quotaTable: settings.quotas,
  };
  const operations = createOperations(services);
  return { ...foundation, ...inputs, ...planning, webhooks, services, operations, apiUrl };
}

/** Port of the embedded broker, for clients that ask before it listens; null without one. */
function configuredPort({ mqtt: { broker, external } }: Settings): number | null {
  return broker.enabled && external.url === null && broker.port > 0 ? broker.port : null;
}

/** The external broker without credentials; null without one. */
function brokerOf({ mqtt }: Settings): string | null {
  if (mqtt.external.url === null) return null;
  const url = new URL(mqtt.external.url);
  url.username = "";
  url.password = "";
  return url.href;
}

/** Counts calls in memory, or in Redis if configured; its client is loaded only then. */
async function quotasOf(
  { quotas: table, redis }: Settings,
  { clock, components, log }: { clock: Clock; components: HealthRegistry; log: Log },
) {
  if (redis.url === null) return new Quotas({ table, clock });
  const { RedisQuotas } = await import("../accounts/redis-quotas.js");
  return new RedisQuotas({ table, settings: { ...redis, url: redis.url }, clock, components, log });
}
