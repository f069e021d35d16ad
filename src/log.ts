import { type DestinationStream, pino } from "pino";

type Write = (fields: object, message: string) => void;

/** Structured log, fields first; implemented by pino. */
export interface Log {
  info: Write;
  warn: Write;
  error: Write;
  debug: Write;
  trace: Write;
}

/** A complete API key: `hg_live_` and 43 characters, of which six may be shown. */
const KEY = /(hg_live_[\w-]{6})[\w-]{37}/g;

/**
 * A log that writes JSON lines from `level` (trace, debug, info, warn, error, silent) upwards, to standard output unless
 * `to` is given. API keys in a log line (for example sent as a user name) are shortened to what `key list` shows.
 */
export function createLog(level: string, to: DestinationStream = pino.destination(1)): Log {
  return pino({ level, hooks: { streamWrite: (line) => line.replace(KEY, "$1…") } }, to);
}

/** A log that writes nothing. */
export const silentLog: Log = { info() {}, warn() {}, error() {}, debug() {}, trace() {} };
