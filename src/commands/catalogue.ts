import { accountCreateCommand } from "./account-create.js";
import {
  accountDeleteCommand,
  accountResetPasswordCommand,
  accountUnlockCommand,
} from "./account-credentials.js";
import { accountListCommand } from "./account-list.js";
import { backtestCommand } from "./backtest.js";
import { checkCommand } from "./check.js";
import type { CliCommand } from "./command.js";
import { demoCommand } from "./demo.js";
import { doctorCommand } from "./doctor.js";
import { exportTelemetryCommand } from "./export-telemetry.js";
import { forecastRunCommand } from "./forecast-run.js";
import { importPricesCommand } from "./import-prices.js";
import { keyCreateCommand } from "./key-create.js";
import { keyListCommand } from "./key-list.js";
import { keyRevokeCommand } from "./key-revoke.js";
import { linkCreateCommand } from "./link-create.js";
import { linkListCommand } from "./link-list.js";
import { linkRevokeCommand } from "./link-revoke.js";
import { loxoneCommand } from "./loxone.js";
import { mqttApproveCommand, mqttListCommand, mqttRevokeCommand } from "./mqtt-approvals.js";
import { planSetCommand } from "./plan-set.js";
import { serveCommand } from "./serve.js";
import { tariffListCommand, tariffShowCommand } from "./tariff.js";
import { tlsCreateCommand } from "./tls-create.js";
import { webhookSetCommand } from "./webhook-set.js";
import { webhookTestCommand } from "./webhook-test.js";

/** Every command, in the order in which help lists them. */
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
  loxoneCommand,
  tariffListCommand,
  tariffShowCommand,
  tlsCreateCommand,
  webhookSetCommand,
  webhookTestCommand,
  forecastRunCommand,
  backtestCommand,
  importPricesCommand,
  exportTelemetryCommand,
];
