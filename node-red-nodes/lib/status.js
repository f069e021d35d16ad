"use strict";

/** What fits under a node. */
const MOST_CHARACTERS = 20;

const two = (number) => String(number).padStart(2, "0");

/** Day and hour of an instant in a zone (IANA name; undefined: this machine's), as `["2026-01-15", "18:00"]`. */
function dayAndHour(atMs, timeZone) {
  const format = (zone) =>
    // Sweden writes dates as ISO 8601 does.
    new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "short" })
      .format(atMs)
      .split(" ");
  try {
    return format(timeZone);
  } catch {
    // No zone that this machine knows.
    return format(undefined);
  }
}

/** An instant as people read it under a node, on the clocks of a zone (undefined: of this machine). */
function instantText(atMs, nowMs, timeZone) {
  const [date, hour] = dayAndHour(atMs, timeZone);
  const [today] = dayAndHour(nowMs, timeZone);
  return date === today ? hour : `${date.slice(5)} ${hour}`;
}

/**
 * An ISO 8601 time as people read it under a node: `02:00` today, `01-16 02:00` on another day. Day and hour are those
 * of the time's own offset, that is of the plant's zone.
 */
function timeText(iso, nowMs) {
  const match = /^(\d{4}-(\d\d-\d\d))T(\d\d:\d\d)[^Z+-]*(?:Z|([+-])(\d\d):?(\d\d))$/.exec(iso);
  if (match === null) return "";
  const [, date, monthDay, clock, sign, hours, minutes] = match;
  const offsetMinutes = (sign === "-" ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0));
  const today = new Date(nowMs + offsetMinutes * 60_000).toISOString().slice(0, 10);
  return date === today ? clock : `${monthDay} ${clock}`;
}

/** The clock time of this machine, for what happened to the node itself. */
function clockText(nowMs) {
  const now = new Date(nowMs);
  return `${two(now.getHours())}:${two(now.getMinutes())}`;
}

/** A figure in few characters; `–` where none is known. */
function valueText(value) {
  if (value === undefined || value === null) return "–";
  return typeof value === "number" ? String(Math.round(value * 100) / 100) : String(value);
}

/** The end of an override, or the next change where one is planned, else since when. */
function timeOf({ next, untilMs, timeZone, sinceMs, nowMs }) {
  if (untilMs !== undefined) return `→ ${instantText(untilMs, nowMs, timeZone)}`;
  if (next) return `→ ${timeText(next, nowMs)}`;
  return sinceMs === undefined ? "" : clockText(sinceMs);
}

const fit = (text) => text.trim().slice(0, MOST_CHARACTERS);

/**
 * The status of a live node: value and time, nothing else. `next` is read against `nowMs`, the gateway's time; `untilMs` in
 * its place is an instant, told on the clocks of `timeZone`. A green dot is a value that is on, a grey one that is off, a
 * blue one an override, a yellow ring a stale value with the time since when, a red ring no connection and no value.
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

/** The status of a query node after an answer: its figure and the time. */
function answeredStatus({ value, next, nowMs }, clockMs) {
  return {
    fill: "green",
    shape: "dot",
    text: fit(`${valueText(value)} ${timeOf({ next, sinceMs: clockMs, nowMs })}`),
  };
}

/** The status after a failure: no value and the time; what went wrong is told to catch nodes. */
function failedStatus(clockMs) {
  return { fill: "red", shape: "ring", text: `– ${clockText(clockMs)}` };
}

module.exports = { answeredStatus, clockText, failedStatus, instantText, liveStatus, timeText, valueText };
