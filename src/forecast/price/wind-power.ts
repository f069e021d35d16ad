/** Wind speed at hub height, m/s, at which a country's turbines together yield half of their installed power. */
const HALF_POWER_MS = 9.5;
/** Steepness of the curve: that of a country is much flatter than that of a single turbine. */
const SMOOTHING_MS = 1.9;

/**
 * Share (0 to 1) of installed power that the wind parks of a region yield at a wind speed at hub height, m/s: a smoothed
 * multi-turbine curve after Nørgaard and Holttinen 2004, "A multi-turbine power curve approach". Monotonic: shutdowns in
 * storms are rare compared with forecast errors.
 */
export function windPower(windMs: number): number {
  return 1 / (1 + Math.exp((HALF_POWER_MS - windMs) / SMOOTHING_MS));
}

/** Inverse of `windPower`: the wind speed, m/s, for a share; at least 0, and finite for any share. */
export function windSpeedOf(share: number): number {
  const bounded = Math.max(1e-6, Math.min(1 - 1e-6, share));
  return Math.max(0, HALF_POWER_MS + SMOOTHING_MS * Math.log(bounded / (1 - bounded)));
}
