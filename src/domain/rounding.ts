/**
 * Numbers as they go out, by HTTP and by MQTT alike: the same helper on both ways makes them equal to the last digit.
 * Rounding takes float noise away (0.30000000000000004), turns -0 into 0 and a value that is none into null.
 */

/** `value` to `decimals` places, half away from zero; null for NaN and the infinities, which JSON cannot say. */
export function rounded(value: number, decimals: number): number | null {
  if (!Number.isFinite(value)) return null;
  const scale = 10 ** decimals;
  const scaled = Math.abs(value) * scale;
  // Beyond 2^53 a double holds no fraction that could be rounded away.
  if (scaled >= Number.MAX_SAFE_INTEGER) return value;
  // The nudge of one part in 10^15 lets 1.005, stored as 1.00499999999999989, round as it is written.
  const magnitude = Math.round(scaled * (1 + 1e-15)) / scale;
  return magnitude === 0 ? 0 : Math.sign(value) * magnitude;
}

/** A price in ct/kWh, 4 places. */
export const priceCtKwh = (value: number) => rounded(value, 4);

/** A price in EUR/MWh, 3 places: exactly as fine as 4 places of ct/kWh. */
export const priceEurMwh = (value: number) => rounded(value, 3);

/** An energy in kWh, 4 places. */
export const energyKwh = (value: number) => rounded(value, 4);

/** A power in kW, 4 places. */
export const powerKw = (value: number) => rounded(value, 4);

/** A share in percent, 2 places. */
export const sharePct = (value: number) => rounded(value, 2);

/** Money in EUR, 4 places. */
export const moneyEur = (value: number) => rounded(value, 4);

/** A length of time in hours, 4 places (a third of a second). */
export const lengthHours = (value: number) => rounded(value, 4);
