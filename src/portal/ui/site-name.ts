import type { Site } from "../../accounts/sites.js";

/** What people call a site: its name, and its id where it has none. */
export function siteName(site: Site): string {
  return givenName(site) || site.id;
}

/** The name that somebody gave the site; empty where it only goes by its id. */
export function givenName({ id, plant }: Site): string {
  return plant.name === id ? "" : plant.name;
}
