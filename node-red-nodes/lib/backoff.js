"use strict";

const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;

/** Wait before the nth attempt in a row (0 for the first), ms: doubling up to a minute, with up to half of it by chance. */
function backoffMs(attempt, random) {
  const whole = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt, 16));
  return Math.round(whole * (0.5 + random / 2));
}

module.exports = { backoffMs };
