"use strict";

const DAY_MS = 86_400_000;

/** `7:00` as `07:00`; undefined for anything but a clock time. */
function clockOf(text) {
  const match = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text);
  return match === null ? undefined : `${match[1].padStart(2, "0")}:${match[2]}`;
}

/** The local time of an instant as if it were UTC, ms; without a zone that of this machine. */
function localMs(atMs, timeZone) {
  const local = new Intl.DateTimeFormat("sv-SE", {
    timeZone,
    dateStyle: "short",
    timeStyle: "medium",
  }).format(atMs);
  return Date.parse(`${local.replace(" ", "T")}Z`);
}

/**
 * The time of a message, epoch ms; NaN for none. `07:00` is the next such time after `nowMs`, as local time in `timeZone` as text
 * without an offset; without a zone that of this machine.
 */
function timeMs(value, nowMs, timeZone) {
  if (typeof value === "number") return value;
  const text = String(value).trim();
  const clock = clockOf(text);
  const isLocal = clock !== undefined || (/T/.test(text) && !/(?:Z|[+-]\d\d(?::?\d\d)?)$/i.test(text));
  if (!isLocal) return Date.parse(text);
  const instantOf = (local) => {
    const atMs = local - (localMs(nowMs, timeZone) - nowMs);
    // The offset of that time, which a change of the clock makes another one than now.
    return Number.isNaN(local) ? local : local - (localMs(atMs, timeZone) - atMs);
  };
  if (clock === undefined) return instantOf(Date.parse(`${text}Z`));
  const now = localMs(nowMs, timeZone);
  const today = Date.parse(`${new Date(now).toISOString().slice(0, 10)}T${clock}Z`);
  const next = instantOf(today);
  return next > nowMs ? next : instantOf(today + DAY_MS);
}

/**
 * A time of a message for a request: `07:00` becomes the next such time after `issuedAt`, as local time of the plant
 * without an offset; `issuedAt` is the gateway's time in the plant's zone, ISO 8601. Epoch milliseconds become ISO 8601; other
 * text is returned unchanged, so that the gateway's error says what is allowed.
 */
function requestTime(value, issuedAt) {
  if (typeof value === "number" && Number.isFinite(value) && Math.abs(value) <= 8.64e15)
    return new Date(value).toISOString();
  const text = String(value).trim();
  const clock = clockOf(text);
  if (clock === undefined) return text;
  const today = issuedAt.slice(0, 10);
  if (clock > issuedAt.slice(11, 16)) return `${today}T${clock}`;
  return `${new Date(Date.parse(`${today}T00:00:00Z`) + DAY_MS).toISOString().slice(0, 10)}T${clock}`;
}

module.exports = { requestTime, timeMs };
