import { HOUR_MS, QUARTER_MS } from "../../core/domain/interval.js";
import { sumOfAll } from "../../core/numbers.js";
import type { KnownQuarter, LedgerDay, LedgerDevice } from "./ledger-day.js";

/** Less than this is noise of the meters, kWh. */
const LEAST_KWH = 0.01;

/** A day with its known quarter-hours. */
export interface KnownDay {
  day: Pick<LedgerDay, "devices" | "start">;
  known: readonly KnownQuarter[];
}

/** Load of the uncontrolled devices less that of the devices as they were, by known quarter-hour, kWh. */
export interface DeviceShift {
  kwh: number[];
  /** For each of the days before: what the devices took only today. */
  beforeKwh: number[][];
}

/** Since when an uncontrolled device could have taken energy that one took on the day; undefined: since its start. */
export function takenSinceMs({ devices, start }: Pick<LedgerDay, "devices" | "start">): number | undefined {
  const startMs = start.getTime();
  const earlier = devices.flatMap(({ spans = [], kwh }) =>
    spans.filter(
      ({ fromMs, endMs }) =>
        fromMs < startMs &&
        kwh.some((one, index) => (one ?? 0) > LEAST_KWH && startMs + index * QUARTER_MS < endMs),
    ),
  );
  return earlier.length === 0 ? undefined : Math.min(...earlier.map(({ fromMs }) => fromMs));
}

/**
 * How the load changes if no device is controlled: each takes the same energy from the start of its span on, at its power; one without
 * spans takes it by its usual hours (`shares`). Energy outside of the spans stays where it was. `before`: the days before, oldest first.
 */
export function deviceShift(
  day: Pick<LedgerDay, "devices" | "start">,
  known: readonly KnownQuarter[],
  before: readonly KnownDay[],
): DeviceShift {
  const shift: DeviceShift = {
    kwh: known.map(() => 0),
    beforeKwh: before.map((one) => one.known.map(() => 0)),
  };
  for (const device of day.devices) {
    if (device.shares !== undefined) moveByShares(device, { day, known, shift });
    for (const span of device.spans ?? [])
      moveToStart(device, span, { days: [...before, { day, known }], shift });
  }
  return shift;
}

/** Moves what a device took in a span to the start of the span, which may be on a day before: only what it took on the last day is new there. */
function moveToStart(
  { slot, powerKw }: LedgerDevice,
  span: Span,
  { days, shift }: { days: readonly KnownDay[]; shift: DeviceShift },
): void {
  const devices = days.map(({ day }) => day.devices.find((one) => one.slot === slot));
  // A day on which nothing measured the device cannot take its energy.
  const first = devices.lastIndexOf(undefined) + 1;
  const taken = days.slice(first).map(({ day, known }, k) => {
    return known.map(({ start }) => within(devices[first + k]!, { day, span, at: start }));
  });
  const today = taken.at(-1)!;
  if (sumOfAll(today) < LEAST_KWH) return;
  /** What the device would have taken on each of the first days, by what it took on these. */
  const placedOn = (count: number) => {
    const some = days.slice(first, first + count);
    const kwh = sumOfAll(taken.slice(0, count).flat());
    const all = placed(
      some.flatMap(({ known }) => known),
      { fromMs: span.fromMs, powerKw, kwh },
    );
    return some.map(({ known }) => all.splice(0, known.length));
  };
  const now = placedOn(taken.length);
  addTo(
    shift.kwh,
    now.at(-1)!.map((one, t) => one - today[t]!),
  );
  placedOn(taken.length - 1).forEach((was, k) => {
    addTo(
      shift.beforeKwh[first + k]!,
      was.map((one, t) => now[k]![t]! - one),
    );
  });
}

/**
 * The load of the devices where each takes its energy of the day in the cheapest quarter-hours of its span, less that as it was, by known
 * quarter-hour, kWh. PV surplus costs what feeding it in would have brought.
 */
