import type { PlantSettings } from "./settings.js";

/** One plant of the gateway, with its own keys, plan and topic tree. */
export interface Site {
  id: string;
  accountId: string;
  /** The plant's settings with defaults: the configuration, overlaid with the portal settings. */
  plant: PlantSettings;
}

/** The sites of the gateway. */
export interface Sites {
  list(): readonly Site[];
  get(id: string): Site | undefined;
}

declare module "../core/bus.js" {
  interface Events {
    /** A site was added or its settings changed; everything derived from its settings must be computed again. */
    "site.changed": [Site];
  }
}
