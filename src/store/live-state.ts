import { MAX_AHEAD_MS } from "../domain/freshness.js";
import { type LiveState, READING_NAMES, type Sample } from "../domain/sample.js";

/**
 * The live state after a sample: each reading moves forward in time only; at the same instant the later word counts. One
 * that is dated ahead of `now` was taken before the clock was set back, and gives way: it would else stand until the time
 * that it names. Returns `live` itself when the sample moves nothing.
 */
export function advance(live: LiveState, sample: Sample, now?: Date): LiveState {
  const latestMs = now === undefined ? Infinity : now.getTime() + MAX_AHEAD_MS;
  let next = live;
  for (const reading of READING_NAMES) {
    const value = sample.values[reading];
    if (value === undefined) continue;
    const held = live[reading];
    const isKnown = held !== undefined && +held.at === +sample.at && held.value === value;
    const isNewer = held !== undefined && held.at > sample.at && +held.at <= latestMs;
    if (isKnown || isNewer) continue;
    next = { ...next, [reading]: { value, at: sample.at } };
  }
  return next;
}
