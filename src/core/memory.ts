import { writeFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";

/**
 * Makes Linux end this or another process before the gateway itself when memory runs out. Processes with a higher score (at
 * most 1000) are ended first. Has no effect on other systems.
 */
export function volunteerForOutOfMemory(score: number, pid = process.pid): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, String(score));
  } catch {
    // Not on Linux, or the process has ended.
  }
}

/** From this number of sites on, the young generation of the heap may grow. */
const MANY_SITES = 10;
let mayGrow = false;

/**
 * Lets the young generation of the heap grow, up to 32 MB (see cli.ts), once the gateway has many sites: with 100 sites a small
 * one costs half of the processor time for collecting garbage.
 */
export function sizeHeapFor(sites: number): void {
  if (mayGrow || sites < MANY_SITES) return;
  mayGrow = true;
  setFlagsFromString("--semi-space-growth-factor=2");
}
