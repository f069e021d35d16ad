import type { StoreSettings, VehicleSettings } from "../../config/settings.js";
import { type EnergyStep, HOUR_MS, type Interval, QUARTER_MS } from "../../core/domain/interval.js";
import { localTime } from "../../core/time/zone.js";
import type { Stay } from "./stay.js";

/** When a tank was heated against legionella. */
export interface TankHeat {
  /** When it was last as hot as its `legionella_c`. */
  hotAt?: Date;
  /** When it was last heated to that in vain: its thermostat opens below. */
  triedAt?: Date;
}

/** Whether a tank has not been as hot as its `legionella_c` since it was heated to that in vain. */
export function isTriedInVain({ hotAt, triedAt }: TankHeat): boolean {
  return triedAt !== undefined && (hotAt === undefined || triedAt > hotAt);
}

/** What is known of a device. */
export interface DeviceState extends TankHeat {
  socPct?: number;
  temperatureC?: number;
  /** Nothing has reported the temperature: it is what is left of what heated the tank by the expected draws. */
  isAssumed?: true;
  /** Since when the sensor of a tank has reported nothing new: it is dead or stuck. */
  sensorSince?: Date;
}

/** A value that was measured or estimated, and when. */
export interface Known {
  value: number;
  at: Date;
}

/** Heat stored in water, kWh per litre and °C. */
const WATER_KWH_PER_LITRE_K = 0.001_163;
/** Room around the tank and water that flows in, °C. */
const ROOM_C = 20;
const INFLOW_C = 10;
/** Water does not get hotter in a tank, °C. */
const BOILING_C = 100;
const DEFAULT_DAILY_KWH = 5;
/** Hot water of a household by clock hour, kWh: load profile M of Regulation (EU) No 812/2013, annex VII. */
const HOUSEHOLD_DRAW = [
  0, 0, 0, 0, 0, 0, 0, 1.61, 0.42, 0.21, 0.105, 0.21, 0.315, 0, 0.105, 0.105, 0.105, 0, 0.315, 0.105, 0.735,
  1.505, 0, 0,
];
/** A state of charge this much older than the arrival still applies, such as one sent by the vehicle on its way. */
const EARLIER_SOC_MS = 2 * HOUR_MS;

/** Whether a state of charge is that of the vehicle that is there now: read after the one before left, and not long before the arrival. */
export function isOfStay(at: Date, { since, leftAt }: Stay): boolean {
  if (leftAt !== undefined && at <= leftAt) return false;
  return since === undefined || at.getTime() >= since.getTime() - EARLIER_SOC_MS;
}

/**
 * State of charge of a vehicle, percent: the last known one and the energy charged since. Without one of this stay it is
 * `min_soc_pct` at the arrival, because the trip in between has used an unknown energy.
 */
export function vehicleSocPct(
  vehicle: Pick<VehicleSettings, "capacity_kwh" | "efficiency_pct" | "min_soc_pct">,
  {
    known,
    pluggedAt,
    leftAt,
    energy,
    now,
  }: {
    /** Last state of charge that the vehicle reported. */
    known: Known | undefined;
    /** Start of the stay; undefined: not known. */
    pluggedAt: Date | undefined;
    /** End of the stay before it. */
    leftAt?: Date | undefined;
    /** Measured energy of the wallbox, in order of time. */
    energy: readonly EnergyStep[];
    now: Date;
  },
): number {
  const isOfThisStay = known !== undefined && isOfStay(known.at, { since: pluggedAt, leftAt });
  const start = isOfThisStay ? known.value : vehicle.min_soc_pct;
  const from = isOfThisStay ? known.at : pluggedAt;
  const chargedKwh = from === undefined ? 0 : energyWithin(energy, { start: from, end: now });
  const storedKwh = (chargedKwh * vehicle.efficiency_pct) / 100;
  return Math.min(100, Math.max(0, start + (100 * storedKwh) / vehicle.capacity_kwh));
}

