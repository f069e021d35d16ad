import type { SlotSettings, StoreSettings } from "../config/settings.js";
import { DAY_MS, floorTo, QUARTER_MS } from "../domain/interval.js";
import type { FlexRequest } from "./request.js";

/** Heat that a litre of water takes per kelvin, kWh. */
const KWH_PER_LITRE_KELVIN = 4.186 / 3600;
const ROOM_C = 20;
const DEFAULT_DAILY_KWH = 5;
/** Share of a day's hot water by local clock hour: a household with showers in the morning and in the evening. */
const HOUSEHOLD = [
  0, 0, 0, 0, 0.01, 0.04, 0.12, 0.12, 0.08, 0.05, 0.04, 0.04, 0.05, 0.04, 0.03, 0.03, 0.03, 0.05, 0.08, 0.08,
  0.06, 0.03, 0.02, 0,
];

/** A tank as it is planned: heat above `min_c`, kWh. */
export interface PlannedTank {
  storedKwh: number;
  maxKwh: number;
  /** Heat lost in an hour, halfway between empty and full, kWh. */
  lossKwhPerHour: number;
  /** Heat drawn by local clock hour, kWh. */
  drawKwh: readonly number[];
}

/** The tank of a slot at a temperature; without one it counts as half full. */
export function tankOf(store: StoreSettings, temperatureC: number | undefined): PlannedTank {
  const { litres, min_c, max_c, loss_w } = store;
  const heat = (kelvin: number) => litres * KWH_PER_LITRE_KELVIN * kelvin;
  const maxKwh = heat(max_c - min_c);
  const middleC = (min_c + max_c) / 2;
  return {
    storedKwh: Math.max(0, Math.min(maxKwh, heat((temperatureC ?? middleC) - min_c))),
    maxKwh,
    lossKwhPerHour: Math.max(0, ((loss_w / 1000) * (middleC - ROOM_C)) / Math.max(1, max_c - ROOM_C)),
    drawKwh: drawOf(store),
  };
}

/** The demand of a tank for the next 24 hours: what is drawn and lost beyond what is stored. */
export function tankRequest(
  slot: SlotSettings,
  { temperatureC, now }: { temperatureC: number | undefined; now: Date },
): FlexRequest | undefined {
  if (slot.store === null || slot.power_kw === null) return undefined;
  const { storedKwh, lossKwhPerHour, drawKwh } = tankOf(slot.store, temperatureC);
  const dailyKwh = drawKwh.reduce((sum, kwh) => sum + kwh, 0) + 24 * lossKwhPerHour;
  return {
    gridMinutes: 15,
    window: { kind: "fixed", end: new Date(floorTo(now.getTime(), QUARTER_MS) + DAY_MS) },
    energyKwh: Math.max(0, dailyKwh - storedKwh),
    maxPowerKw: slot.power_kw,
    consecutive: "off",
  };
}

/** Heat drawn by local clock hour, kWh. */
function drawOf({ daily_kwh, draw_profile }: StoreSettings): number[] {
  const profile = draw_profile ?? HOUSEHOLD;
  if (draw_profile !== null && daily_kwh === null) return [...draw_profile];
  const sum = profile.reduce((total, share) => total + share, 0);
  const daily = daily_kwh ?? DEFAULT_DAILY_KWH;
  return profile.map((share) => (sum > 0 ? (daily * share) / sum : daily / 24));
}
