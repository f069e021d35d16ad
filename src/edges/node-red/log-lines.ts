import type { Log } from "../../core/log.js";

const WINDOW_MS = 10_000;
/** A flow that logs in a loop must not fill the disk. */
const LINES_PER_WINDOW = 100;
const LONGEST_LINE = 2_000;

/** Texts that must not be logged: keys, signing secrets, tokens and passwords in addresses. */
const SECRETS: readonly [RegExp, string][] = [
  [/\bhg_live_[A-Za-z0-9_-]+/g, "hg_live_…"],
  [/\bwhsec_[A-Za-z0-9_-]+/g, "whsec_…"],
  [/\b(bearer|basic)\s+[A-Za-z0-9+/=._~-]{8,}/gi, "$1 …"],
  [/([?&](?:access_token|token|key|api_?key|password)=)[^&\s"']+/gi, "$1…"],
  [/(\b[a-z][a-z\d+.-]*:\/\/)[^\s/@]+@/gi, "$1…@"],
  [/(\/c\/)[A-Za-z0-9_-]{16,}/g, "$1…"],
];

/** A text without secrets of a known form, shortened to the longest line of the log. */
export function redactLogLine(text: string): string {
  const cut = text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE)} …` : text;
  return SECRETS.reduce((clean, [pattern, instead]) => clean.replace(pattern, instead), cut);
}

/** Forwards Node-RED's lines to the gateway's log, so many in ten seconds; what is left out is counted. */
export function createLineForwarder(log: Log, wallNowMs: () => number = Date.now) {
  let windowStartMs = Number.NEGATIVE_INFINITY;
  let written = 0;
  let dropped = 0;
  /** `level` as in Node-RED: 10 fatal, 20 error, 30 warn, 40 info, more: debug. */
  return (level: number, text: string): void => {
    const nowMs = wallNowMs();
    if (nowMs - windowStartMs >= WINDOW_MS) {
      if (dropped > 0)
        log.warn({ component: "node_red", dropped }, "Node-RED wrote more lines than are kept.");
      windowStartMs = nowMs;
      written = 0;
      dropped = 0;
    }
    if (written >= LINES_PER_WINDOW) {
      dropped++;
      return;
    }
    written++;
    const method = level <= 20 ? "error" : level <= 30 ? "warn" : level <= 40 ? "info" : "debug";
    log[method]({ component: "node_red" }, `Node-RED: ${redactLogLine(text.trim())}`);
  };
}