/** Heat to raise the temperature of a tank by 1 °C, kWh. */
export function storeKwhPerK({ litres }: Pick<StoreSettings, "litres">): number {
  return litres * WATER_KWH_PER_LITRE_K;
}

/** Heat that a tank loses at a temperature, kW; the loss of the settings applies at `max_c`. */
export function storeLossKw({ loss_w, max_c }: Pick<StoreSettings, "loss_w" | "max_c">, celsius: number) {
  // A tank below the temperature of the room is warmed by it; that is ignored.
  return ((loss_w / 1000) * Math.max(0, celsius - ROOM_C)) / Math.max(1, max_c - ROOM_C);
}

/** Heat drawn from a tank in each of the intervals, kWh, by its settings. `zone` is that of the clock hours. */
export function expectedDrawKwh(
  { daily_kwh, draw_profile }: Pick<StoreSettings, "daily_kwh" | "draw_profile">,
  intervals: readonly Interval[],
  zone: string,
): number[] {
  const shape = draw_profile ?? HOUSEHOLD_DRAW;
  const sum = shape.reduce((total, value) => total + value, 0);
  const dailyKwh = daily_kwh ?? (draw_profile === null ? DEFAULT_DAILY_KWH : sum);
  const scale = sum > 0 ? dailyKwh / sum : 0;
  return intervals.map(({ start, end }) => {
    let kwh = 0;
    for (let ms = start.getTime(); ms < end.getTime(); ) {
      const nextMs = Math.min(end.getTime(), (Math.floor(ms / QUARTER_MS) + 1) * QUARTER_MS);
      const { hour } = localTime(new Date(ms), zone);
      kwh += (shape[hour]! * scale * (nextMs - ms)) / HOUR_MS;
      ms = nextMs;
    }
    return kwh;
  });
}

/**
 * Temperature of a tank at `now`, °C: the last known one, heated by the measured energy, cooled by its losses and the heat
 * drawn (water of 10 °C flows in). The whole tank has one temperature. One that `isAssumed` stays within what the plan heats to:
 * otherwise what the settings are wrong by would add up.
 */
export function storeTemperatureC(
  store: StoreSettings,
  {
    known,
    energy,
    now,
    zone,
    isAssumed = false,
  }: { known: Known; energy: readonly EnergyStep[]; now: Date; zone: string; isAssumed?: boolean },
): number {
  const kwhPerK = storeKwhPerK(store);
  const [leastC, mostC] = isAssumed
    ? [store.min_c, Math.max(store.max_c, store.legionella_c ?? 0)]
    : [INFLOW_C, BOILING_C];
  let celsius = known.value;
  for (let ms = known.at.getTime(); ms < now.getTime(); ms += QUARTER_MS) {
    const step = { start: new Date(ms), end: new Date(Math.min(now.getTime(), ms + QUARTER_MS)) };
    const hours = (step.end.getTime() - ms) / HOUR_MS;
    const drawnKwh = expectedDrawKwh(store, [step], zone)[0]!;
    const heatKwh = energyWithin(energy, step) - storeLossKw(store, celsius) * hours;
    const heated = Math.min(mostC, celsius + heatKwh / kwhPerK);
    const floorC = isAssumed ? leastC : Math.min(leastC, heated);
    celsius = Math.max(floorC, heated - drawnKwh / kwhPerK);
  }
  return celsius;
}

/** The part of the energies that lies in an interval, kWh. */
function energyWithin(energy: readonly EnergyStep[], { start, end }: Interval): number {
  return energy.reduce((sum, step) => {
    const sharedMs =
      Math.min(step.end.getTime(), end.getTime()) - Math.max(step.start.getTime(), start.getTime());
    const lengthMs = step.end.getTime() - step.start.getTime();
    return sharedMs > 0 ? sum + (step.kwh * sharedMs) / lengthMs : sum;
  }, 0);
}
