import { backtestCommand } from "./backtest.js";
import { checkCommand } from "./check.js";
import type { Command } from "./command.js";
import { exportTelemetryCommand } from "./export-telemetry.js";
import { importPricesCommand } from "./import-prices.js";
import { serveCommand } from "./serve.js";

/** Every command, in the order in which help lists them. */
export const commands: readonly Command[] = [
  serveCommand,
  checkCommand,
  backtestCommand,
  importPricesCommand,
  exportTelemetryCommand,
];
