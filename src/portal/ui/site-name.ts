import type { Site } from "../../config/site.js";

/** The name of a site, or its id without a name. */
export function siteName(site: Site): string {
  return givenName(site) || site.id;
}

/** The name given to the site; empty if its name is the id. */
export function givenName({ id, plant }: Site): string {
  return plant.name === id ? "" : plant.name;
}
