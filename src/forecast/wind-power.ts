/** Wind speed at hub height, m/s, at which a country's turbines together yield half of what they can. */
const HALF_POWER_MS = 9.5;
/** Single turbines reach full power one after the other; the parks of a country rise far more gently than one. */
const SMOOTHING_MS = 1.9;

/**
 * Share (0 to 1) of their power that the wind parks of a region yield at a wind speed at hub height, m/s: a smoothed curve of many
 * turbines in the manner of Nørgaard and Holttinen 2004, "A multi-turbine power curve approach". Monotonic: storms that switch
 * turbines off are rarer than the errors of their forecast.
 */
export function windPower(windMs: number): number {
  return 1 / (1 + Math.exp((HALF_POWER_MS - windMs) / SMOOTHING_MS));
}

/** The wind speed, m/s, at which parks yield that share; at least 0, and finite for any share. */
export function windSpeedOf(share: number): number {
  const bounded = Math.max(1e-6, Math.min(1 - 1e-6, share));
  return Math.max(0, HALF_POWER_MS + SMOOTHING_MS * Math.log(bounded / (1 - bounded)));
}
