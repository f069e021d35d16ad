import type { SunPosition } from "./sun.js";

/** Irradiance on the ground, W/m2. */
export interface Irradiance {
  /** Global, on a horizontal plane. */
  ghi: number;
  /** Direct, on a plane that faces the sun. */
  dni: number;
  /** Diffuse, on a horizontal plane. */
  dhi: number;
}

/** Orientation of a plane, degrees: tilt 0 is horizontal, azimuth 180 faces south. */
export interface Plane {
  tiltDeg: number;
  azimuthDeg: number;
}

/** Reflectance of the ground (grass, fields, roofs). */
const ALBEDO = 0.2;
/** Solar constant, W/m2. */
const SOLAR_CONSTANT = 1366.1;
/** Lower limit of the sine of the altitude in divisions (0.065 is 3.7 degrees). */
const LEAST_SINE = 0.065;

const radians = (degrees: number) => (degrees * Math.PI) / 180;
const sine = (degrees: number) => Math.sin(radians(degrees));
const cosine = (degrees: number) => Math.cos(radians(degrees));

/** Extraterrestrial normal irradiance, W/m2. Source: Spencer 1971, Fourier series. */
export function extraterrestrial(at: Date): number {
  const dayOfYear = Math.floor((at.getTime() - Date.UTC(at.getUTCFullYear(), 0, 1)) / 86_400_000) + 1;
  const angle = (2 * Math.PI * (dayOfYear - 1)) / 365;
  const distance =
    1.00011 +
    0.034221 * Math.cos(angle) +
    0.00128 * Math.sin(angle) +
    0.000719 * Math.cos(2 * angle) +
    0.000077 * Math.sin(2 * angle);
  return SOLAR_CONSTANT * distance;
}

/**
 * Clear-sky global irradiance, W/m2, from the sun's altitude; 0 at night. Source: Haurwitz 1945, Insolation in relation to
 * cloudiness and cloud density.
 */
export function clearSkyGhi(altitudeDeg: number): number {
  const height = sine(altitudeDeg);
  return height > 0 ? 1098 * height * Math.exp(-0.059 / height) : 0;
}

/**
 * Share of the clear-sky global irradiance transmitted through a cloud cover. Source: Kasten and Czeplak 1980, Solar and
 * terrestrial radiation dependent on the amount and type of cloud.
 */
export function cloudTransmission(cloudCoverPct: number): number {
  return 1 - 0.75 * Math.min(1, Math.max(0, cloudCoverPct / 100)) ** 3.4;
}

/**
 * Direct and diffuse parts of a global irradiance. Source: Erbs, Klein and Duffie 1982, by the clearness index. Below the
 * horizon all of it is diffuse.
 */
export function decompose(ghi: number, altitudeDeg: number, extraNormal: number): Irradiance {
  const height = sine(altitudeDeg);
  if (ghi <= 0 || height <= 0) return { ghi: Math.max(0, ghi), dni: 0, dhi: Math.max(0, ghi) };
  const clearness = Math.min(1, ghi / (extraNormal * Math.max(height, LEAST_SINE)));
  const diffuseShare = erbs(clearness);
  const dhi = ghi * diffuseShare;
  return { ghi, dni: directOf(ghi, dhi, height, extraNormal), dhi };
}

function erbs(clearness: number): number {
  if (clearness <= 0.22) return 1 - 0.09 * clearness;
  if (clearness > 0.8) return 0.165;
  return (
    0.9511 - 0.1604 * clearness + 4.388 * clearness ** 2 - 16.638 * clearness ** 3 + 12.336 * clearness ** 4
  );
}

/** Direct normal irradiance from global and diffuse, limited to the extraterrestrial irradiance. */
function directOf(ghi: number, dhi: number, height: number, extraNormal: number): number {
  return Math.min(extraNormal, Math.max(0, ghi - dhi) / Math.max(height, LEAST_SINE));
}

/**
 * Completes the three components: direct from global and diffuse, diffuse from global and direct, or both from global.
 * Negative readings, as measured at night, count as 0.
 */
export function complete(
  known: { ghi: number; dni?: number | undefined; dhi?: number | undefined },
  altitudeDeg: number,
  extraNormal: number,
): Irradiance {
  const ghi = Math.max(0, known.ghi);
  const height = sine(altitudeDeg);
  const dni = known.dni === undefined ? undefined : Math.max(0, known.dni);
  const dhi = known.dhi === undefined ? undefined : Math.max(0, known.dhi);
  if (dni !== undefined) return { ghi, dni, dhi: dhi ?? Math.max(0, ghi - dni * Math.max(0, height)) };
  if (dhi === undefined) return decompose(ghi, altitudeDeg, extraNormal);
  return { ghi, dni: height > 0 ? directOf(ghi, dhi, height, extraNormal) : 0, dhi };
}

/** Irradiance on a tilted plane, W/m2, by its origin. */
export interface PlaneIrradiance {
  direct: number;
  /** Diffuse irradiance of the sky, including the circumsolar part. */
  sky: number;
  ground: number;
  total: number;
}

/**
 * Irradiance on a tilted plane. The circumsolar share of the diffuse irradiance equals the transmitted share of the direct
 * beam; the rest is isotropic. Source: Hay and Davies 1980, as implemented in pvlib's `haydavies`; isotropic ground
 * reflection (Liu and Jordan 1963). The circumsolar part is at most what the beam lost: with a low sun the division by its
 * height would give any amount.
 */
export function onPlane(
  plane: Plane,
  sun: SunPosition,
  { ghi, dni, dhi }: Irradiance,
  extraNormal: number,
): PlaneIrradiance {
  const facing = Math.max(0, incidenceCosine(plane, sun));
  const up = sun.altitudeDeg > 0;
  const direct = up ? dni * facing : 0;
  const aroundSun = up ? Math.min(1, dni / extraNormal) : 0;
  const skyView = (1 + cosine(plane.tiltDeg)) / 2;
  const towardsSun = (dhi * aroundSun) / Math.max(sine(sun.altitudeDeg), 0.01745);
  const sky = facing * Math.min(towardsSun, Math.max(0, extraNormal - dni)) + dhi * (1 - aroundSun) * skyView;
  const ground = (ghi * ALBEDO * (1 - cosine(plane.tiltDeg))) / 2;
  return { direct, sky, ground, total: direct + sky + ground };
}

/** Cosine of the angle between the sun and the plane's normal; negative if the sun is behind the plane. */
function incidenceCosine({ tiltDeg, azimuthDeg }: Plane, sun: SunPosition): number {
  return (
    cosine(tiltDeg) * sine(sun.altitudeDeg) +
    sine(tiltDeg) * cosine(sun.altitudeDeg) * cosine(sun.azimuthDeg - azimuthDeg)
  );
}
