import { decisionOperation } from "./decision.js";
import { deviceOverridesOperation } from "./device-overrides.js";
import { deviceSchedulesOperation } from "./device-schedules.js";
import { devicesOperation } from "./devices.js";
import { forecastOperation } from "./forecast.js";
import { healthOperation } from "./health.js";
import { hoursDemandOperation } from "./hours-demand.js";
import { correctLoadOperation, loadOperation } from "./load.js";
import type { Operation } from "./operation.js";
import { changePresenceOperation, presenceOperation } from "./presence.js";
import { pvForecastOperation } from "./pv-forecast.js";
import type { Services } from "./services.js";
import { statusOperation } from "./status.js";
import { telemetryOperation } from "./telemetry.js";
import { weatherOperation } from "./weather.js";
import { whatIfBodyOperation, whatIfQueryOperation } from "./what-if.js";
import { whyOperation } from "./why.js";
import { windowsBodyOperation, windowsQueryOperation } from "./windows.js";

/**
 * Every operation of the interface. HTTP routes, openapi.json, the endpoint map of the status and MQTT requests are derived
 * from this list. A new operation is a new file and a line here.
 */
export function createOperations(services: Services): Operation[] {
  const operations: Operation[] = [
    forecastOperation(services),
    decisionOperation(services),
    windowsQueryOperation(services),
    windowsBodyOperation(services),
    hoursDemandOperation(services),
    telemetryOperation(services),
    pvForecastOperation(services),
    weatherOperation(services),
    deviceSchedulesOperation(services),
    deviceOverridesOperation(services),
    devicesOperation(services),
    loadOperation(services),
    correctLoadOperation(services),
    presenceOperation(services),
    changePresenceOperation(services),
    whatIfQueryOperation(services),
    whatIfBodyOperation(services),
    whyOperation(services),
    statusOperation(services, () => operations),
    healthOperation(services),
  ];
  return operations;
}
