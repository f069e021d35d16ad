import { open, readFile } from "node:fs/promises";
import type { MeterSeries, MeterSeriesFacts } from "../core/domain/meter.js";

/** A series whose values are in a file. */
export interface ReadSeries extends MeterSeriesFacts {
  count: number;
  firstStartMs: number;
  lastStartMs: number;
}

const VALUE_BYTES = 8;

/** Writes the values of series to a new file. */
export async function writeValues(path: string, series: readonly MeterSeries[]): Promise<ReadSeries[]> {
  const file = await open(path, "wx", 0o600);
  try {
    for (const { starts, values, estimates } of series)
      for (const array of [starts, values, estimates])
        await file.writeFile(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
  } finally {
    await file.close();
  }
  return series.map(({ starts, values: _, estimates: __, ...facts }) => ({
    ...facts,
    count: starts.length,
    firstStartMs: starts[0]!,
    lastStartMs: starts.at(-1)!,
  }));
}

/** The values of the series of a file. */
export async function readValues(
  path: string,
  series: readonly ReadSeries[],
): Promise<Pick<MeterSeries, "starts" | "values" | "estimates">[]> {
  const bytes = await readFile(path);
  let at = 0;
  const next = (length: number) => {
    // A copy, since a view of doubles begins at a multiple of eight bytes.
    const part = Uint8Array.from(bytes.subarray(at, at + length));
    at += length;
    return part;
  };
  const doubles = (count: number) => new Float64Array(next(count * VALUE_BYTES).buffer);
  return series.map(({ count }) => ({
    starts: doubles(count),
    values: doubles(count),
    estimates: next(count),
  }));
}
