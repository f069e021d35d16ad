import type { PlantSettings } from "../config/settings.js";

/** One plant that the gateway serves: the home of a key, a plan and a topic tree. */
export interface Site {
  id: string;
  accountId: string;
  /** The plant's settings as configured (gateway.md, `plants[]`), defaults filled in. */
  plant: PlantSettings;
}
