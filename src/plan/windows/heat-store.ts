import type { SlotSettings, StoreSettings } from "../../config/settings.js";
import { DAY_MS, floorTo, QUARTER_MS } from "../../core/domain/interval.js";
import { expectedDrawKwh, storeKwhPerK, storeLossKw } from "./estimates.js";
import type { FlexRequest } from "./request.js";

/** A tank as it is planned: heat above `min_c`, kWh. */
export interface PlannedTank {
  /** More than `maxKwh` in a tank that is hotter than `max_c`. */
  storedKwh: number;
  maxKwh: number;
  /** Heat lost in an hour, halfway between empty and full, kWh. */
  lossKwhPerHour: number;
}

/** The tank of a slot at a temperature; without one it counts as half full. */
export function tankOf(store: StoreSettings, temperatureC: number | undefined): PlannedTank {
  const { min_c, max_c } = store;
  const heat = (kelvin: number) => storeKwhPerK(store) * kelvin;
  const maxKwh = heat(max_c - min_c);
  const middleC = (min_c + max_c) / 2;
  return {
    storedKwh: Math.max(0, heat((temperatureC ?? middleC) - min_c)),
    maxKwh,
    lossKwhPerHour: storeLossKw(store, middleC),
  };
}

/** The demand of a tank for the next 24 hours: what is drawn and lost beyond what is stored. */
export function tankRequest(
  slot: SlotSettings,
  { temperatureC, now, zone }: { temperatureC?: number | undefined; now: Date; zone: string },
): FlexRequest | undefined {
  if (slot.store === null || slot.power_kw === null) return undefined;
  const { storedKwh, lossKwhPerHour } = tankOf(slot.store, temperatureC);
  const start = new Date(floorTo(now.getTime(), QUARTER_MS));
  const end = new Date(start.getTime() + DAY_MS);
  const [drawKwh] = expectedDrawKwh(slot.store, [{ start, end }], zone);
  return {
    gridMinutes: 15,
    window: { kind: "fixed", end },
    energyKwh: Math.max(0, drawKwh! + 24 * lossKwhPerHour - storedKwh),
    maxPowerKw: slot.power_kw,
    consecutive: "off",
  };
}
