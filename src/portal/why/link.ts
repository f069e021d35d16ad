import type { Site } from "../../config/site.js";

export const WHY_PATH = "/why";

/** The address of the card of a past hour. */
export function whyLink({ id }: Pick<Site, "id">, at: Date): string {
  return `${WHY_PATH}?${new URLSearchParams({ site: id, at: at.toISOString().replace(".000Z", "Z") })}`;
}
