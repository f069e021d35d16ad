"use strict";

const { GatewayError } = require("./gateway-error.js");
const { timeMs } = require("./gateway-time.js");

/** Accepted values of `msg.override`, as lower-case text. */
const MODES = new Map([
  ["on", "on"],
  ["off", "off"],
  ["auto", "auto"],
  ["true", "on"],
  ["false", "off"],
  ["1", "on"],
  ["0", "off"],
]);

/** The latest time that a JavaScript Date can represent, ms. */
const LATEST_MS = 8.64e15;

function modeOf(value) {
  const mode = MODES.get(String(value).trim().toLowerCase());
  if (mode === undefined) throw new GatewayError("msg.override must be on, off or auto.", "invalid_override");
  return mode;
}

const badMinutes = () =>
  new GatewayError(
    "msg.override_minutes must be a number from 0 (0: until the next override).",
    "invalid_override",
  );

/** Whether a Date can represent the time; others cannot be formatted as ISO 8601. */
const isInstant = (ms) => Number.isFinite(ms) && Math.abs(ms) <= LATEST_MS;

function endOf({ override_minutes: minutes, override_until: until }, { defaultMinutes, nowMs, timeZone }) {
  if (until !== undefined) {
    const endMs = timeMs(until, nowMs, timeZone);
    if (!isInstant(endMs))
      throw new GatewayError(
        "msg.override_until must be a time such as 07:00, an ISO 8601 time or epoch milliseconds.",
        "invalid_override",
      );
    return endMs;
  }
  if (minutes === "" || minutes === null) throw badMinutes();
  const length = Number(String(minutes ?? defaultMinutes).replace(",", "."));
  if (!isInstant(nowMs + length * 60_000) || length < 0) throw badMinutes();
  return length === 0 ? null : nowMs + length * 60_000;
}

/**
 * The override in a message: `{ mode, untilMs }`, untilMs null without an end; undefined when the message has no
 * `override`. Local times are those of `timeZone`. Throws a GatewayError that states the allowed values.
 */
function readOverride(message, { defaultMinutes, nowMs, timeZone }) {
  if (message.override === undefined) return undefined;
  const mode = modeOf(message.override);
  // Following the plan is not limited in time.
  return { mode, untilMs: mode === "auto" ? null : endOf(message, { defaultMinutes, nowMs, timeZone }) };
}

/** Whether a stored override is still effective; false for values of another form. */
function holds(override, nowMs) {
  if (typeof override !== "object" || override === null) return false;
  const { mode, untilMs } = override;
  if (!["on", "off", "auto"].includes(mode)) return false;
  return untilMs === null || (isInstant(untilMs) && untilMs > nowMs);
}

/** The output of the node: 1, 0, or with `auto` the planned value. */
function applied(mode, planned) {
  if (mode === "auto") return planned;
  return mode === "on" ? 1 : 0;
}

module.exports = { applied, holds, readOverride };
