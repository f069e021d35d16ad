"use strict";

/** Maximum length of a status text. */
const MOST_CHARACTERS = 20;

const twoDigits = (number) => String(number).padStart(2, "0");

/** Date and time of an instant in a time zone (IANA name; undefined: this machine's), as `["2026-01-15", "18:00"]`. */
function dayAndHour(atMs, timeZone) {
  const format = (zone) =>
    // The Swedish locale formats dates as ISO 8601.
    new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "short" })
      .format(atMs)
      .split(" ");
  try {
    return format(timeZone);
  } catch {
    // An unknown time zone.
    return format(undefined);
  }
}

/** An instant as status text in a time zone (undefined: this machine's): the time, with the date unless it is today. */
function instantText(atMs, nowMs, timeZone) {
  const [date, hour] = dayAndHour(atMs, timeZone);
  const [today] = dayAndHour(nowMs, timeZone);
  return date === today ? hour : `${date.slice(5)} ${hour}`;
}

/**
 * An ISO 8601 time as status text: `02:00` today, `01-16 02:00` on another day. Date and time are shown in the offset of
 * the given time, which is that of the plant's time zone.
 */
function timeText(iso, nowMs) {
  const match = /^(\d{4}-(\d\d-\d\d))T(\d\d:\d\d)[^Z+-]*(?:Z|([+-])(\d\d):?(\d\d))$/.exec(iso);
  if (match === null) return "";
  const [, date, monthDay, clock, sign, hours, minutes] = match;
  const offsetMinutes = (sign === "-" ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0));
  const today = new Date(nowMs + offsetMinutes * 60_000).toISOString().slice(0, 10);
  return date === today ? clock : `${monthDay} ${clock}`;
}

/** The local time of this machine as `HH:MM`, for events of the node itself. */
function clockText(nowMs) {
  const now = new Date(nowMs);
  return `${twoDigits(now.getHours())}:${twoDigits(now.getMinutes())}`;
}

/** A value rounded to two decimals; `–` for an unknown one. */
function valueText(value) {
  if (value === undefined || value === null) return "–";
  return typeof value === "number" ? String(Math.round(value * 100) / 100) : String(value);
}

/** The end of an override, the next planned change, or the time of the last change, in this order. */
function timeOf({ next, untilMs, timeZone, sinceMs, nowMs }) {
  if (untilMs !== undefined) return `→ ${instantText(untilMs, nowMs, timeZone)}`;
  if (next) return `→ ${timeText(next, nowMs)}`;
  return sinceMs === undefined ? "" : clockText(sinceMs);
}

const fit = (text) => text.trim().slice(0, MOST_CHARACTERS);

/**
 * The status of a live node: value and time. `next` is formatted relative to `nowMs`, the gateway's time; `untilMs`, an
 * instant, replaces it and is shown in `timeZone`. Green dot: on; grey dot: off; blue dot: overridden; yellow ring: stale,
 * with the time since when; grey ring: no value yet; red ring: no value and no connection.
 */
function liveStatus({ value, isOn, overridden, connected, staleSinceMs, ...time }) {
  if (value === undefined && !connected) return { fill: "red", shape: "ring", text: "–" };
  if (value === undefined) return { fill: "grey", shape: "ring", text: "–" };
  const shown = valueText(value);
  if (staleSinceMs !== undefined)
    return {
      fill: overridden ? "blue" : "yellow",
      shape: "ring",
      text: fit(`${shown} stale ${clockText(staleSinceMs)}`),
    };
  return {
    fill: overridden ? "blue" : isOn ? "green" : "grey",
    shape: "dot",
    text: fit(`${shown} ${timeOf(time)}`),
  };
}

/** The status of a query node after an answer: its value and the time. */
function answeredStatus({ value, next, nowMs }, clockMs) {
  return {
    fill: "green",
    shape: "dot",
    text: fit(`${valueText(value)} ${timeOf({ next, sinceMs: clockMs, nowMs })}`),
  };
}

/** The status after an error: no value and the time; the error itself goes to the catch nodes. */
function failedStatus(clockMs) {
  return { fill: "red", shape: "ring", text: `– ${clockText(clockMs)}` };
}

module.exports = { answeredStatus, clockText, failedStatus, instantText, liveStatus, timeText, valueText };
