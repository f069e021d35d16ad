import { backtestCommand } from "./backtest.js";
import { checkCommand } from "./check.js";
import type { Command } from "./command.js";
import { exportTelemetryCommand } from "./export-telemetry.js";
import { forecastRunCommand } from "./forecast-run.js";
import { importPricesCommand } from "./import-prices.js";
import { serveCommand } from "./serve.js";

/** Every command, in the order in which help lists them. */
export const commands: readonly Command[] = [
  serveCommand,
  checkCommand,
  forecastRunCommand,
  backtestCommand,
  importPricesCommand,
  exportTelemetryCommand,
];
