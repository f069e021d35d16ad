import { type DestinationStream, pino } from "pino";
import type { prettyFactory as PrettyFactory } from "pino-pretty";
import { requirePackage } from "./installation.js";
import { oneLine, printable } from "./one-line.js";

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
 * A log that writes from `level` (trace, debug, info, warn, error, silent) upwards, to standard output unless `to` is
 * given: JSON lines, or readable lines with `format` text, or auto on a terminal. API keys in a log line (for example sent
 * as a user name) are shortened to what `key list` shows.
 */
export function createLog(
  { level, format = "json" }: { level: string; format?: "auto" | "json" | "text" },
  to: DestinationStream = pino.destination(1),
): Log {
  const isTerminal = process.stdout.isTTY === true;
  const isText = format === "text" || (format === "auto" && isTerminal);
  const readable = isText ? readableLines(isTerminal) : (line: string) => line;
  return pino({ level, hooks: { streamWrite: (line) => readable(line.replace(KEY, "$1…")) } }, to);
}

/** Loads the formatter only here: a service without a terminal does not need its 30 files. */
function readableLines(isTerminal: boolean): (line: string) => string {
  const { prettyFactory } = requirePackage("pino-pretty") as {
    prettyFactory: typeof PrettyFactory;
  };
  const format = prettyFactory({
    colorize: isTerminal && process.env.NO_COLOR === undefined,
    translateTime: "SYS:yyyy-mm-dd HH:MM:ss",
    ignore: "pid,hostname",
    singleLine: true,
  });
  return (line) => format(JSON.parse(line, shown));
}

/** Texts of strangers are in messages, in fields and in errors; only a stack has lines. */
function shown(key: string, value: unknown): unknown {
  if (typeof value !== "string") return value;
  return key === "stack" ? printable(value) : oneLine(value);
}

/** A log that writes nothing. */
export const silentLog: Log = { info() {}, warn() {}, error() {}, debug() {}, trace() {} };
