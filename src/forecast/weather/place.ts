import type { PlantSettings } from "../../config/settings.js";
import type { Location } from "../solar/sun.js";

/** Coordinates of a plant; undefined if they are not configured. */
export function locationOf({ latitude, longitude }: PlantSettings): Location | undefined {
  // Missing in settings built in code, null in those read from a file.
  if (typeof latitude !== "number" || typeof longitude !== "number") return undefined;
  return { latitude, longitude };
}

/** Key of a place; places at most about 10 m apart share a key and with it their weather. */
export function placeKey({ latitude, longitude }: Location): string {
  return `${latitude.toFixed(4)},${longitude.toFixed(4)}`;
}
