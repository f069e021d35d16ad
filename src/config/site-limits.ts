import type { PlantSettings } from "./settings.js";
import { chargingPower } from "./slot-rules.js";

/** The parts of a plant that limit what it can measure. */
export type LimitedPlant = Pick<PlantSettings, "battery" | "batteries" | "slots"> &
  Partial<Pick<PlantSettings, "grid" | "load" | "pv" | "inverters">>;

/** A range of powers, kW. */
export interface PowerRange {
  minKw: number;
  maxKw: number;
}

/** The powers that a home can have. What exceeds them is no measurement. */
export interface SiteLimits {
  /** Import or export at the connection, kW; `connectionKw` / 4 is the most energy of a quarter-hour, kWh. */
  connectionKw: number;
  /** Load behind the meter: the connection with what PV and battery add. */
  load: PowerRange;
  pv: PowerRange;
  /** Positive while charging. */
  battery: PowerRange;
  /** Of several batteries, by id. */
  batteries: ReadonlyMap<string, PowerRange>;
  /** Of the slots, by their number. */
  slots: ReadonlyMap<number, PowerRange>;
}

/** Devices exceed their rating for a while, and fuses carry more than their rating. */
export const POWER_RESERVE = 1.5;
/** 3 × 63 A at 230 V: the largest usual connection of a home. */
const USUAL_CONNECTION_KW = 43.5;
/** Highest power of a home in terms of its mean load. */
const PEAK_TO_MEAN = 20;
/** Meters show small powers of the wrong sign. */
const OPPOSITE_KW = 1;

/** The limits of a home by its settings. Pure. */
export function siteLimits(plant: LimitedPlant): SiteLimits {
  const { battery, batteries, slots, grid, load, pv = [], inverters = [] } = plant;
  const pvKw = pvPower(pv, inverters);
  const slotKw = slots.map((slot) =>
    slot.vehicle === null
      ? slot.power_kw
      : Math.max(slot.power_kw ?? 0, chargingPower(slot.vehicle, slot.power_kw).maxKw),
  );
  const chargeKw = battery?.max_charge_power_kw ?? 0;
  const dischargeKw = battery?.max_discharge_power_kw ?? 0;
  const connectionKw =
    POWER_RESERVE *
    (grid?.connection_kw ??
      Math.max(
        USUAL_CONNECTION_KW,
        grid?.import_limit_kw ?? 0,
        grid?.export_limit_kw ?? 0,
        pvKw + dischargeKw,
        chargeKw + sum(slotKw.map((kw) => kw ?? 0)),
        (PEAK_TO_MEAN * (load?.daily_kwh ?? 0)) / 24,
      ));
  const within = (kw: number | null): PowerRange =>
    kw === null
      ? { minKw: -connectionKw, maxKw: connectionKw }
      : {
          minKw: -Math.max(OPPOSITE_KW, POWER_RESERVE * kw),
          maxKw: Math.max(OPPOSITE_KW, POWER_RESERVE * kw),
        };
  const ofBattery = (one: { max_charge_power_kw: number; max_discharge_power_kw: number }): PowerRange => ({
    minKw: -Math.max(OPPOSITE_KW, POWER_RESERVE * one.max_discharge_power_kw),
    maxKw: Math.max(OPPOSITE_KW, POWER_RESERVE * one.max_charge_power_kw),
  });
  return {
    connectionKw,
    load: { minKw: -OPPOSITE_KW, maxKw: connectionKw + POWER_RESERVE * (pvKw + dischargeKw) },
    pv:
      pv.length === 0
        ? within(null)
        : { minKw: -OPPOSITE_KW, maxKw: Math.max(OPPOSITE_KW, POWER_RESERVE * pvKw) },
    battery: battery === null ? within(null) : ofBattery(battery),
    batteries: new Map(batteries.map((one) => [one.id, ofBattery(one)])),
    slots: new Map(slots.map(({ slot }, index) => [slot, within(slotKw[index] ?? null)])),
  };
}

/** The most energy that a connection of that power can pass in a time, kWh. */
export function mostEnergyKwh({ connectionKw }: Pick<SiteLimits, "connectionKw">, minutes: number): number {
  return (connectionKw * minutes) / 60;
}

/** Most power of all arrays, kW: their peak powers, as far as their inverters give it. */
function pvPower(pv: PlantSettings["pv"], inverters: PlantSettings["inverters"]): number {
  const shared = inverters.map(({ id, kw }) =>
    Math.min(kw, sum(pv.map(({ inverter, peak_kw }) => (inverter === id ? peak_kw : 0)))),
  );
  const own = pv.map(({ inverter, peak_kw, inverter_kw }) =>
    inverter === null ? Math.min(peak_kw, inverter_kw ?? peak_kw) : 0,
  );
  return sum([...own, ...shared]);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** The most energy of a quarter-hour of a meter file that each home can have, kWh. */
export function quarterLimitsOf(sites: { get(id: string): { plant: LimitedPlant } | undefined }) {
  return (siteId: string): number => {
    const plant = sites.get(siteId)?.plant;
    if (plant === undefined) return USUAL_QUARTER_KWH;
    return mostEnergyKwh({ connectionKw: siteLimits(plant).load.maxKw }, 15);
  };
}

/** The same for a home without settings. */
export const USUAL_QUARTER_KWH = mostEnergyKwh({ connectionKw: POWER_RESERVE * USUAL_CONNECTION_KW }, 15);
