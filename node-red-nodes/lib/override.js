"use strict";

const { GatewayError } = require("./gateway-error.js");

/** Words and flags that people send for each mode. */
const MODES = new Map([
  ["on", "on"],
  ["off", "off"],
  ["auto", "auto"],
  ["true", "on"],
  ["false", "off"],
  ["1", "on"],
  ["0", "off"],
]);

/** The last instant that JavaScript can tell as a date, ms. */
const LATEST_MS = 8.64e15;

function modeOf(value) {
  const mode = MODES.get(String(value).trim().toLowerCase());
  if (mode === undefined) throw new GatewayError("msg.override must be on, off or auto.", "invalid_override");
  return mode;
}

const badMinutes = () =>
  new GatewayError(
    "msg.override_minutes must be a number from 0 (until another override comes).",
    "invalid_override",
  );

/** Whether it is a time at all: one beyond the calendar cannot be told to anybody. */
const isInstant = (ms) => Number.isFinite(ms) && Math.abs(ms) <= LATEST_MS;

function endOf({ override_minutes: minutes, override_until: until }, defaultMinutes, nowMs) {
  if (until !== undefined) {
    const endMs = typeof until === "number" ? until : Date.parse(until);
    if (!isInstant(endMs))
      throw new GatewayError(
        "msg.override_until must be an ISO 8601 time or epoch milliseconds.",
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
 * The override that a message asks for: `{ mode, untilMs }`, untilMs null for one without end; undefined where the
 * message has no `override`. Throws a GatewayError that says what is allowed.
 */
function readOverride(message, defaultMinutes, nowMs) {
  if (message.override === undefined) return undefined;
  const mode = modeOf(message.override);
  // The plan needs no end.
  return { mode, untilMs: mode === "auto" ? null : endOf(message, defaultMinutes, nowMs) };
}

/** Whether a kept override still holds; one that was kept by hand in another form does not. */
function holds(override, nowMs) {
  if (typeof override !== "object" || override === null) return false;
  const { mode, untilMs } = override;
  if (!["on", "off", "auto"].includes(mode)) return false;
  return untilMs === null || (isInstant(untilMs) && untilMs > nowMs);
}

/** What the node gives out: 1, 0, or with auto what the plan says. */
function applied(mode, planned) {
  if (mode === "auto") return planned;
  return mode === "on" ? 1 : 0;
}

module.exports = { applied, holds, readOverride };
