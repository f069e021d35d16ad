import { QUARTER_MS } from "../../src/core/domain/interval.js";
import { readMeterFile } from "../../src/money/meter/read.js";

/** Measures reading a smart-meter export of a year in quarter-hours. */
export async function benchMeterFile() {
  const startMs = Date.parse("2025-01-01T00:00:00Z");
  const rows = Array.from(
    { length: 35_040 },
    (_, index) => `${new Date(startMs + index * QUARTER_MS).toISOString()},0.25`,
  );
  const file = new TextEncoder().encode(["start_utc,import_kwh", ...rows].join("\n"));
  const began = performance.now();
  await readMeterFile(file, "year.csv");
  return [
    {
      name: "reading a meter file of a year",
      value: performance.now() - began,
      unit: "ms",
      goal: "below 2000",
    },
  ];
}
