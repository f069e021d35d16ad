import type { PlantSettings } from "../../config/settings.js";
import { sunPosition } from "../../forecast/solar/sun.js";

/** Below this altitude of the sun nothing is produced. */
const DARK_DEG = -1;

/** Whether it is night at a plant; never where its place is not known. */
export function isDark(
  { latitude, longitude }: Pick<PlantSettings, "latitude" | "longitude">,
  at: Date,
): boolean {
  if (latitude === null || longitude === null) return false;
  return sunPosition(at, { latitude, longitude }).altitudeDeg < DARK_DEG;
}
