import { parse } from "../../../src/config/load.js";
import type { Site } from "../../../src/config/site.js";
import type { StorageLimits } from "../../../src/core/domain/battery.js";
import { DAY_MS, HOUR_MS, QUARTER_MS } from "../../../src/core/domain/interval.js";
import { localTime, VIENNA } from "../../../src/core/time/zone.js";
import { pvYield } from "../../../src/forecast/solar/pv-yield.js";
import { springQuarters } from "../../../src/ops/demo/spring.js";
import { seededRandom } from "../../../src/plan/physics/random.js";
import { compileTariff, type Prices } from "../../../src/tariff/compile-tariff.js";

/** Simulated days; another one follows, with everything known, that what is stored at the end has its worth. */
export const DAYS = 3;
const DAYS_BEFORE = 36;
const DAYS_AFTER = 9;
const PLACE = { latitude: 48.21, longitude: 16.37 };
/** Heat of 200 litres, kWh/K, and what the tank loses, kW/K. */
const LITRES = 200;
export const KWH_PER_K = LITRES * 0.001_163;
export const LOSS_KW_PER_K = 0.0015;
export const ROOM_C = 20;
const TARIFF = {
  markup_ct_kwh: 1.5,
  levies_ct_kwh: 1,
  grid_fee_ct_kwh: [{ ct_kwh: 7 }, { months: "4-9", hours: "10-16", ct_kwh: 5.6 }],
  vat_pct: 20,
  feed_in: { type: "spot" as const, deduct_ct_kwh: 1 },
};
const DRAW_SHAPE: Readonly<Record<number, number>> = { 6: 0.25, 7: 0.2, 12: 0.1, 19: 0.3, 21: 0.15 };

/** What happens in a quarter-hour, kWh. */
export interface HomeQuarter {
  householdKwh: number;
  pvKwh: number;
  /** Forecast of the PV energy without the error of the day. */
  forecastKwh: number;
  importCt: number;
  exportCt: number;
  eurPerMwh: number;
  drawKwh: number;
  carIsHome: boolean;
  /** Stored energy that the vehicle has used on its way when it comes back in this quarter-hour. */
  usedKwh: number;
  /** The vehicle leaves at the end of this quarter-hour. */
  leavesAfter: boolean;
}

export interface SeededCarHome {
  site: Site;
  tariff: Prices;
  storage: StorageLimits & { capacityKwh: number };
  wearCt: number;
  car: { capacityKwh: number; targetKwh: number; efficiency: number; minKw: number; maxKw: number };
  boiler: { powerKw: number; minC: number; maxC: number };
  peakKw: number;
  startMs: number;
  /** The quarter-hour from an instant on. */
  at(ms: number): HomeQuarter;
  /** The forecast of PV energy of a quarter-hour at an earlier instant: its error grows with the distance. */
  pvForecastKwh(ms: number, nowMs: number): number;
}

/**
 * A home in spring or early summer from a Monday to Saturday at noon for three days: battery, PV, a commuter's vehicle and a boiler, all of
 * other sizes for each seed.
 */
