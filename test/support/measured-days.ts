import { DAY_MS, HOUR_MS } from "../../src/core/domain/interval.js";
import type { Sample } from "../../src/core/domain/sample.js";
import { silentLog } from "../../src/core/log.js";
import { localDate, VIENNA } from "../../src/core/time/zone.js";
import { openStore } from "../../src/store/store.js";

/** Energies of each of the days, kWh. */
export const DAY_KWH = { load: 24, import: 24, charge: 8, discharge: 8 };

/** Import in an hour of each day, kWh. */
export function importKwh(hour: number): number {
  return hour < 2 ? 5 : hour < 10 ? 0 : 1;
}

/**
 * Writes days that are all alike into a new data folder, and prices of two days more: a load of 1 kW, 4 kW into a battery of
 * 10 kWh in the first two hours, 1 kW out of it in the next eight. `from` is a local midnight; no change of clock in between.
 */
export async function writeMeasuredDays(
  dataDir: string,
  {
    siteId,
    from,
    days,
    stepMinutes = 15,
  }: { siteId: string; from: Date; days: number; stepMinutes?: number },
): Promise<void> {
  const store = await openStore(dataDir, silentLog);
  try {
    await store.prices.save(
      Array.from({ length: (days + 2) * 24 }, (_, hour) => ({
        start: new Date(from.getTime() + hour * HOUR_MS),
        minutes: 60 as const,
        eurPerMwh: hour % 24 < 2 ? 100 : 400,
      })),
    );
    await store.samples.append(siteId, readings(from, days, stepMinutes));
    // The gateway has been there since.
    const installed = localDate(from, VIENNA);
    await store.documents.put(`ledger-site/${siteId}`, { version: 1, installed });
  } finally {
    await store.close();
  }
}

function readings(from: Date, days: number, stepMinutes: number): Sample[] {
  const stepMs = stepMinutes * 60_000;
  const hours = stepMs / HOUR_MS;
  let counterKwh = 1000;
  let socPct = 0;
  return Array.from({ length: (days * DAY_MS) / stepMs + 1 }, (_, step) => {
    const hour = (step * hours) % 24;
    const batteryKw = hour < 2 ? 4 : hour < 10 ? -1 : 0;
    const values = {
      import_kwh: counterKwh,
      export_kwh: 0,
      soc_pct: socPct,
      battery_power_kw: batteryKw,
      load_power_kw: 1,
      slot_1_power_kw: 0.5,
    };
    counterKwh += (1 + batteryKw) * hours;
    socPct += batteryKw * hours * 10;
    return { at: new Date(from.getTime() + step * stepMs), values };
  });
}
