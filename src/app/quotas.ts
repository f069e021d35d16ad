import { Quotas } from "../accounts/quotas.js";
import type { Settings } from "../config/settings.js";
import type { HealthRegistry } from "../core/health-registry.js";
import type { Log } from "../core/log.js";
import type { Clock } from "../core/time/clock.js";

/** Counts calls in memory, or in Redis if configured; its client is loaded only then. */
export async function quotasOf(
  { quotas: table, redis }: Settings,
  { clock, components, log }: { clock: Clock; components: HealthRegistry; log: Log },
) {
  if (redis.url === null) return new Quotas({ table, clock });
  const { RedisQuotas } = await import("../accounts/redis-quotas.js");
  return new RedisQuotas({ table, settings: { ...redis, url: redis.url }, clock, components, log });
}
