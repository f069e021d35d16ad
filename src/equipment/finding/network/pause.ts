import { setMaxListeners } from "node:events";

/** Aborts after a time, or with another signal; each host of a search may listen to it. */
export function endingAfter(ms: number, other: AbortSignal | undefined): AbortSignal {
  const limit = AbortSignal.timeout(ms);
  const signal = other === undefined ? limit : AbortSignal.any([other, limit]);
  setMaxListeners(0, signal);
  return signal;
}

/** Resolves after a time, or when the search is ended. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
  });
}
