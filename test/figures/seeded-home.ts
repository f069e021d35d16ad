import { parsePlant } from "../../src/config/plant.js";
import type { PlantSettings } from "../../src/config/settings.js";
import type { EnergyStep } from "../../src/core/domain/interval.js";
import type { Reading, Sample } from "../../src/core/domain/sample.js";

/** How a home is measured: its load as evcc or an inverter reports it, the power of the grid without counters, or only the meter. */
export type Measured = "inverter" | "evcc" | "grid" | "meter";

/** What a home has. */
export interface HomeKind {
  seed: number;
  pv: boolean;
  battery: boolean;
  car: boolean;
  /** `unmetered`: behind a relay, its energy is known from the commands only. */
  boiler: boolean | "unmetered";
  measured: Measured;
}

/** Powers of a quarter-hour, kW, as the simulator knows them. */
export interface TruePowers {
  householdKw: number;
  carKw: number;
  boilerKw: number;
  pvKw: number;
  batteryKw: number;
  gridKw: number;
}

/** Money of a day as the simulator knows it, EUR. */
export interface TrueDay {
  costEur: number;
  uncontrolledEur: number;
  noBatteryEur: number;
}

export interface SeededHome {
  plant: PlantSettings;
  samples: Sample[];
  /** Energy of an unmetered boiler by its commands. */
  commanded: EnergyStep[];
  quarters: TruePowers[];
  days: TrueDay[];
  /** Stored at the end by the home and by its uncontrolled twin, kWh. */
  endKwh: number;
  twinEndKwh: number;
}

export const DAYS = 3;
/** Midnight in Vienna, 4 May 2026. */
export const START_MS = Date.parse("2026-05-03T22:00:00Z");
export const QUARTER_MS = 900_000;

const CAPACITY_KWH = 10;
const LEAST_KWH = 1;
const MOST_KW = 5;
const ONE_WAY = Math.sqrt(0.9);
const CAR_KW = 3.7;
const BOILER_KW = 2;

/** Market price of an hour of the day, ct/kWh: cheap at night and at noon. */
export const spotCt = (quarter: number) =>
  [6, 5, 4, 4, 5, 8, 14, 16, 12, 8, 5, 3, 2, 3, 5, 8, 12, 18, 24, 26, 22, 15, 10, 8][
    Math.floor(quarter / 4) % 24
  ]!;
export const importCt = (quarter: number) => (spotCt(quarter) + 9) * 1.2;
export const exportCt = (quarter: number) => spotCt(quarter) - 1;
export const TARIFF = [
  {
    energy: { type: "spot", settlement_minutes: 60 },
    grid_usage: { ct_kwh: 9 },
    vat_pct: 20,
    feed_in: { type: "spot", deduct_ct_kwh: 1 },
  },
];

/** The same numbers for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed * 2_654_435_761;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state / 2 ** 32;
  };
}

/** A battery that stores surplus and serves the load, or is told what to do; AC energy, charging positive. */
class Battery {
  storedKwh = 5;

  step(netKwh: number, command: "free" | "charge" | "hold"): number {
    const most = MOST_KW / 4;
    const room = (CAPACITY_KWH - this.storedKwh) / ONE_WAY;
    const held = (this.storedKwh - LEAST_KWH) * ONE_WAY;
    const ac =
      command === "charge"
        ? Math.min(most, room)
        : netKwh < 0
          ? Math.min(-netKwh, most, room)
          : command === "hold"
            ? 0
            : -Math.max(0, Math.min(netKwh, most, held));
    this.storedKwh += ac >= 0 ? ac * ONE_WAY : ac / ONE_WAY;
    return ac;
  }
}

const rounded = (value: number) => Math.round(value * 1e6) / 1e6;

/**
 * Three days of a home that is controlled by a clock: the car charges from 01:00 on instead of when it comes at 17:30, the boiler from
 * 13:00 on instead of 10:00, and the battery charges from the grid at 02:00 and is held until 06:00.
 */
