/**
 * hourgate as a library: the pure functions that the gateway is made of, and the gateway itself.
 *
 * @packageDocumentation
 */
export { quartiles } from "./decision/quartiles.js";
export { forecastPrices } from "./forecast/forecast-prices.js";
export { createGateway, type Gateway } from "./gateway.js";
export {
  type PlanBatteryInput,
  type PlanBatteryResult,
  type PlannedStep,
  type PlannerBattery,
  planBattery,
} from "./plan/plan-battery.js";
