import type { RawSeries } from "./rows.js";

/** Fewer values below zero are faults of a meter. */
const LEAST_NEGATIVE = { values: 3, share: 0.01 };

/** Draw and feed-in of a column that has feed-in below zero; a file that names its feed-in has none. */
export function splitSigned(raw: readonly RawSeries[]): RawSeries[] {
  return raw.flatMap((series) => {
    if (!isSigned(series, raw)) return [series];
    const part = (direction: "import" | "export", sign: 1 | -1): RawSeries => ({
      ...series,
      direction,
      isSigned: true,
      rows: series.rows.map((row) =>
        row.value === undefined ? row : { ...row, value: Math.max(0, sign * row.value) },
      ),
    });
    return [part("import", 1), part("export", -1)];
  });
}

function isSigned(
  { direction, isCounter, block, rows, meterPoint }: RawSeries,
  raw: readonly RawSeries[],
): boolean {
  if (isCounter || block < 0 || (direction !== undefined && direction !== "import")) return false;
  if (raw.some((other) => other.direction === "export" && other.meterPoint === meterPoint)) return false;
  const negative = rows.filter(({ value }) => value !== undefined && value < 0).length;
  return negative >= Math.max(LEAST_NEGATIVE.values, LEAST_NEGATIVE.share * rows.length);
}
