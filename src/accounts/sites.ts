import type { PlantSettings } from "../config/settings.js";

/** One plant that the gateway serves: the home of a key, a plan and a topic tree. */
export interface Site {
  id: string;
  accountId: string;
  /** The plant's settings, defaults filled in: the configuration, with what was set in the portal laid over it. */
  plant: PlantSettings;
}

/** The sites that are served now. */
export interface Sites {
  list(): readonly Site[];
  get(id: string): Site | undefined;
}
