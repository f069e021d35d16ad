/**
 * Rounding of published numbers. HTTP and MQTT use the same functions, so that their values are identical. Rounding
 * removes float noise (0.30000000000000004), turns -0 into 0, and NaN and infinities into null.
 */

/** `value` with `decimals` places, half away from zero; null for NaN and infinities, which JSON cannot represent. */
export function rounded(value: number, decimals: number): number | null {
  if (!Number.isFinite(value)) return null;
  const scale = 10 ** decimals;
  const scaled = Math.abs(value) * scale;
  // Beyond 2^53 a double has no fraction.
  if (scaled >= Number.MAX_SAFE_INTEGER) return value;
  // Adding one part in 10^15 rounds 1.005, stored as 1.00499999999999989, to 1.01.
  const magnitude = Math.round(scaled * (1 + 1e-15)) / scale;
  return magnitude === 0 ? 0 : Math.sign(value) * magnitude;
}

/** A price in ct/kWh, 4 places. */
export const priceCtKwh = (value: number) => rounded(value, 4);

/** A price in EUR/MWh, 3 places: the resolution of 4 places of ct/kWh. */
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
