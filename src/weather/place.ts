import type { PlantSettings } from "../config/settings.js";
import type { Location } from "../solar/sun.js";

/** Where a plant stands; undefined as long as its settings do not say so. */
export function locationOf({ latitude, longitude }: PlantSettings): Location | undefined {
  // Left out in settings that were made by hand, null in those that were read from a file.
  if (typeof latitude !== "number" || typeof longitude !== "number") return undefined;
  return { latitude, longitude };
}

/** Places that share their weather have the same key: about 10 m apart at most. */
export function placeKey({ latitude, longitude }: Location): string {
  return `${latitude.toFixed(4)},${longitude.toFixed(4)}`;
}