export function cheapestShift(
  day: Pick<LedgerDay, "devices" | "start">,
  known: readonly KnownQuarter[],
): number[] {
  const shift = known.map(() => 0);
  for (const device of day.devices) {
    for (const span of device.spans ?? [{ fromMs: Number.NEGATIVE_INFINITY, endMs: Infinity }]) {
      const taken = known.map(({ start }) => within(device, { day, span, at: start }));
      let leftKwh = sumOfAll(taken);
      taken.forEach((one, t) => {
        shift[t]! -= one;
      });
      const parts = known.flatMap(({ start, netKwh, importCtKwh, exportCtKwh }, t) => {
        const mostKwh = (device.powerKw * overlapMs(start, span)) / HOUR_MS;
        const surplusKwh = Math.min(mostKwh, Math.max(0, -netKwh - shift[t]!));
        return [
          { t, kwh: surplusKwh, ct: Math.min(exportCtKwh, importCtKwh) },
          { t, kwh: mostKwh - surplusKwh, ct: importCtKwh },
        ];
      });
      parts.sort((a, b) => a.ct - b.ct || a.t - b.t);
      for (const { t, kwh } of parts) {
        const part = Math.min(kwh, leftKwh);
        shift[t]! += part;
        leftKwh -= part;
      }
      // More than its power could take: as it was.
      const all = sumOfAll(taken);
      if (leftKwh > 0 && all > 0)
        taken.forEach((one, t) => {
          shift[t]! += (one * leftKwh) / all;
        });
    }
  }
  return shift;
}

function moveByShares(
  { kwh, shares = [] }: LedgerDevice,
  {
    day,
    known,
    shift,
  }: { day: Pick<LedgerDay, "start">; known: readonly KnownQuarter[]; shift: DeviceShift },
): void {
  const indices = known.map(({ start }) => indexIn(day, start));
  const all = sumOfAll(indices.map((index) => kwh[index] ?? 0));
  const shared = sumOfAll(indices.map((index) => shares[index] ?? 0));
  if (all < LEAST_KWH || shared <= 0) return;
  indices.forEach((index, t) => {
    shift.kwh[t]! += (all * (shares[index] ?? 0)) / shared - (kwh[index] ?? 0);
  });
}

/** Energy taken one quarter-hour after the other from an instant on; what does not fit is taken in the last one. */
function placed(
  quarters: readonly KnownQuarter[],
  { fromMs, powerKw, kwh }: { fromMs: number; powerKw: number; kwh: number },
): number[] {
  let leftKwh = kwh;
  const result = quarters.map(({ start }) => {
    const mostKwh = (powerKw * overlapMs(start, { fromMs, endMs: Infinity })) / HOUR_MS;
    const part = Math.min(leftKwh, mostKwh);
    leftKwh -= part;
    return part;
  });
  if (result.length > 0) result[result.length - 1]! += leftKwh;
  return result;
}

interface Span {
  fromMs: number;
  endMs: number;
}

/** Energy of a device in a quarter-hour that belongs to a span. */
function within(
  { kwh, spans = [] }: Pick<LedgerDevice, "kwh" | "spans">,
  { day, span, at }: { day: Pick<LedgerDay, "start">; span: Span; at: Date },
): number {
  if (overlapMs(at, span) === 0) return 0;
  // A quarter-hour in which one span ends and another begins belongs to the first.
  const first = spans.find((one) => overlapMs(at, one) > 0);
  // The day before may have read the plug an interval later.
  if (first !== undefined && (first.endMs <= span.fromMs || span.endMs <= first.fromMs)) return 0;
  return Math.max(0, kwh[indexIn(day, at)] ?? 0);
}

function overlapMs(start: Date, { fromMs, endMs }: Span): number {
  const startMs = start.getTime();
  return Math.max(0, Math.min(startMs + QUARTER_MS, endMs) - Math.max(startMs, fromMs));
}

function indexIn({ start }: Pick<LedgerDay, "start">, at: Date): number {
  return Math.round((at.getTime() - start.getTime()) / QUARTER_MS);
}

function addTo(sums: number[], values: readonly number[]): void {
  values.forEach((value, t) => {
    sums[t]! += value;
  });
}
