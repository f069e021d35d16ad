import { type EnergyStep, QUARTER_MS } from "../core/domain/interval.js";
import type { MeterSeries } from "../core/domain/meter.js";

/** A known quarter-hour of a block. */
export interface BlockQuarter extends EnergyStep {
  isEstimated: boolean;
}

const MONTH_QUARTERS = 31 * 96;
const VALUE_BYTES = 8;
/** A month: one double per quarter-hour, kWh, NaN where unknown; then one byte each, 1 for an estimated value. */
export const MONTH_BYTES = MONTH_QUARTERS * (VALUE_BYTES + 1);

const EMPTY_MONTH = Buffer.alloc(MONTH_BYTES);
for (let at = 0; at < MONTH_QUARTERS; at++) EMPTY_MONTH.writeDoubleLE(Number.NaN, at * VALUE_BYTES);

export function monthKey(ms: number): string {
  return new Date(ms).toISOString().slice(0, 7);
}

/** Number of months from one instant to another, both included. */
export function monthsBetween(firstMs: number, lastMs: number): number {
  const [first, last] = [new Date(firstMs), new Date(lastMs)];
  const years = last.getUTCFullYear() - first.getUTCFullYear();
  return years * 12 + last.getUTCMonth() - first.getUTCMonth() + 1;
}

/** The values of a series by month, in order; hourly values are spread evenly. */
export function blocksOf({ starts, values, estimates, stepMinutes }: MeterSeries): Map<string, Buffer> {
  const blocks = new Map<string, Buffer>();
  const quarters = stepMinutes / 15;
  let block: Buffer = EMPTY_MONTH;
  let [monthMs, nextMs] = [0, 0];
  for (let index = 0; index < starts.length; index++) {
    for (let part = 0; part < quarters; part++) {
      const startMs = starts[index]! + part * QUARTER_MS;
      if (startMs < monthMs || startMs >= nextMs) {
        const month = monthKey(startMs);
        block = blocks.get(month) ?? Buffer.from(EMPTY_MONTH);
        blocks.set(month, block);
        monthMs = monthStartMs(month);
        const date = new Date(monthMs);
        nextMs = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
      }
      const at = (startMs - monthMs) / QUARTER_MS;
      block.writeDoubleLE(values[index]! / quarters, at * VALUE_BYTES);
      block[MONTH_QUARTERS * VALUE_BYTES + at] = estimates[index]!;
    }
  }
  return blocks;
}

/** The number of quarter-hours that both blocks of a month know. */
export function sharedQuarters(one: Buffer, other: Buffer): number {
  if (one.length !== MONTH_BYTES || other.length !== MONTH_BYTES) return 0;
  let count = 0;
  for (let at = 0; at < MONTH_QUARTERS * VALUE_BYTES; at += VALUE_BYTES)
    if (isKnown(one, at) && isKnown(other, at)) count++;
  return count;
}

/** Whether the double is a number: NaN has all bits of the exponent and is no infinity, which no block holds. */
function isKnown(block: Buffer, at: number): boolean {
  return (block[at + 7]! & 0x7f) !== 0x7f || (block[at + 6]! & 0xf0) !== 0xf0;
}

/** The known quarter-hours of the block under a key that ends with its month. */
export function* quartersOf(
  key: string,
  block: Buffer,
  fromMs: number,
  toMs: number,
): Generator<BlockQuarter> {
  if (block.length !== MONTH_BYTES) return;
  const monthMs = monthStartMs(key.slice(-7));
  const first = Math.max(0, Math.ceil((fromMs - monthMs) / QUARTER_MS));
  const end = Math.min(MONTH_QUARTERS, Math.ceil((toMs - monthMs) / QUARTER_MS));
  for (let at = first; at < end; at++) {
    const kwh = block.readDoubleLE(at * VALUE_BYTES);
    if (Number.isNaN(kwh)) continue;
    const startMs = monthMs + at * QUARTER_MS;
    yield {
      start: new Date(startMs),
      end: new Date(startMs + QUARTER_MS),
      kwh,
      isEstimated: block[MONTH_QUARTERS * VALUE_BYTES + at] === 1,
    };
  }
}

function monthStartMs(month: string): number {
  return Date.parse(`${month}-01T00:00:00Z`);
}
