import type { SiteInput, StepPrice } from "../../src/plan/site-input.js";

const HOUR_MS = 3_600_000;

/** Hourly steps from `now`, the first one shortened to the hour; prices ct/kWh, import and export alike. */
export function steps(
  now: Date,
  pricesCtKwh: readonly number[],
  source: StepPrice["source"] = "day_ahead",
): StepPrice[] {
  const hour = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS;
  return pricesCtKwh.map((priceCtKwh, index) => ({
    start: index === 0 ? now : new Date(hour + index * HOUR_MS),
    end: new Date(hour + (index + 1) * HOUR_MS),
    priceCtKwh,
    importCtKwh: priceCtKwh,
    exportCtKwh: priceCtKwh,
    source,
  }));
}

/** A day without load at 5 ct, so that energy left before it is worth almost nothing. */
const QUIET_DAY = new Array<number>(24).fill(5);

/** A site with 1 kWh an hour and a 10 kWh battery of 5 kW, by default at 2026-01-15 01:00 in Vienna. */
export function siteInput(pricesCtKwh: readonly number[], changes: Partial<SiteInput> = {}): SiteInput {
  const now = changes.now ?? new Date("2026-01-15T00:00:00Z");
  const prices = changes.prices ?? steps(now, [...pricesCtKwh, ...QUIET_DAY]);
  const padded = (values: readonly number[]) => prices.map((_, t) => values[t] ?? 0);
  return {
    siteId: "home",
    now,
    zone: "Europe/Vienna",
    stepMinutes: 60,
    prices,
    loadRatios: [],
    battery: {
      capacityKwh: 10,
      minSocPct: 10,
      maxSocPct: 100,
      maxChargePowerKw: 5,
      maxDischargePowerKw: 5,
      efficiencyPct: 81,
      reservePct: 5,
      wearCtKwh: 0,
      gridChargeAllowed: true,
      exportAllowed: false,
      controls: ["charge", "hold"],
    },
    grid: {},
    soc: { pct: 10, ageMinutes: 0, lost: false },
    ev: { powerKw: 0, batterySharePct: 0 },
    currentQuartile: 1,
    ...changes,
    loadKwh: padded(changes.loadKwh ?? pricesCtKwh.map(() => 1)),
    pvKwh: padded(changes.pvKwh ?? []),
  };
}
