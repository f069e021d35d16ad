import { formatOf } from "../../texts/format.js";

/** Numbers as the portal writes them. */
const { number } = formatOf("en", "UTC");

/** What was saved when, EUR; what is not known is left out. */
export function savedText(
  amounts: readonly (readonly [when: string, eur: number | null | undefined])[],
): string {
  const parts = amounts.flatMap(([when, eur]) =>
    typeof eur === "number" ? [`${when} ${number(eur)} €`] : [],
  );
  return parts.length === 0 ? "What was saved is not known yet." : `Saved ${parts.join(", ")}.`;
}
