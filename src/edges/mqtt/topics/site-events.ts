import type { Site } from "../../../config/site.js";
import type { Bus, Events } from "../../../core/bus.js";
import { HOUR_MS } from "../../../core/domain/interval.js";
import type { Log } from "../../../core/log.js";
import { type Cancel, type Clock, onEach } from "../../../core/time/clock.js";
import { Turns } from "../../../core/work/turns.js";
import type { HomeAssistantDiscovery } from "../home-assistant/discovery.js";
import type { Mirror } from "./mirror.js";

export interface SiteEventOptions {
  bus: Bus;
  clock: Clock;
  sites(): readonly Site[];
  mirror: Mirror;
  /** Publishes the slots of a plant. */
  mirrorSlots(plant: string): void;
  /** Publishes the actuators of a plant. */
  mirrorActuators(plant: string): void;
  announcer: HomeAssistantDiscovery;
  /** The plants or their telemetry maps have changed. */
  onSitesChanged(): void;
  onSiteRemoved(plant: string): void;
  log: Log;
}

/** Publishes changes of the sites until it is cancelled. */
export function subscribeSiteEvents(options: SiteEventOptions): Cancel {
  const { bus, clock, sites, mirror, announcer, log } = options;
  const cancels: Cancel[] = [];
  /** Errors are not propagated to the emitter. */
  const guarded = (work: () => void) => {
    try {
      work();
    } catch (error) {
      log.error({ err: error }, "The outputs could not be published over MQTT; the previous values remain.");
    }
  };
  const on = <Name extends keyof Events>(name: Name, listener: (...payload: Events[Name]) => void) => {
    const caught = (...payload: Events[Name]) => guarded(() => listener(...payload));
    bus.on(name, caught as never);
    cancels.push(() => bus.off(name, caught as never));
  };
  /** Ignores events of plants that have been removed. */
  const ofPlant = (work: (plant: string) => void) => (event: { siteId: string }) => {
    if (!sites().some(({ id }) => id === event.siteId)) return;
    guarded(() => work(event.siteId));
    announcer.explain(event.siteId);
  };
  const turns = new Turns<string, "forecast">((id) => {
    guarded(() => mirror.plan(id));
    guarded(() => mirror.forecast(id));
    announcer.explain(id);
  });
  cancels.push(() => turns.stop());
  /** The current price is also published for plants without a plan; it changes with the forecast and the hour. */
  const mirrorForecasts = () =>
    turns.add(
      sites().map(({ id }) => id),
      "forecast",
    );
  const mirrorSlots = (plant: string) => {
    guarded(() => announcer.announce(plant));
    guarded(() => options.mirrorSlots(plant));
  };

  on("plan.updated", ofPlant(mirror.plan));
  on("slots.updated", ofPlant(mirrorSlots));
  on("actuator.changed", ofPlant(options.mirrorActuators));
  on("pv.updated", ofPlant(mirror.pvForecast));
  on("savings.updated", ofPlant(mirror.savings));
  on("forecast.updated", mirrorForecasts);
  on("price.updated", mirrorForecasts);
  on("site.changed", ({ id }) => {
    options.onSitesChanged();
    mirrorSlots(id);
    guarded(() => mirror.pvForecast(id));
    guarded(() => mirror.savings(id));
    guarded(() => mirror.plan(id));
    guarded(() => mirror.forecast(id));
    announcer.explain(id);
  });
  on("account.language_changed", ({ accountId }) => {
    for (const site of sites()) if (site.accountId === accountId) announcer.announce(site.id);
  });
  on("site.removed", ({ siteId }) => {
    announcer.remove(siteId);
    turns.remove(siteId);
    options.onSiteRemoved(siteId);
    options.onSitesChanged();
  });
  // The forecast starts with the current hour, so it changes every hour.
  cancels.push(onEach(clock, HOUR_MS, mirrorForecasts));
  for (const { id } of sites()) {
    mirrorSlots(id);
    guarded(() => mirror.pvForecast(id));
    guarded(() => mirror.savings(id));
  }
  mirrorForecasts();
  return () => {
    for (const cancel of cancels.splice(0)) cancel();
  };
}
