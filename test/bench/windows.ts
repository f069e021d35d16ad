import { rankWindows } from "../../src/plan/windows/rank-windows.js";
import type { Consecutive, PriceSlot } from "../../src/plan/windows/windows-request.js";

/** One result: median and maximum duration of a call, ms. */
export interface WindowsBench {
  name: string;
  medianMs: number;
  worstMs: number;
}

/** A week of quarter-hours with varying prices; no two days are equal. */
function weekOfQuarters(): PriceSlot[] {
  const startMs = Date.UTC(2026, 0, 12);
  return Array.from({ length: 672 }, (_, quarter) => ({
    start: new Date(startMs + quarter * 900_000),
    end: new Date(startMs + (quarter + 1) * 900_000),
    ctKwh: Math.round(1000 * (12 + 6 * Math.sin(quarter / 15) + 3 * Math.sin(quarter * 7.3))) / 1000,
  }));
}

/** Measures `rankWindows` on 672 quarter-hours, 40 of them in four segments, for each value of `consecutive`. */
export function benchWindows(rounds = 200): WindowsBench[] {
  const slots = weekOfQuarters();
  return (["off", "soft", "required"] as const satisfies Consecutive[]).map((consecutive) => {
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const began = performance.now();
      rankWindows({ slots, segments: [4, 3, 2, 1], consecutive });
      times.push(performance.now() - began);
    }
    times.sort((a, b) => a - b);
    return {
      name: `rankWindows ${consecutive}, 40 of 672 quarter-hours, 4 segments`,
      medianMs: times[Math.floor(rounds / 2)]!,
      worstMs: times.at(-1)!,
    };
  });
}
