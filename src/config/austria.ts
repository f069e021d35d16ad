/**
 * The border of Austria as longitude and latitude, read off public maps; within about 10 km of the real one. It decides
 * only whether a place is questioned.
 */
const BORDER = pairs([
  9.55, 47.53, 9.53, 47.27, 9.61, 47.06, 9.88, 46.93, 10.1, 46.84, 10.39, 46.99, 10.47, 46.85, 10.8, 46.77,
  11.02, 46.76, 11.16, 46.96, 11.5, 47.0, 11.75, 46.97, 12.13, 47.08, 12.15, 46.91, 12.38, 46.72, 12.72,
  46.65, 13.23, 46.56, 13.72, 46.52, 14.12, 46.47, 14.56, 46.38, 15.0, 46.61, 15.64, 46.69, 16.02, 46.66,
  16.11, 46.87, 16.34, 47.0, 16.51, 47.06, 16.44, 47.36, 16.65, 47.46, 16.72, 47.54, 16.42, 47.66, 16.55,
  47.76, 16.72, 47.73, 17.07, 47.71, 17.16, 48.01, 16.98, 48.17, 16.85, 48.36, 16.95, 48.6, 16.9, 48.72,
  16.55, 48.82, 16.06, 48.76, 15.6, 48.9, 15.02, 49.02, 14.97, 48.77, 14.7, 48.58, 14.06, 48.61, 13.83, 48.77,
  13.51, 48.59, 13.4, 48.37, 13.0, 48.25, 12.76, 48.12, 13.0, 47.85, 12.9, 47.72, 13.08, 47.69, 13.05, 47.47,
  12.78, 47.67, 12.2, 47.7, 11.65, 47.59, 11.25, 47.42, 10.98, 47.4, 10.87, 47.54, 10.45, 47.58, 10.43, 47.38,
  10.17, 47.28, 9.97, 47.5, 9.73, 47.6,
]);

function pairs(numbers: readonly number[]): [longitude: number, latitude: number][] {
  return Array.from({ length: numbers.length / 2 }, (_, at) => [numbers[2 * at]!, numbers[2 * at + 1]!]);
}

/** About 10 km, in degrees of latitude and of longitude at 47.5° N. */
const MARGIN = { latitude: 0.09, longitude: 0.133 };

/** Whether a place in degrees is in Austria, or within about 10 km of its border. */
export function isInAustria(latitude: number, longitude: number): boolean {
  return [0, 1, 2, 3, 4, 5, 6, 7, 8].some((direction) => {
    const angle = (direction * Math.PI) / 4;
    const far = direction === 8 ? 0 : 1;
    return isWithin(
      latitude + far * MARGIN.latitude * Math.sin(angle),
      longitude + far * MARGIN.longitude * Math.cos(angle),
    );
  });
}

/** Counts how often a ray to the east crosses the border. */
function isWithin(latitude: number, longitude: number): boolean {
  const crossings = BORDER.filter(([x1, y1], index) => {
    const [x2, y2] = BORDER[(index + 1) % BORDER.length]!;
    return y1 > latitude !== y2 > latitude && longitude < x1 + ((latitude - y1) / (y2 - y1)) * (x2 - x1);
  });
  return crossings.length % 2 === 1;
}

/** Standard rate of value added tax in Austria, percent. Source: Umsatzsteuergesetz 1994, section 10 (1). */
export const AUSTRIAN_VAT_PCT = 20;
