import { parsePlant } from "../../../src/config/plant.js";
import type { PlantSettings } from "../../../src/config/settings.js";
import { HOUR_MS, type Interval, QUARTER_MS } from "../../../src/core/domain/interval.js";
import type { Sample } from "../../../src/core/domain/sample.js";
import { dayInterval, localDate } from "../../../src/core/time/zone.js";
import type { PriceSeries } from "../../../src/forecast/market/price-series.js";
import { type HomeCommands, type HomeStep, SimulatedHome } from "../../../src/ops/demo/home.js";
import { type SpringQuarter, springQuarters } from "../../../src/ops/demo/spring.js";
import { assemble } from "../../../src/plan/assemble.js";
import { planSite } from "../../../src/plan/plan-site.js";
import type { SitePlan } from "../../../src/plan/site-plan.js";
import { compileTariff } from "../../../src/tariff/compile-tariff.js";

const ZONE = "Europe/Vienna";
const CAPACITY_KWH = 10;
const STEP_MINUTES = 5;
const PEAK_KW = 2;

export const BASE_FEE_EUR_MONTH = 4.8;
export const METERING_EUR_MONTH = 2.4;

/** The tariff of the simulated site; its price of a kWh by hand is in `importCt` below. */
const TARIFF = [
  {
    energy: { type: "spot", markup_ct_kwh: 1.5, markup_pct: 3, settlement_minutes: 15 },
    energy_base_fee: { eur_month: BASE_FEE_EUR_MONTH },
    grid_usage: { ct_kwh: 8, metering_eur_month: METERING_EUR_MONTH },
    vat_pct: 20,
    feed_in: { type: "spot", deduct_ct_kwh: 0.6 },
  },
];

export const importCt = (spotCt: number) => (spotCt + 0.03 * Math.abs(spotCt) + 1.5 + 8) * 1.2;
export const exportCt = (spotCt: number) => spotCt - 0.6;

const parsed = parsePlant(
  {
    id: "home",
    name: "Home",
    latitude: 48.2,
    longitude: 16.4,
    timezone: ZONE,
    battery: {
      capacity_kwh: CAPACITY_KWH,
      min_soc_pct: 10,
      efficiency_pct: 90,
      max_charge_power_kw: 5,
      max_discharge_power_kw: 5,
      controls: ["charge", "hold", "block"],
    },
    load: { daily_kwh: 14 },
    pv: [{ peak_kw: PEAK_KW, tilt_deg: 30, azimuth_deg: 180 }],
    tariff: TARIFF,
  },
  [],
);
if ("findings" in parsed) throw new Error(JSON.stringify(parsed.findings));
export const plant: PlantSettings = parsed.plant;

const STORAGE = {
  capacityKwh: CAPACITY_KWH,
  minSocKwh: 1,
  maxSocKwh: CAPACITY_KWH,
  maxChargePowerKw: 5,
  maxDischargePowerKw: 5,
  chargeEfficiency: Math.sqrt(0.9),
  dischargeEfficiency: Math.sqrt(0.9),
};

/** What the simulator itself knows of a local day: its own bill, and that of a twin that is never controlled. */
export interface TrueDay {
  date: string;
  costEur: number;
  noBatteryEur: number;
  uncontrolledEur: number;
  /** Stored at the end, the twin's and its own, kWh. */
  twinEndKwh: number;
  endKwh: number;
  prices: number[];
}

export interface SimulatedSite {
  samples: Sample[];
  days: TrueDay[];
  /** The first plan of each day. */
  plans: SitePlan[];
}

