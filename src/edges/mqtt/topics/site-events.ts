import type { Site } from "../../../config/site.js";
import type { Bus, Events } from "../../../core/bus.js";
import { HOUR_MS, QUARTER_MS } from "../../../core/domain/interval.js";
import type { Log } from "../../../core/log.js";
import { type Cancel, type Clock, onEach } from "../../../core/time/clock.js";
import { Turns } from "../../../core/work/turns.js";
import type { HomeAssistantDiscovery } from "../home-assistant/discovery.js";
import type { DisplayMirror } from "./display.js";
import type { Mirror } from "./mirror.js";

export interface SiteEventOptions {
  bus: Bus;
  clock: Clock;
  sites(): readonly Site[];
  mirror: Mirror;
  display: DisplayMirror;
  /** Publishes the slots of a plant. */
  mirrorSlots(plant: string): void;
  /** Publishes absences and guests of a plant. */
  mirrorPresence(plant: string): void;
  /** Publishes the actuators of a plant. */
  mirrorActuators(plant: string): void;
  /** Publishes the devices of a plant; true if other topics are published than before. */
  mirrorDevices(plant: string): boolean;
  announcer: HomeAssistantDiscovery;
  /** The plants or their telemetry maps have changed. */
  onSitesChanged(): void;
  onSiteRemoved(plant: string): void;
  log: Log;
}

/** Publishes changes of the sites until it is cancelled. */
export function subscribeSiteEvents(options: SiteEventOptions): Cancel {
  const { bus, clock, sites, mirror, display, announcer, log } = options;
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
  /** A controller that uses `charge_now` does not wait for the whole plan, and two plans in a turn make one document. */
  const documents = new Turns<string, "plan">(
    (id) => {
      guarded(() => mirror.planDocument(id));
      guarded(() => display.plan(id));
      guarded(() => announcer.explain(id));
    },
    undefined,
    { isFirstAtOnce: false },
  );
  cancels.push(() => documents.stop());
  const mirrorPlan = (id: string) => {
    guarded(() => mirror.plan(id));
    documents.add([id], "plan");
  };
  const turns = new Turns<string, "forecast" | "prices">(
    (id, what) => {
      mirrorPlan(id);
      guarded(() => display.prices(id));
      guarded(() => display.pv(id));
      if (what === "forecast") guarded(() => mirror.forecast(id));
    },
    (waiting, added) => (waiting === "forecast" ? waiting : added),
  );
  cancels.push(() => turns.stop());
  /** The current price is also published for plants without a plan; it changes with the forecast and the quarter-hour. */
  const mirrorAll = (what: "forecast" | "prices") =>
    turns.add(
      sites().map(({ id }) => id),
      what,
    );
  const mirrorForecasts = () => mirrorAll("forecast");
  const mirrorPv = (id: string) => {
    guarded(() => mirror.pvForecast(id));
    guarded(() => display.pv(id));
  };
  const mirrorSavings = (id: string) => {
    guarded(() => mirror.savings(id));
    guarded(() => display.today(id));
  };
  const mirrorSlots = (plant: string) => {
    guarded(() => announcer.announce(plant));
    guarded(() => options.mirrorSlots(plant));
  };

  on("plan.updated", ({ siteId }) => {
    if (sites().some(({ id }) => id === siteId)) mirrorPlan(siteId);
  });
  on("slots.updated", ofPlant(mirrorSlots));
  on(
    "sessions.updated",
    ofPlant((id) => display.sessions(id)),
  );
  on("telemetry.received", ({ siteId }) => {
    if (display.counters(siteId)) announcer.announce(siteId);
  });
  on("load.learned", ofPlant(options.mirrorPresence));
  on("actuator.changed", ofPlant(options.mirrorActuators));
  on("device.read", ({ siteId }) => {
    const isServed = sites().some(({ id }) => id === siteId);
    if (isServed && options.mirrorDevices(siteId)) announcer.announce(siteId);
  });
  on("pv.updated", ofPlant(mirrorPv));
  on("savings.updated", ofPlant(mirrorSavings));
  on("forecast.updated", mirrorForecasts);
  on("price.updated", mirrorForecasts);
  on("site.changed", ({ id }) => {
    options.onSitesChanged();
    mirrorSlots(id);
    guarded(() => options.mirrorPresence(id));
    mirrorPv(id);
    mirrorSavings(id);
    turns.add([id], "forecast");
    turns.runNow(id);
  });
  on("account.language_changed", ({ accountId }) => {
    for (const site of sites()) if (site.accountId === accountId) announcer.announce(site.id);
  });
  on("site.removed", ({ siteId }) => {
    announcer.remove(siteId);
    turns.remove(siteId);
    documents.remove(siteId);
    display.forget(siteId);
    options.onSiteRemoved(siteId);
    options.onSitesChanged();
  });
  // The forecast starts with the current hour, so it changes every hour.
  cancels.push(
    onEach(clock, QUARTER_MS, (at) => mirrorAll(at.getTime() % HOUR_MS === 0 ? "forecast" : "prices")),
    () => display.stop(),
  );
  for (const { id } of sites()) {
    mirrorSlots(id);
    guarded(() => options.mirrorPresence(id));
    mirrorPv(id);
    mirrorSavings(id);
    guarded(() => display.counters(id));
    guarded(() => display.sessions(id));
  }
  mirrorForecasts();
  return () => {
    for (const cancel of cancels.splice(0)) cancel();
  };
}
