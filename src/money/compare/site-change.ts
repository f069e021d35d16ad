import { USUAL_BATTERY } from "../../config/battery-models.js";
import type { PlantSettings } from "../../config/settings.js";
import {
  DAY_MS,
  type EnergyStep,
  floorTo,
  hoursOf,
  type Interval,
  quartersOf,
} from "../../core/domain/interval.js";
import { localDate, monthInterval } from "../../core/time/zone.js";
import { peakOf } from "../../forecast/pv/forecast.js";
import { AUSTRIA, spreadDailyYield } from "../../forecast/solar/day-shape.js";
import { locationOf } from "../../forecast/weather/place.js";
import { modelledPlant } from "./past-pv.js";
import type { BacktestSite, HeldData } from "./past-site.js";

/** What would be different at a site; members that are left out stay as they are. */
export interface SiteChange {
  batteryKwh?: number;
  /** Peak power of further PV. */
  pvKwpMore?: number;
  /** A built-in supplier. */
  tariff?: string;
  /** Nobody charges a vehicle. */
  withoutCar?: boolean;
  /** Electricity of a heat pump in a year. */
  heatPumpKwhYear?: number;
}

/** A site and a period of its past. */
interface ChangeableSite {
  plant: PlantSettings;
  site: BacktestSite;
  period: Interval;
  /** What the measured load has of vehicles. */
  vehicle?: readonly EnergyStep[];
}

interface ChangedSite {
  plant: PlantSettings;
  site: BacktestSite;
  pvFactor: number;
}

/** The site with a change, before it is simulated. The tariff is not part of it. */
export function changedSite(
  { plant, site, period, vehicle = [] }: ChangeableSite,
  held: Pick<HeldData, "weather" | "pvLearning">,
  { batteryKwh, pvKwpMore = 0, withoutCar = false, heatPumpKwhYear = 0 }: SiteChange,
): ChangedSite {
  const vehicleKwh = new Map(withoutCar ? vehicle.map(({ start, kwh }) => [start.getTime(), kwh]) : []);
  const measured = site.measured.map((step) => ({
    ...step,
    kwh:
      Math.max(0, step.kwh - (vehicleKwh.get(step.start.getTime()) ?? 0)) +
      heatPumpKwh(step, heatPumpKwhYear, plant.timezone),
  }));
  const changed = {
    plant: batteryKwh === undefined ? plant : withBattery(plant, batteryKwh),
    site: { ...site, measured },
    pvFactor: 1,
  };
  if (pvKwpMore <= 0) return changed;
  const hasPv = site.pv !== undefined || modelledPlant(plant, held, period) !== undefined;
  if (hasPv) {
    const peakKw = peakOf(plant) || highestKw(site.pv?.measured ?? []);
    return peakKw > 0 ? { ...changed, pvFactor: (peakKw + pvKwpMore) / peakKw } : changed;
  }
  const first = site.measured[0]?.start ?? period.start;
  const pv = { measured: standardPv(plant, { start: first, end: period.end }, pvKwpMore), name: "standard" };
  return { ...changed, site: { ...changed.site, pv } };
}

/** The battery with another capacity and the same inverter; where there is none, one with the values of the settings' defaults. */
function withBattery(plant: PlantSettings, capacityKwh: number): PlantSettings {
  const battery = plant.battery ?? {
    ...USUAL_BATTERY,
    max_charge_power_kw: Math.min(USUAL_BATTERY.max_charge_power_kw, capacityKwh / 2),
    max_discharge_power_kw: Math.min(USUAL_BATTERY.max_discharge_power_kw, capacityKwh / 2),
  };
  return { ...plant, battery: { ...battery, capacity_kwh: capacityKwh } };
}

/** Share of the heating energy of a year in each month, per mille (the degree-day table of VDI 2067). */
const HEATING_PER_MILLE = [170, 150, 130, 80, 40, 13, 14, 13, 30, 80, 120, 160];
/** The rest is hot water, the same every day. */
const HEATING_SHARE = 0.8;

/** Electricity of a heat pump in an interval, kWh, by the local month in which it begins. */
function heatPumpKwh({ start, end }: Interval, yearKwh: number, zone: string): number {
  if (yearKwh === 0) return 0;
  const month = localDate(start, zone).slice(0, 7);
  const ofMonth = (HEATING_SHARE * HEATING_PER_MILLE[Number(month.slice(5)) - 1]!) / 1000;
  const perHour = ofMonth / hoursOf(monthInterval(month, zone)) + (1 - HEATING_SHARE) / (365 * 24);
  return yearKwh * perHour * hoursOf({ start, end });
}

/** Yield of a roof to the south in Austria by month, kWh per kWp; 1055 in a year. */
const YIELD_KWH_KWP = [38, 58, 93, 117, 128, 130, 135, 123, 97, 69, 38, 29];

/** PV of a usual year where neither a measurement nor weather is known, by quarter-hour. */
export function standardPv(plant: PlantSettings, { start, end }: Interval, peakKw: number): EnergyStep[] {
  const place = locationOf(plant) ?? AUSTRIA;
  const steps: EnergyStep[] = [];
  for (let dayMs = floorTo(start.getTime(), DAY_MS); dayMs < end.getTime(); dayMs += DAY_MS) {
    const day = new Date(dayMs);
    const quarters = quartersOf({ start: day, end: new Date(dayMs + DAY_MS) });
    const month = day.getUTCMonth();
    // Cloudy and clear days: multiples of the golden ratio are spread evenly.
    const clearness = 0.3 + 1.4 * (((dayMs / DAY_MS) * 0.618033988749895) % 1);
    const dayKwh = (clearness * peakKw * YIELD_KWH_KWP[month]!) / daysOf(day.getUTCFullYear(), month);
    spreadDailyYield(quarters, [dayKwh], place, "UTC").forEach((kwh, t) => {
      steps.push({ ...quarters[t]!, kwh });
    });
  }
  return steps;
}

function daysOf(year: number, month: number): number {
  return new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
}

/** Highest mean power of a step, kW; 0 without any. */
function highestKw(steps: readonly EnergyStep[]): number {
  return steps.reduce((most, step) => Math.max(most, step.kwh / hoursOf(step)), 0);
}
