import { textsOf } from "../../texts/index.js";
import type { SignedInContext } from "../context.js";
import { choicesRow } from "../ui/choices.js";
import { HISTORY_PATH, MONEY_PATH } from "../ui/links.js";

/** The two views of the history: energy and money. */
export function historyViews(context: SignedInContext, view: "energy" | "money") {
  const { views } = textsOf(context.language).history;
  const site = context.site === undefined ? "" : `?${new URLSearchParams({ site: context.site.id })}`;
  return choicesRow(
    views.label,
    [
      { href: `${HISTORY_PATH}${site}`, text: views.energy, isCurrent: view === "energy" },
      { href: `${MONEY_PATH}${site}`, text: views.money, isCurrent: view === "money" },
    ],
    "page",
  );
}