export function seededHome(kind: HomeKind): SeededHome {
  const random = randomOf(kind.seed + 1);
  const usualKw = 0.3 + 0.4 * random();
  const peakKw = 4 + 3 * random();
  const carKwh = [CAR_KW * (1 + Math.floor(random() * 6) / 4), CAR_KW * 2];
  const [home, twin] = [new Battery(), new Battery()];
  const quarters: TruePowers[] = [];
  const samples: Sample[] = [];
  const days: TrueDay[] = [];
  let [importKwh, exportKwh, carCounter, boilerCounter] = [1000, 500, 200, 100];
  for (let t = 0; t < DAYS * 96; t++) {
    const [day, quarter] = [Math.floor(t / 96), t % 96];
    if (quarter === 0) days.push({ costEur: 0, uncontrolledEur: 0, noBatteryEur: 0 });
    const evening = quarter >= 70 && quarter < 92 ? 0.8 : 0;
    const householdKw = rounded(usualKw + evening + 0.3 * random());
    const sun = Math.max(0, Math.sin(((quarter - 24) / 56) * Math.PI));
    const pvKw = kind.pv && quarter > 24 && quarter < 80 ? rounded(peakKw * sun * (0.4 + 0.6 * random())) : 0;
    // The car of the evening before; on the last evening none comes.
    const nightKwh = kind.car && day > 0 ? carKwh[(day - 1) % 2]! : 0;
    const eveningKwh = kind.car && day < DAYS - 1 ? carKwh[day % 2]! : 0;
    const charged = (kwh: number, from: number) =>
      Math.max(0, Math.min(CAR_KW, (kwh - ((quarter - from) * CAR_KW) / 4) * 4)) * Number(quarter >= from);
    const boils = (from: number) =>
      kind.boiler !== false && quarter >= from && quarter < from + 8 ? BOILER_KW : 0;
    const carKw = charged(nightKwh, 4);
    const boilerKw = boils(52);
    const netKwh = (householdKw + carKw + boilerKw - pvKw) / 4;
    const command = quarter >= 8 && quarter < 12 ? "charge" : quarter < 24 ? "hold" : "free";
    const batteryKw = kind.battery ? home.step(netKwh, command) * 4 : 0;
    const gridKw = netKwh * 4 + batteryKw;
    const freeKwh = (householdKw + charged(eveningKwh, 70) + boils(40) - pvKw) / 4;
    const twinKwh = freeKwh + (kind.battery ? twin.step(freeKwh, "free") : 0);
    const money = (kwh: number) => (kwh > 0 ? kwh * importCt(quarter) : kwh * exportCt(quarter)) / 100;
    const eur = days.at(-1)!;
    eur.costEur += money(gridKw / 4);
    eur.uncontrolledEur += money(twinKwh);
    eur.noBatteryEur += money(netKwh);
    quarters.push({ householdKw, carKw, boilerKw, pvKw, batteryKw, gridKw });
    const isHome = kind.car && (quarter < 30 ? day > 0 : quarter >= 70 && day < DAYS - 1);
    const storedKwh =
      t === 0 ? 5 : home.storedKwh - (batteryKw / 4) * (batteryKw >= 0 ? ONE_WAY : 1 / ONE_WAY);
    // Powers apply until the next reading; counters and the state of charge are those of the moment.
    const values: Partial<Record<Reading, number>> = {
      ...(kind.measured !== "grid" && { import_kwh: importKwh }),
      ...(kind.pv && { pv_power_kw: pvKw }),
      ...(kind.pv && kind.measured !== "grid" && { export_kwh: exportKwh }),
      ...(kind.battery && { battery_power_kw: batteryKw, soc_pct: (storedKwh / CAPACITY_KWH) * 100 }),
      ...(kind.car && { ev_connected: Number(isHome) }),
    };
    if (kind.measured === "inverter") values.load_power_kw = householdKw + carKw + boilerKw;
    if (kind.measured === "evcc") values.load_power_kw = householdKw + boilerKw;
    if (kind.measured === "grid") values.grid_power_kw = gridKw;
    if (kind.car && kind.measured !== "meter") values.slot_1_power_kw = carKw;
    if (kind.car && kind.measured === "meter") values.slot_1_energy_kwh = carCounter;
    if (kind.boiler === true) values.slot_2_energy_kwh = boilerCounter;
    if (kind.boiler === true && kind.measured !== "meter") values.slot_2_power_kw = boilerKw;
    samples.push({ at: new Date(START_MS + t * QUARTER_MS), values });
    importKwh += Math.max(0, gridKw) / 4;
    exportKwh += Math.max(0, -gridKw) / 4;
    carCounter += carKw / 4;
    boilerCounter += boilerKw / 4;
  }
  const last = new Date(START_MS + DAYS * 96 * QUARTER_MS);
  const end: Partial<Record<Reading, number>> = kind.measured === "grid" ? {} : { import_kwh: importKwh };
  if (kind.pv && kind.measured !== "grid") end.export_kwh = exportKwh;
  if (kind.battery) end.soc_pct = (home.storedKwh / CAPACITY_KWH) * 100;
  if (kind.car && kind.measured === "meter") end.slot_1_energy_kwh = carCounter;
  if (kind.boiler === true) end.slot_2_energy_kwh = boilerCounter;
  samples.push({ at: last, values: end });
  return {
    plant: plantOf(kind),
    samples,
    commanded:
      kind.boiler === "unmetered"
        ? quarters.map(({ boilerKw }, t) => ({
            start: new Date(START_MS + t * QUARTER_MS),
            end: new Date(START_MS + (t + 1) * QUARTER_MS),
            kwh: boilerKw / 4,
          }))
        : [],
    quarters,
    days,
    endKwh: home.storedKwh,
    twinEndKwh: twin.storedKwh,
  };
}

function plantOf(kind: HomeKind): PlantSettings {
  const topics = kind.measured === "evcc" ? [{ topic: "evcc/site/homePower", field: "load_power_kw" }] : [];
  const parsed = parsePlant(
    {
      id: `home-${kind.seed}`,
      timezone: "Europe/Vienna",
      tariff: TARIFF,
      ...(kind.battery && {
        battery: {
          capacity_kwh: CAPACITY_KWH,
          min_soc_pct: 10,
          efficiency_pct: 90,
          max_charge_power_kw: MOST_KW,
        },
      }),
      pv: kind.pv ? [{ peak_kw: 8 }] : [],
      slots: [
        ...(kind.car ? [{ slot: 1, kind: "wallbox", power_kw: CAR_KW, energy_kwh: 7 }] : []),
        ...(kind.boiler
          ? [
              {
                slot: 2,
                kind: "boiler",
                power_kw: BOILER_KW,
                energy_kwh: 4,
                window_start_hour: 10,
                window_end_hour: 16,
              },
            ]
          : []),
      ],
    },
    topics,
  );
  if ("findings" in parsed) throw new Error(JSON.stringify(parsed.findings));
  return parsed.plant;
}

/** Worth of a stored kWh at the end of a day, ct (docs/savings.md). */
export const worthCt = () => {
  const prices = Array.from({ length: 96 }, (_, quarter) => importCt(quarter));
  return Math.max(0, Math.min(Math.min(...prices) / ONE_WAY, Math.max(...prices) * ONE_WAY - 1));
};
