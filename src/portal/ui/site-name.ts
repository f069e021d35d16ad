import type { Site } from "../../accounts/sites.js";

/** The display name of a site: its name, or its id if it has none. */
export function siteName(site: Site): string {
  return givenName(site) || site.id;
}

/** The name of a site; empty if it only has its id. */
export function givenName({ id, plant }: Site): string {
  return plant.name === id ? "" : plant.name;
}
