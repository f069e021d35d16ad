import { type LiveState, READING_NAMES, type Sample } from "./sample.js";

/**
 * The live state after a sample: each reading moves forward in time only; at the same instant the later word counts.
 * Returns `live` itself when the sample moves nothing.
 */
export function advance(live: LiveState, sample: Sample): LiveState {
  let next = live;
  for (const reading of READING_NAMES) {
    const value = sample.values[reading];
    if (value === undefined) continue;
    const held = live[reading];
    if (held !== undefined && (held.at > sample.at || (+held.at === +sample.at && held.value === value)))
      continue;
    next = { ...next, [reading]: { value, at: sample.at } };
  }
  return next;
}