/** A home that obeys the plan for some local days at recorded prices; plans are made every `planQuarters` quarter-hours. */
export function simulateDays(
  series: PriceSeries,
  {
    firstDate,
    days,
    planQuarters,
    seed = 3,
  }: {
    firstDate: string;
    days: number;
    planQuarters: number;
    seed?: number;
  },
): SimulatedSite {
  const start = dayInterval(firstDate, ZONE).start;
  const quarters = springQuarters({
    latitude: 48.2,
    longitude: 16.4,
    start,
    days: days + 2,
    seed,
    timeZone: ZONE,
  });
  const home = new SimulatedHome({ storage: STORAGE, startSocKwh: 3, seed });
  const twin = new SimulatedHome({ storage: STORAGE, startSocKwh: 3, seed });
  const result: SimulatedSite = { samples: [], days: [], plans: [] };
  let commands: HomeCommands = {};
  let previous: SitePlan | undefined;
  let day: TrueDay | undefined;
  const report = (at: Date) => {
    result.samples.push({ at, values: home.readings() });
  };
  report(start);
  for (let t = 0; ; t++) {
    const quarter = quarters[t]!;
    const date = localDate(quarter.start, ZONE);
    if (day?.date !== date) {
      if (day !== undefined) {
        day.endKwh = stored(home);
        day.twinEndKwh = stored(twin);
        result.days.push(day);
      }
      if (result.days.length === days) break;
      day = {
        date,
        costEur: fixedEur(date),
        noBatteryEur: fixedEur(date),
        uncontrolledEur: fixedEur(date),
        twinEndKwh: 0,
        endKwh: 0,
        prices: [],
      };
    }
    if (t % planQuarters === 0) {
      const isFirst = result.plans.length === result.days.length;
      previous = planAt(quarter.start, { home, series, quarters, previous, isFirst });
      if (isFirst) result.plans.push(previous);
      commands = commandsOf(previous);
    }
    const spotCt = series.quarter(quarter.start.getTime())! / 10;
    day.prices.push(importCt(spotCt));
    const money = (flows: { importKwh: number; exportKwh: number }) =>
      (flows.importKwh * importCt(spotCt) - flows.exportKwh * exportCt(spotCt)) / 100;
    for (let minute = 0; minute < 15; minute += STEP_MINUTES) {
      const step = stepOf(quarter);
      const flows = home.advance(step, commands);
      day.costEur += money(flows);
      day.uncontrolledEur += money(twin.advance(step, {}));
      const netKwh = flows.loadKwh - flows.pvKwh;
      day.noBatteryEur += money({ importKwh: Math.max(0, netKwh), exportKwh: Math.max(0, -netKwh) });
      report(new Date(quarter.start.getTime() + (minute + STEP_MINUTES) * 60_000));
    }
  }
  return result;
}

/** A day's share of the fixed amounts with VAT, EUR. */
function fixedEur(date: string): number {
  const [year = 0, month = 0] = date.split("-").map(Number);
  const days = new Date(Date.UTC(year, month, 0)).getUTCDate();
  return ((BASE_FEE_EUR_MONTH + METERING_EUR_MONTH) * 1.2) / days;
}

function stored(home: SimulatedHome): number {
  return (home.socPct / 100) * CAPACITY_KWH;
}

function pvKw({ ghiWm2 }: SpringQuarter): number {
  return (PEAK_KW * 0.85 * ghiWm2) / 1000;
}

function stepOf(quarter: SpringQuarter): HomeStep {
  return { minutes: STEP_MINUTES, householdKw: quarter.householdKw, pvKw: pvKw(quarter) };
}

function commandsOf({ command, scalars }: SitePlan): HomeCommands {
  const charges = command.mode === "charge";
  return {
    chargeNow: charges,
    ...(charges && {
      chargePowerKw: command.chargePowerKw,
      chargeStopSocPct: (100 * command.stopSocKwh) / CAPACITY_KWH,
    }),
    dischargeCapKw: scalars.dischargePowerKw,
    chargeCapKw: command.chargeCapKw,
  };
}

/** The plan at an instant: PV is known, the load is that of the settings, prices beyond tomorrow repeat. */
function planAt(
  now: Date,
  {
    home,
    series,
    quarters,
    previous,
    isFirst,
  }: {
    home: SimulatedHome;
    series: PriceSeries;
    quarters: readonly SpringQuarter[];
    previous: SitePlan | undefined;
    isFirst: boolean;
  },
): SitePlan {
  const knownMs = dayInterval(localDate(new Date(now.getTime() + 24 * HOUR_MS), ZONE), ZONE).end.getTime();
  const priceAt = (ms: number) => {
    let at = ms;
    while (at >= knownMs) at -= 24 * HOUR_MS;
    return at;
  };
  const nowHourMs = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS;
  const firstMs = quarters[0]!.start.getTime();
  const pvKwh = (of: readonly Interval[]) =>
    of.map(({ start, end }) => {
      let kwh = 0;
      for (let ms = start.getTime(); ms < end.getTime(); ms += QUARTER_MS) {
        const quarter = quarters[Math.floor((ms - firstMs) / QUARTER_MS)];
        kwh += quarter === undefined ? 0 : pvKw(quarter) / 4;
      }
      return kwh;
    });
  const facts = assemble(
    {
      siteId: "home",
      now,
      plant,
      stepMinutes: 15,
      hours: Array.from({ length: 48 }, (_, index) => {
        const start = new Date(nowHourMs + index * HOUR_MS);
        const p50 = series.hour(priceAt(start.getTime()))!;
        return {
          start,
          p10: p50,
          p50,
          p90: p50,
          source: start.getTime() < knownMs ? ("day_ahead" as const) : ("forecast" as const),
        };
      }),
      quarter: (_, ms) => series.quarter(priceAt(ms))!,
      tariff: compileTariff(plant.tariff!, ZONE),
      soc: { pct: home.socPct, ageMinutes: 0, lost: false },
      evPowerKw: 0,
      sitePowerKw: undefined,
      currentQuartile: 1,
      pvKwh,
    },
    {},
  );
  return planSite(
    { ...facts, ...(previous !== undefined && { previous }) },
    isFirst ? { samples: 20 } : { commandOnly: true },
  );
}
