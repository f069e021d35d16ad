import { pino } from "pino";

type Write = (fields: object, message: string) => void;

/** Structured log, fields first: what a service needs of a logger, and what pino gives. */
export interface Log {
  info: Write;
  warn: Write;
  error: Write;
  debug: Write;
}

/** A log that writes JSON lines to standard output from `level` (trace, debug, info, warn, error, silent) upwards. */
export function createLog(level: string): Log {
  return pino({ level });
}

/** A log that writes nothing. */
export const silentLog: Log = { info() {}, warn() {}, error() {}, debug() {} };
