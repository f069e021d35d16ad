import type { Site } from "../../../config/site.js";
import type { Bus, Events } from "../../../core/bus.js";
import { floorTo, HOUR_MS, QUARTER_MS } from "../../../core/domain/interval.js";
import type { Log } from "../../../core/log.js";
import { type Cancel, type Clock, onEach } from "../../../core/time/clock.js";
import { Turns } from "../../../core/work/turns.js";
import type { SitePlan } from "../../../plan/site-plan.js";
import type { HomeAssistantDiscovery } from "../home-assistant/discovery.js";
import type { DisplayMirror } from "./display.js";
import type { Mirror } from "./mirror.js";
import type { PacedValues } from "./paced-values.js";
import type { Topics } from "./topics.js";

export interface SiteEventOptions {
  bus: Bus;
  clock: Clock;
  sites(): readonly Site[];
  isServed(siteId: string): boolean;
  mirror: Mirror;
  display: DisplayMirror;
  paced: Pick<PacedValues, "forget" | "stop">;
  topics: Topics;
  mirrorSlots(plant: string): void;
  mirrorPresence(plant: string): void;
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
  const { bus, clock, sites, isServed, mirror, display, paced, topics, announcer, log } = options;
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
    if (!isServed(event.siteId)) return;
    guarded(() => work(event.siteId));
    announcer.explain(event.siteId);
  };
  /** A controller that uses `charge_now` does not wait for the whole plan, and two plans in a turn make one document. */
  const documents = new Turns<string, "new" | "corrected">(
    (id, what) => {
      guarded(() => mirror.planDocument(id, what === "new"));
      guarded(() => display.plan(id));
      guarded(() => display.nowAndNext(id, what === "new"));
      guarded(() => announcer.explain(id));
    },
    (waiting, added) => (waiting === "new" ? waiting : added),
    { isFirstAtOnce: false },
  );
  cancels.push(() => documents.stop());
  const plans = new Map<string, SitePlan>();
  const mirrorPlan = (id: string, what: "new" | "corrected" = "new") => {
    guarded(() => mirror.plan(id));
    documents.add([id], what);
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
    guarded(() => display.nowAndNext(plant, false));
  };

  on("plan.updated", (plan) => {
    const { siteId } = plan;
    if (!isServed(siteId)) return;
    const before = plans.get(siteId);
    plans.set(siteId, plan);
    mirrorPlan(siteId, before !== undefined && isCorrected(before, plan) ? "corrected" : "new");
  });
  on("slots.updated", ofPlant(mirrorSlots));
  on(
    "sessions.updated",
    ofPlant((id) => display.sessions(id)),
  );
  on("telemetry.received", ({ siteId }) => {
    if (display.counters(siteId)) announcer.announce(siteId);
    if (isServed(siteId)) display.nowAndNext(siteId, false);
  });
  on("load.learned", ofPlant(options.mirrorPresence));
  on("actuator.changed", ofPlant(options.mirrorActuators));
  on("device.read", ({ siteId }) => {
    if (isServed(siteId) && options.mirrorDevices(siteId)) announcer.announce(siteId);
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
    paced.forget(topics.of(siteId, ""));
    plans.delete(siteId);
    display.forget(siteId);
    options.onSiteRemoved(siteId);
    options.onSitesChanged();
  });
  // The forecast starts with the current hour, so it changes every hour.
  cancels.push(
    onEach(clock, QUARTER_MS, (at) => {
      const isHour = at.getTime() % HOUR_MS === 0;
      mirrorAll(isHour ? "forecast" : "prices");
      // Nothing is known yet of a day that begins.
      if (isHour) for (const { id } of sites()) mirrorSavings(id);
    }),
    () => paced.stop(),
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

/** Whether only figures of the plan have changed since the one before, as they do with each reading. */
function isCorrected(before: SitePlan, plan: SitePlan): boolean {
  return (
    !plan.material &&
    plan.command.mode === before.command.mode &&
    plan.scalars.chargeNow === before.scalars.chargeNow &&
    plan.override === before.override &&
    floorTo(plan.issuedAt.getTime(), QUARTER_MS) === floorTo(before.issuedAt.getTime(), QUARTER_MS)
  );
}
