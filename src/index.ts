/**
 * hourgate as a library: the pure functions behind the gateway, and the gateway itself.
 *
 * @packageDocumentation
 */

export { createGateway, type Gateway } from "./app/gateway.js";
export { forecastLoad } from "./forecast/load/forecast-load.js";
export { learnLoad } from "./forecast/load/learn-load.js";
export type { LoadModel } from "./forecast/load/load-model.js";
export type { WeatherForFeatures, WeatherHour, WeatherIssue } from "./forecast/price/forecast-issue-set.js";
export {
  type ForecastPricesInput,
  forecastPrices,
  type PriceForecast,
  type TrainPriceModelInput,
  trainPriceModel,
} from "./forecast/price/forecast-prices.js";
export type { PriceModel } from "./forecast/price/model-document.js";
export {
  type PvInverter,
  type PvPlantArray,
  type PvPlantYieldInput,
  pvPlantYield,
} from "./forecast/solar/plant-yield.js";
export { type PvArray, type PvStep, type PvYieldInput, pvYield } from "./forecast/solar/pv-yield.js";
export {
  type PlanBatteryInput,
  type PlanBatteryResult,
  type PlannedStep,
  type PlannerBattery,
  planBattery,
} from "./plan/exact/plan-battery.js";
export type { InformationBound } from "./plan/policy/information-bound.js";
export { planPolicy } from "./plan/policy/plan-policy.js";
export type {
  Command,
  CommandReason,
  PolicyBattery,
  PolicyInput,
  PolicyStep,
} from "./plan/policy/policy-input.js";
export type { PathStep, SimulateInput, Simulation } from "./plan/policy/simulate-policy.js";
export type { ActInput, Policy } from "./plan/policy/solved-policy.js";
export {
  type FlexPack,
  FlexPackError,
  type FlexPackInput,
  packFlex,
  unpackFlex,
} from "./plan/windows/flex-pack.js";
export { quartiles } from "./plan/windows/quartiles.js";
export { type RankedWindows, rankWindows } from "./plan/windows/rank-windows.js";
export type { PriceSlot, WindowsRequest } from "./plan/windows/windows-request.js";
export { billMonth } from "./tariff/bill.js";
export type { Bill, BilledStep, BillLine } from "./tariff/bill-lines.js";
export { compileTariff, type Prices } from "./tariff/compile-tariff.js";
export type { Tariff, TariffPeriod } from "./tariff/tariff.js";
