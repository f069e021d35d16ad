import { recordedSeries } from "../../forecast/price/recorded-prices.js";
import type { ManualClock } from "../../support/manual-clock.js";
import { seeded } from "../../support/random.js";
import type { PriceAt, SimulatedSite } from "./simulated-site.js";

const HOUR_MS = 3_600_000;
const WEEK_MS = 7 * 24 * HOUR_MS;
const STEP_MINUTES = 60;
const REPLAYED_DAYS = 3;

/** A recorded January week: published prices (those of the next day from 13:00), beyond them the prices of the week before. */
export function replayedPrices(): { start: Date; priceAt: PriceAt; publicUntil: (now: Date) => number } {
  const recorded = recordedSeries("2025-12-01");
  const publicUntil = (now: Date) => {
    // January in Vienna is UTC+1.
    const local = new Date(now.getTime() + HOUR_MS);
    const midnight = Date.parse(`${local.toISOString().slice(0, 10)}T00:00:00+01:00`);
    return midnight + (local.getUTCHours() >= 13 ? 48 : 24) * HOUR_MS;
  };
  return {
    start: new Date("2026-01-10T00:00:00+01:00"),
    publicUntil,
    priceAt: (start, now) => {
      const beyond = start.getTime() - publicUntil(now);
      const weeksBack = beyond < 0 ? 0 : Math.floor(beyond / WEEK_MS) + 1;
      return recorded.hour(start.getTime() - weeksBack * WEEK_MS)!;
    },
  };
}

/** Simulates three days of a site that follows its plan, with one reading per hour; `afterReading` is awaited after each. */
export async function replayDays(
  simulated: SimulatedSite,
  clock: ManualClock,
  afterReading: () => Promise<void>,
): Promise<void> {
  const random = seeded(7);
  let socKwh = 4;
  for (let minute = 0; minute < REPLAYED_DAYS * 24 * 60; minute += STEP_MINUTES) {
    const scalars = simulated.service.current("home")?.scalars;
    const hours = STEP_MINUTES / 60;
    if (scalars?.chargeNow === 1 && socKwh * 10 < scalars.chargeStopSocPct) {
      socKwh = Math.min(10, socKwh + scalars.chargePowerKw * 0.95 * hours);
    } else {
      const given = Math.min(random.between(0.1, 0.9), scalars?.dischargePowerKw ?? 5);
      socKwh = Math.max(1, socKwh - (given / 0.95) * hours);
    }
    await clock.advance(STEP_MINUTES * 60_000);
    const noise = random.between(-0.2, 0.2);
    simulated.measure(Math.min(100, Math.max(0, Math.round(10 * (socKwh * 10 + noise)) / 10)));
    await afterReading();
  }
}
