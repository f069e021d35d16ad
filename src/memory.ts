import { writeFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** V8 shrinks the young generation only where little was allocated in the last 5 s. */
const QUIET_MS = 10_000;

/**
 * Soon collects garbage and gives the pages back to the system. The young generation of V8 grows while a program starts or
 * takes much in, and shrinks only in a full collection, which an idle gateway does not come to for hours. It takes some 50 ms,
 * so it belongs behind work that is rare and long. Holds no process open.
 */
export function returnMemorySoon(): void {
  setTimeout(() => {
    // The collector is no public call of Node: it is shown to contexts that are made while the flag is set.
    setFlagsFromString("--expose-gc");
    const collect: (() => void) | undefined = runInNewContext("globalThis.gc");
    setFlagsFromString("--no-expose-gc");
    // A Node that does not show it goes without. The first one finds the young generation full of what survives, and leaves
    // it its size.
    collect?.();
    collect?.();
  }, QUIET_MS).unref();
}

/**
 * Where memory runs out, Linux shall take this process before the one that steers the battery. Of two that say so the one with
 * the higher score, of at most 1000, goes first.
 */
export function volunteerForOutOfMemory(score: number): void {
  try {
    writeFileSync("/proc/self/oom_score_adj", String(score));
  } catch {
    // Not Linux.
  }
}
