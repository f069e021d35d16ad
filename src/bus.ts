import { EventEmitter } from "node:events";
import type { Site } from "./accounts/sites.js";
import type { Sample } from "./domain/sample.js";
import type { ForecastRun } from "./forecast/forecast.js";
import type { PriceSeries } from "./market/price-series.js";
import type { SitePlan } from "./plan/site-plan.js";

/** What happens in the house. Services emit, edges listen; no service knows who does. */
export interface Events {
  /** A plant is new, or its settings are: what stood on the old ones is to be made anew. */
  "site.changed": [Site];
  /** A plant is no longer served; nothing of it is to be shown or computed any more. */
  "site.removed": [{ siteId: string }];
  /** The published prices as seen from now changed (new day, correction, or a replay reached their publication). */
  "price.updated": [PriceSeries];
  "forecast.updated": [ForecastRun];
  /** A site was planned anew; emitted for each new plan, `material` tells whether anyone must act on it. */
  "plan.updated": [SitePlan];
  /** A sample was stored; the live state of the site holds it already. */
  "telemetry.received": [{ siteId: string; sample: Sample }];
  /** Samples are in the history, whatever their time: those that came late and moved nothing, too. */
  "telemetry.stored": [{ siteId: string; samples: readonly Sample[] }];
  /** What a house is expected to use was learnt anew. */
  "load.learnt": [{ siteId: string }];
  /** Something new is known of the weather at the site. */
  "weather.updated": [{ siteId: string }];
  /** What the site's PV is expected to yield was computed anew. */
  "pv.updated": [{ siteId: string }];
  /** What a slot of the site is to do has changed: another window, another demand, plugged in or not, begun or ended. */
  "slots.updated": [{ siteId: string }];
}

/** The one bus of a gateway. */
export type Bus = EventEmitter<Events>;

export function createBus(): Bus {
  const bus = new EventEmitter<Events>();
  // Every site and every edge listens; the default warning at eleven listeners would be a false alarm.
  bus.setMaxListeners(0);
  return bus;
}

/** Hears of the given events until the returned function is called. */
export function subscribe(
  bus: Bus,
  listeners: { readonly [Name in keyof Events]?: (...event: Events[Name]) => void },
): () => void {
  const heard = Object.entries(listeners) as [keyof Events, () => void][];
  for (const [name, listener] of heard) bus.on(name, listener);
  return () => {
    for (const [name, listener] of heard) bus.off(name, listener);
  };
}
