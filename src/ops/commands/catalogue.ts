import { accountCommands } from "./account-commands.js";
import { actuatorCommands } from "./actuator-commands.js";
import { backtestCommand } from "./backtest.js";
import { billCommand } from "./bill.js";
import type { CliCommand } from "./command.js";
import { compareCommand } from "./compare.js";
import { checkCommand } from "./configuration.js";
import { demoCommand } from "./demo.js";
import { deviceCommands } from "./device-commands.js";
import { devicesEntitiesCommand } from "./devices-entities.js";
import { devicesFindCommand } from "./devices-find.js";
import { doctorCommand } from "./doctor.js";
import { exportTelemetryCommand } from "./export-telemetry.js";
import { fleetCommands } from "./fleet.js";
import { forecastRunCommand } from "./forecast-run.js";
import { importCommands } from "./import-meter.js";
import { importPricesCommand } from "./import-prices.js";
import { loxoneCommand } from "./loxone.js";
import { mqttCommands } from "./mqtt-approvals.js";
import { exportHistoryCommand, savingsCommand } from "./savings.js";
import { serveCommand } from "./serve.js";
import { keyCommands, webhookCommands } from "./site-commands.js";
import { storeCopyCommand } from "./store-copy.js";
import { tariffCommands } from "./tariff.js";
import { tariffApplyCommand } from "./tariff-apply.js";
import { tlsCreateCommand } from "./tls-create.js";

/** All commands in the order of the help. */
export const commands: readonly CliCommand[] = [
  serveCommand,
  checkCommand,
  demoCommand,
  doctorCommand,
  ...accountCommands,
  ...keyCommands,
  ...mqttCommands,
  ...actuatorCommands,
  ...deviceCommands,
  devicesFindCommand,
  devicesEntitiesCommand,
  loxoneCommand,
  ...tariffCommands,
  tariffApplyCommand,
  billCommand,
  compareCommand,
  savingsCommand,
  tlsCreateCommand,
  ...webhookCommands,
  forecastRunCommand,
  backtestCommand,
  importPricesCommand,
  ...importCommands,
  exportTelemetryCommand,
  exportHistoryCommand,
  ...fleetCommands,
  storeCopyCommand,
];
