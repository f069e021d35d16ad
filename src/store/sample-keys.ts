import type { Reading } from "../core/domain/sample.js";

/**
 * Keys of telemetry: `sample/<site>/<reading>/<time>` with the time in a fixed width, so that keys sort by time, and
 * `latest/<site>/<reading>`. A value is a little-endian double; a latest value is preceded by its time.
 */

/** The range of all sample keys; "0" follows "/". */
export const ALL_SERIES = { gte: "sample/", lt: "sample0" } as const;

/** The range of the keys of all latest readings. */
export const ALL_LATEST = { gte: "latest/", lt: "latest0" } as const;

/** Origin of the stored times: times before 1970 (from a device whose clock was never set) must sort correctly. */
const TIME_ORIGIN_MS = -1e14;
const TIME_DIGITS = 15;
const LAST_TIME = 10 ** TIME_DIGITS - 1;

/** True if a time (ms since the epoch) can be stored. */
export function isStorableTime(atMs: number): boolean {
  return atMs >= TIME_ORIGIN_MS && atMs <= TIME_ORIGIN_MS + LAST_TIME;
}

/** What the keys of all series of a site begin with. */
export function samplePrefix(siteId: string): string {
  return `sample/${encodeURIComponent(siteId)}/`;
}

export function seriesPrefix(siteId: string, reading: Reading): string {
  return `${samplePrefix(siteId)}${reading}/`;
}

export function latestPrefix(siteId: string): string {
  return `latest/${encodeURIComponent(siteId)}/`;
}

export function partsOfLatestKey(key: string): { siteId: string; reading: Reading } {
  const [, site, reading] = key.split("/");
  return { siteId: decodeURIComponent(site!), reading: reading as Reading };
}

/** Key of a time in a series; times outside the range of keys are limited to it. */
export function seriesKey(prefix: string, atMs: number): string {
  const time = Math.min(Math.max(Math.floor(atMs) - TIME_ORIGIN_MS, 0), LAST_TIME);
  return prefix + String(time).padStart(TIME_DIGITS, "0");
}

/** Time of a sample key, ms since the epoch. */
export function timeOfKey(key: string): number {
  return Number(key.slice(-TIME_DIGITS)) + TIME_ORIGIN_MS;
}

export function encodeValue(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return bytes;
}

export function decodeValue(bytes: Buffer): number {
  return bytes.readDoubleLE(0);
}

export function encodeLatest(entry: { value: number; at: Date }): Buffer {
  return Buffer.concat([encodeValue(entry.at.getTime()), encodeValue(entry.value)]);
}

export function decodeLatest(bytes: Buffer): { value: number; at: Date } {
  return { at: new Date(bytes.readDoubleLE(0)), value: bytes.readDoubleLE(8) };
}
