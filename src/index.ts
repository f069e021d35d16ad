/**
 * hourgate as a library: the pure functions that the gateway is made of, and the gateway itself.
 *
 * @packageDocumentation
 */
export { type FlexPack, type FlexPackInput, packFlex, unpackFlex } from "./decision/flex-pack.js";
export { quartiles } from "./decision/quartiles.js";
export { type RankedWindows, rankWindows } from "./decision/rank-windows.js";
export type { PriceSlot, WindowsRequest } from "./decision/windows-request.js";
export { forecastPrices } from "./forecast/forecast-prices.js";
export type { WeatherForFeatures, WeatherHour, WeatherIssue } from "./forecast/weather-features.js";
export { createGateway, type Gateway } from "./gateway.js";
export {
  type PlanBatteryInput,
  type PlanBatteryResult,
  type PlannedStep,
  type PlannerBattery,
  planBattery,
} from "./plan/plan-battery.js";
export { type PvArray, type PvStep, type PvYieldInput, pvYield } from "./solar/pv-yield.js";
