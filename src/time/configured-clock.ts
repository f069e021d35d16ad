import { type Clock, realClock, replayClock } from "./clock.js";

/** The clock that the configuration asks for: the wall clock, or a replay that begins at `start`. */
export function configuredClock({ start, speed }: { start: string | null; speed: number }): Clock {
  return start === null ? realClock() : replayClock(new Date(start), speed);
}
