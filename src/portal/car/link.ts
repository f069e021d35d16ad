import type { Site } from "../../config/site.js";

/** The address of the page of the vehicle at a wallbox. */
export function carLink({ id }: Pick<Site, "id">, slot: number | string): string {
  return `/car?${new URLSearchParams({ site: id, slot: String(slot) })}`;
}
