import {
  accountCreateCommand,
  accountDeleteCommand,
  accountListCommand,
  accountResetPasswordCommand,
  accountUnlockCommand,
  planSetCommand,
} from "./account-commands.js";
import {
  actuatorDisableCommand,
  actuatorEnableCommand,
  actuatorListCommand,
  actuatorTestCommand,
} from "./actuator-commands.js";
import { backtestCommand } from "./backtest.js";
import { billCommand } from "./bill.js";
import type { CliCommand } from "./command.js";
import { compareCommand } from "./compare.js";
import { checkCommand } from "./configuration.js";
import { demoCommand } from "./demo.js";
import {
  devicesAddCommand,
  devicesCheckCommand,
  devicesListCommand,
  devicesRawCommand,
  devicesReadCommand,
  devicesTestCommand,
} from "./device-commands.js";
import { devicesEntitiesCommand } from "./devices-entities.js";
import { devicesFindCommand } from "./devices-find.js";
import { doctorCommand } from "./doctor.js";
import { exportTelemetryCommand } from "./export-telemetry.js";
import { fleetRouteCommand, fleetStatusCommand } from "./fleet.js";
import { forecastRunCommand } from "./forecast-run.js";
import { importListCommand, importMeterCommand, importRemoveCommand } from "./import-meter.js";
import { importPricesCommand } from "./import-prices.js";
import { loxoneCommand } from "./loxone.js";
import { mqttApproveCommand, mqttListCommand, mqttRevokeCommand } from "./mqtt-approvals.js";
import { exportHistoryCommand, savingsCommand } from "./savings.js";
import { serveCommand } from "./serve.js";
import {
  keyCreateCommand,
  keyListCommand,
  keyRevokeCommand,
  linkCreateCommand,
  linkListCommand,
  linkRevokeCommand,
  webhookSetCommand,
  webhookTestCommand,
} from "./site-commands.js";
import { storeCopyCommand } from "./store-copy.js";
import { tariffListCommand, tariffShowCommand } from "./tariff.js";
import { tariffApplyCommand } from "./tariff-apply.js";
import { tlsCreateCommand } from "./tls-create.js";

/** All commands in the order of the help. */
export const commands: readonly CliCommand[] = [
  serveCommand,
  checkCommand,
  demoCommand,
  doctorCommand,
  accountCreateCommand,
  accountListCommand,
  accountResetPasswordCommand,
  accountUnlockCommand,
  accountDeleteCommand,
  planSetCommand,
  keyCreateCommand,
  keyListCommand,
  keyRevokeCommand,
  linkCreateCommand,
  linkListCommand,
  linkRevokeCommand,
  mqttApproveCommand,
  mqttListCommand,
  mqttRevokeCommand,
  actuatorListCommand,
  actuatorTestCommand,
  actuatorEnableCommand,
  actuatorDisableCommand,
  devicesListCommand,
  devicesReadCommand,
  devicesRawCommand,
  devicesTestCommand,
  devicesAddCommand,
  devicesCheckCommand,
  devicesFindCommand,
  devicesEntitiesCommand,
  loxoneCommand,
  tariffListCommand,
  tariffShowCommand,
  tariffApplyCommand,
  billCommand,
  compareCommand,
  savingsCommand,
  tlsCreateCommand,
  webhookSetCommand,
  webhookTestCommand,
  forecastRunCommand,
  backtestCommand,
  importPricesCommand,
  importMeterCommand,
  importListCommand,
  importRemoveCommand,
  exportTelemetryCommand,
  exportHistoryCommand,
  fleetRouteCommand,
  fleetStatusCommand,
  storeCopyCommand,
];
