"use strict";

const DAY_MS = 86_400_000;

/**
 * A time of a message for a request: `07:00` becomes the next such time after `issuedAt`, as local time of the plant
 * without an offset; `issuedAt` is the gateway's time in the plant's zone, ISO 8601. Epoch milliseconds become ISO 8601; other
 * text is returned unchanged, so that the gateway's error says what is allowed.
 */
function requestTime(value, issuedAt) {
  if (typeof value === "number" && Number.isFinite(value) && Math.abs(value) <= 8.64e15)
    return new Date(value).toISOString();
  const text = String(value).trim();
  const match = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text);
  if (match === null) return text;
  const clock = `${match[1].padStart(2, "0")}:${match[2]}`;
  const today = issuedAt.slice(0, 10);
  if (clock > issuedAt.slice(11, 16)) return `${today}T${clock}`;
  return `${new Date(Date.parse(`${today}T00:00:00Z`) + DAY_MS).toISOString().slice(0, 10)}T${clock}`;
}

module.exports = { requestTime };
