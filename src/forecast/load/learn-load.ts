import { checkArray, checkDate, checkNumber, checkObject, checkZone } from "../../core/check-fields.js";
import { DAY_MS, floorTo, HOUR_MS, QUARTER_MS } from "../../core/domain/interval.js";
import { isRecord } from "../../core/net/json.js";
import type { DeviceLoad } from "./device-load.js";
import type { LoadModel } from "./load-model.js";
import { learnPersistence } from "./load-persistence.js";

/** Days of history that count. */
const LEARNING_DAYS = 70;
/** Digits kept of an hour's energy: 0.01 Wh. */
const DIGITS = 1e5;

interface Quarter {
  start: Date;
  kwh: number;
}

/**
 * Learns a home's load from quarter-hours of its own use, kWh, oldest first; gaps are left out. Nothing at or after `now`
 * is looked at, nor the hour in progress. `devices`: what is measured apart and not part of the history. Throws a RangeError that names the field for input that makes no sense.
 */
export function learnLoad(input: {
  history: Quarter[];
  timeZone: string;
  now: Date;
  devices?: { slot: number; history: Quarter[] }[];
}): LoadModel {
  checkLearning(input);
  const { timeZone, devices = [] } = input;
  const untilMs = floorTo(input.now.getTime(), HOUR_MS);
  const recent = (history: readonly Quarter[]) =>
    history.filter(
      ({ start }) => start.getTime() < untilMs && start.getTime() >= untilMs - LEARNING_DAYS * DAY_MS,
    );
  const quarters = recent(input.history);
  const fromMs = quarters.reduce(
    (least, { start }) => Math.min(least, floorTo(start.getTime(), HOUR_MS)),
    untilMs,
  );
  const count = (untilMs - fromMs) / HOUR_MS;
  const hourKwh = hoursOf(quarters, fromMs, count);
  const apart = devices.map(({ slot, history }): DeviceLoad => {
    const own = recent(history).filter(({ start }) => start.getTime() >= fromMs);
    return { slot, hourKwh: hoursOf(own, fromMs, count) };
  });
  // What the plan sees of the load is the sum, and so is what it measures.
  const all = hourKwh.map((kwh, hour) =>
    kwh === null ? null : apart.reduce((sum, device) => sum + (device.hourKwh[hour] ?? 0), kwh),
  );
  const persistence = learnPersistence({ timeZone, fromMs, hourKwh: all });
  return { timeZone, fromMs, hourKwh, persistence, ...(apart.length > 0 && { devices: apart }) };
}

/** Energy of the hours of which half or more was measured; what is missing of them counts as the rest. */
function hoursOf(
  quarters: readonly { start: Date; kwh: number }[],
  fromMs: number,
  count: number,
): (number | null)[] {
  const sums = new Float64Array(count);
  const measured = new Uint8Array(count);
  for (const { start, kwh } of quarters) {
    const hour = Math.floor((start.getTime() - fromMs) / HOUR_MS);
    sums[hour]! += kwh;
    measured[hour]!++;
  }
  const inHour = HOUR_MS / QUARTER_MS;
  return Array.from(sums, (sum, hour) =>
    measured[hour]! < inHour / 2 ? null : Math.round((DIGITS * inHour * sum) / measured[hour]!) / DIGITS,
  );
}

function checkLearning(input: {
  history: Quarter[];
  timeZone: string;
  now: Date;
  devices?: { slot: number; history: Quarter[] }[];
}): void {
  checkObject("The input", input, " with history, timeZone and now");
  const { now, timeZone, devices = [] } = input;
  checkDate("now", now);
  checkZone("timeZone", timeZone);
  checkHistory("history", input.history);
  checkArray("devices", devices, " of { slot, history }");
  for (const [index, device] of devices.entries()) {
    if (!isRecord(device) || !Number.isInteger(device.slot))
      throw new RangeError(`devices[${index}].slot must be a whole number.`);
    checkHistory(`devices[${index}].history`, device.history);
  }
}

function checkHistory(name: string, history: readonly Quarter[]): void {
  checkArray(name, history, " of { start, kwh }");
  for (const [index, quarter] of history.entries()) {
    checkDate(`${name}[${index}].start`, quarter?.start);
    checkNumber(`${name}[${index}].kwh`, quarter.kwh, 0);
  }
}
