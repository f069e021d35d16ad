import { PriceSeries } from "../../src/forecast/market/price-series.js";
import type { PlanSources } from "../../src/plan/site-facts.js";

/** A site of which nothing is known but the prices of the coming hours: no tariff, readings, devices, PV or learned load. */
export function planSources(
  hours: PlanSources["forecast"]["hours"],
  known: Partial<PlanSources> = {},
): PlanSources {
  return {
    stepMinutes: 60,
    freshness: { staleMinutes: 15, lostMinutes: 120 },
    forecast: { hours },
    prices: { published: () => PriceSeries.empty },
    tariff: () => undefined,
    telemetry: { live: () => ({}) },
    flex: {
      flexLoad: (_, steps) => steps.map(() => 0),
      wallboxes: (_, steps) => steps.map(() => ({ hours: 0, fromBatteryKwh: 0 })),
      batterySharePct: () => 0,
      current: () => [],
    },
    loads: { model: () => undefined },
    peaks: { kw: () => undefined },
    meters: { delivered: () => undefined },
    pv: { energy: () => undefined, nodes: () => undefined },
    ...known,
  };
}