export function seededCarHome(seed: number): SeededCarHome {
  const random = seededRandom(7919 * seed + 17);
  const between = (low: number, high: number) => low + (high - low) * random.uniform();
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random.uniform() * values.length)]!;
  const startDay = Math.floor(between(0, 75));
  const startMs = Date.UTC(2026, 3, 6) + startDay * DAY_MS + 10 * HOUR_MS;
  const firstMs = startMs - 10 * HOUR_MS - DAYS_BEFORE * DAY_MS;
  const days = DAYS_BEFORE + DAYS + DAYS_AFTER;
  const quarters = springQuarters({
    ...PLACE,
    start: new Date(firstMs),
    days,
    seed: 1000 + seed,
    timeZone: VIENNA,
  });
  const peakKw = pick([5, 7, 9, 12]);
  const capacityKwh = pick([7, 10, 13]);
  const array = { peakKw, tiltDeg: 30, azimuthDeg: 180 };
  const yields = (ghi: (q: (typeof quarters)[number]) => number) =>
    pvYield({
      ...PLACE,
      ...array,
      steps: quarters.map((q) => ({
        start: q.start,
        end: new Date(q.start.getTime() + QUARTER_MS),
        ghi: ghi(q),
        temperatureC: q.forecast.temperatureC,
      })),
    });
  const [pv, pvExpected] = [yields((q) => q.ghiWm2), yields((q) => q.forecast.ghiWm2)];
  const dayErrors = Array.from({ length: days + 2 }, () => random.normal());
  const householdScale = between(0.8, 1.4);
  const useKwh = between(6, 12);
  const phases = pick([1, 3]);
  const targetPct = pick([70, 80, 90]);
  const car = {
    capacityKwh: pick([40, 55, 70]),
    efficiency: 0.9,
    minKw: 1.38 * phases,
    maxKw: phases === 1 ? 3.68 : 11,
  };
  const boiler = { powerKw: pick([2, 3]), minC: 45, maxC: 62 };
  const tariff = compileTariff(TARIFF, VIENNA);
  const dailyDrawKwh = between(4, 8);
  let awayUntil = Number.NEGATIVE_INFINITY;
  const all = quarters.map(({ start, eurPerMwh, householdKw }, k): HomeQuarter => {
    const ms = start.getTime();
    const { hour, minute } = localTime(start, VIENNA);
    const clock = hour + minute / 60;
    const draws = DRAW_SHAPE[hour];
    if (clock === 7) {
      // One evening in seven the vehicle comes back up to two hours later than usual.
      const late = random.uniform() < 1 / 7 ? 2 * random.uniform() : 0.75 * random.uniform();
      awayUntil = ms + Math.round((10.5 + late) * 4) * QUARTER_MS;
    }
    return {
      householdKwh: (householdKw * householdScale) / 4,
      pvKwh: pv[k]!.kwh,
      forecastKwh: pvExpected[k]!.kwh,
      eurPerMwh,
      importCt: tariff.importCtKwh(eurPerMwh / 10, start),
      exportCt: tariff.exportCtKwh(eurPerMwh / 10, start),
      drawKwh: draws === undefined ? 0 : (dailyDrawKwh * draws * (0.5 + random.uniform())) / 4,
      carIsHome: ms >= awayUntil,
      usedKwh: ms === awayUntil ? useKwh * (0.7 + 0.6 * random.uniform()) : 0,
      leavesAfter: clock === 6.75,
    };
  });
  const at = (ms: number) => all[Math.floor((ms - firstMs) / QUARTER_MS)]!;
  const storage = {
    capacityKwh,
    minSocKwh: 0.1 * capacityKwh,
    maxSocKwh: capacityKwh,
    maxChargePowerKw: capacityKwh / 2,
    maxDischargePowerKw: capacityKwh / 2,
    chargeEfficiency: Math.sqrt(0.9),
    dischargeEfficiency: Math.sqrt(0.9),
  };
  const { settings } = parse(
    JSON.stringify({
      plants: [
        {
          id: "home",
          ...PLACE,
          timezone: VIENNA,
          tariff: TARIFF,
          battery: {
            capacity_kwh: capacityKwh,
            min_soc_pct: 10,
            max_charge_power_kw: capacityKwh / 2,
            max_discharge_power_kw: capacityKwh / 2,
            efficiency_pct: 90,
            controls: ["charge", "hold", "block"],
          },
          pv: [{ peak_kw: peakKw, tilt_deg: 30, azimuth_deg: 180 }],
          load: { daily_kwh: 12 },
          slots: [
            {
              slot: 1,
              kind: "wallbox",
              window_start_hour: 18,
              window_end_hour: 7,
              energy_kwh: Math.round(useKwh / car.efficiency),
              vehicle: {
                capacity_kwh: car.capacityKwh,
                min_soc_pct: 15,
                target_soc_pct: targetPct,
                departure: "07:00",
                phases,
                max_power_kw: car.maxKw,
                efficiency_pct: 100 * car.efficiency,
              },
            },
            {
              slot: 2,
              kind: "boiler",
              power_kw: boiler.powerKw,
              store: {
                litres: LITRES,
                min_c: boiler.minC,
                max_c: boiler.maxC,
                loss_w: 1000 * LOSS_KW_PER_K * (boiler.maxC - ROOM_C),
                daily_kwh: Math.round(dailyDrawKwh * 10) / 10,
                draw_profile: Array.from({ length: 24 }, (_, hour) => DRAW_SHAPE[hour] ?? 0),
              },
            },
          ],
        },
      ],
    }),
  );
  return {
    site: { id: "home", accountId: "owner", plant: settings.plants[0]! },
    tariff,
    storage,
    wearCt: 1,
    car: { ...car, targetKwh: (car.capacityKwh * targetPct) / 100 },
    boiler,
    peakKw,
    startMs,
    at,
    pvForecastKwh: (ms, nowMs) => {
      const day = Math.floor((ms - firstMs) / DAY_MS);
      const spread = 0.22 * Math.min(1, Math.sqrt(Math.max(0, ms - nowMs) / DAY_MS));
      return at(ms).forecastKwh * Math.exp(spread * dayErrors[day]! - spread ** 2 / 2);
    },
  };
}
