import type { Site } from "../../config/site.js";
import type { SiteParts, SiteRuntimes } from "../../config/site-runtimes.js";
import { type Bus, subscribe } from "../../core/bus.js";
import type { ComponentSentence } from "../../core/domain/component-sentence.js";
import { type EnergyStep, type Interval, MINUTE_MS, QUARTER_MS } from "../../core/domain/interval.js";
import type { HealthRegistry } from "../../core/health-registry.js";
import { type Cancel, type Clock, onEach } from "../../core/time/clock.js";
import type { PriceSeries } from "../../forecast/market/price-series.js";
import type { ForecastHour } from "../../forecast/price/forecast.js";
import type { Prices } from "../../tariff/compile-tariff.js";
import type { BatterySharePct } from "../site-input.js";
import { type FlexKnowledge, HORIZON_HOURS } from "./answer.js";
import { batterySharePct, flexLoadKwh, wallboxUse } from "./load.js";
import type { SlotSources } from "./plan-slot.js";
import { SiteSlots } from "./site-slots.js";
import { deviceLabel, missedLegionellaC, type SlotPlan } from "./slot-schedule.js";

export interface FlexServiceOptions extends SlotSources {
  clock: Clock;
  bus: Bus;
  sites: SiteRuntimes;
  stepMinutes: 60 | 15;
  breakPenaltyCtKwh: number;
  forecast: { hours(count: number): ForecastHour[] | undefined };
  prices: { published(): PriceSeries };
  tariff: (siteId: string) => Prices | undefined;
  /** Where devices that do not do as planned are shown; left out: in their schedules only. */
  components?: Pick<HealthRegistry, "report" | "remove">;
}

/**
 * Answers windows requests and holds the schedule of each slot: by its last request until the window of that request
 * ends, else by its settings. Schedules are updated on a forecast, on each quarter-hour and on each request.
 */
export class FlexService {
  readonly #options: FlexServiceOptions;
  /** The slots of each site. */
  readonly sites: SiteParts<SiteSlots>;
  readonly #stops: Cancel[] = [];

  constructor(options: FlexServiceOptions) {
    this.#options = options;
    this.sites = options.sites.parts({ create: ({ site }) => this.#slotsOf(site) });
  }

  /** Restores the last requests, then plans. */
  async start(): Promise<void> {
    const { bus, clock } = this.#options;
    await this.sites.forAll((slots) => slots.load(clock.now()));
    this.#stops.push(
      subscribe(bus, {
        "forecast.updated": () => this.#planAll(),
        "telemetry.received": ({ siteId }) => this.sites.get(siteId)?.onReadings(),
        "actuator.changed": ({ siteId }) => this.sites.get(siteId)?.onActuators(),
        "site.changed": (site) => this.#onSite(site),
      }),
      onEach(clock, QUARTER_MS, () => this.#onQuarter()),
    );
    this.#planAll();
  }

  /** Stops planning; resolves when all writes have ended. */
  async stop(): Promise<void> {
    for (const stop of this.#stops.splice(0)) stop();
    for (const slots of this.sites) await slots.idle();
  }

  /** Sets the power of a slot that follows the measured surplus, kW; undefined: its schedule applies. */
  setFollowed(siteId: string, slot: number, powerKw: number | undefined): void {
    this.sites.get(siteId)?.setFollowed(slot, powerKw);
  }

  /** The schedule of each assigned slot of a site, by slot number. */
  current(siteId: string): SlotPlan[] {
    return this.sites.get(siteId)?.current() ?? [];
  }

  /** Energy of a slot's device that nothing measured, by confirmed commands or as planned; of the last days. */
  assumedSteps(siteId: string, slot: number, from: Date, to: Date): EnergyStep[] {
    const steps = this.sites.get(siteId)?.assumed(slot) ?? [];
    return steps.filter(({ start, end }) => end > from && start < to);
  }

  /** Energy of the slots in each of the intervals, kWh; of all slots, or without some. */
  flexLoad(siteId: string, intervals: readonly Interval[], without: readonly number[] = []): number[] {
    const plans = this.current(siteId).filter(({ slot }) => !without.includes(slot));
    return flexLoadKwh(plans, intervals);
  }

  /** Charging time of wallboxes with a fixed share of the battery in each of the intervals, hours, and that part, kWh. */
  wallboxes(siteId: string, intervals: readonly Interval[]): { hours: number; fromBatteryKwh: number }[] {
    return wallboxUse(this.current(siteId), intervals);
  }

  /** The share of the wallboxes' power that the battery may serve now. */
  batterySharePct(siteId: string): BatterySharePct {
    return batterySharePct(this.current(siteId), this.#options.clock.now());
  }

  #slotsOf(site: Site): SiteSlots {
    const { bus, clock } = this.#options;
    return new SiteSlots(site, clock.now(), {
      ...this.#options,
      knowledge: () => this.#knowledge(site.id),
      onChange: (change) => {
        if (!change?.powerOnly) this.#showProblems(site.id);
        bus.emit("slots.updated", { siteId: site.id, ...change });
      },
      onPlug: (slot, plugged, at) => bus.emit("plug.changed", { siteId: site.id, slot, plugged, at }),
    });
  }

  /** Devices that are on and take nothing, and tanks whose temperature is not known or does not get hot. */
  #showProblems(siteId: string): void {
    const { components } = this.#options;
    for (const plan of this.current(siteId)) {
      const { slot, settings, idleSince } = plan;
      const name = `device ${siteId}/${slot}`;
      const device = deviceLabel(settings, "en");
      const celsius = missedLegionellaC(plan);
      const sentences: ComponentSentence[] = [];
      if (idleSince !== undefined) sentences.push({ code: "device_takes_nothing", device, since: idleSince });
      const { sensorSince } = this.#options.estimator.state(siteId, slot) ?? {};
      if (sensorSince !== undefined && settings.store !== null)
        sentences.push({ code: "tank_sensor_silent", device, since: sensorSince });
      if (celsius !== undefined) sentences.push({ code: "tank_not_hot", device, celsius });
      if (sentences.length === 0) components?.remove(name);
      else components?.report(name, "degraded", sentences, { siteId });
    }
  }

  #knowledge(siteId: string): FlexKnowledge | undefined {
    const { clock, forecast, prices, tariff, stepMinutes, breakPenaltyCtKwh } = this.#options;
    const hours = forecast.hours(HORIZON_HOURS);
    if (hours === undefined) return undefined;
    return {
      now: clock.now(),
      hours,
      series: prices.published(),
      tariff: tariff(siteId),
      priceMinutes: stepMinutes,
      breakPenaltyCtKwh,
    };
  }

  #onSite(site: Site): void {
    const slots = this.sites.of(site.id);
    slots.changeSettings(site);
    slots.plan();
  }

  #planAll(): void {
    for (const slots of this.sites) slots.plan();
  }

  #onQuarter(): void {
    const { clock } = this.#options;
    const now = clock.now();
    for (const slots of this.sites) {
      slots.count(now, (ms) => clock.steadyMs() + MINUTE_MS >= ms);
      slots.plan();
    }
  }
}
