import type { Site } from "../accounts/sites.js";
import type { Bus, Events } from "../bus.js";
import { HOUR_MS } from "../domain/interval.js";
import type { Log } from "../log.js";
import { type Cancel, type Clock, onEach } from "../time/clock.js";
import type { HomeAssistantDiscovery } from "./home-assistant-discovery.js";
import type { Mirror } from "./mirror.js";

export interface SiteEventOptions {
  bus: Bus;
  clock: Clock;
  sites(): readonly Site[];
  mirror: Mirror;
  /** Writes the slots of a plant. */
  mirrorSlots(plant: string): void;
  announcer: HomeAssistantDiscovery;
  /** The plants or their topics of other devices are others now. */
  onSitesChanged(): void;
  onSiteRemoved(plant: string): void;
  log: Log;
}

/** Mirrors what happens in the house onto the topics, from the start until it is cancelled. */
export function subscribeSiteEvents(options: SiteEventOptions): Cancel {
  const { bus, clock, sites, mirror, announcer, log } = options;
  const cancels: Cancel[] = [];
  /** The mirror reads other parts' documents; a fault there must not reach the service whose event brought us here. */
  const guarded = (work: () => void) => {
    try {
      work();
    } catch (error) {
      log.error({ err: error }, "The outputs could not be mirrored to MQTT; the last ones stand.");
    }
  };
  const on = <Name extends keyof Events>(name: Name, listener: (...payload: Events[Name]) => void) => {
    const careful = (...payload: Events[Name]) => guarded(() => listener(...payload));
    bus.on(name, careful as never);
    cancels.push(() => bus.off(name, careful as never));
  };
  /** An event of a plant may come when the plant is gone already. */
  const ofPlant = (work: (plant: string) => void) => (event: { siteId: string }) => {
    if (sites().some(({ id }) => id === event.siteId)) work(event.siteId);
  };
  /** A plant without a plan still shows what a kWh costs now, which changes with the forecast and the hour. */
  const mirrorForecasts = () => {
    for (const { id } of sites()) {
      guarded(() => mirror.plan(id));
      guarded(() => mirror.forecast(id));
    }
  };
  const mirrorSlots = (plant: string) => {
    guarded(() => announcer.announce(plant));
    guarded(() => options.mirrorSlots(plant));
  };

  on("plan.updated", ofPlant(mirror.plan));
  on("slots.updated", ofPlant(mirrorSlots));
  on("pv.updated", ofPlant(mirror.pvForecast));
  on("forecast.updated", mirrorForecasts);
  on("price.updated", mirrorForecasts);
  on("site.changed", ({ id }) => {
    options.onSitesChanged();
    mirrorSlots(id);
    guarded(() => mirror.pvForecast(id));
    guarded(() => mirror.plan(id));
    guarded(() => mirror.forecast(id));
  });
  on("site.removed", ({ siteId }) => {
    announcer.remove(siteId);
    options.onSiteRemoved(siteId);
    options.onSitesChanged();
  });
  // The forecast begins with the hour in progress, so it changes with the hour.
  cancels.push(onEach(clock, HOUR_MS, mirrorForecasts));
  for (const { id } of sites()) {
    mirrorSlots(id);
    guarded(() => mirror.pvForecast(id));
  }
  mirrorForecasts();
  return () => {
    for (const cancel of cancels.splice(0)) cancel();
  };
}
