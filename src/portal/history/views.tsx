import { textsOf } from "../../texts/index.js";
import type { SignedInContext } from "../context.js";
import { HISTORY_PATH, MONEY_PATH } from "./links.js";

/** The two views of the history: energy and money. */
export function HistoryViews({ context, view }: { context: SignedInContext; view: "energy" | "money" }) {
  const { views } = textsOf(context.language).history;
  const site = context.site === undefined ? "" : `?${new URLSearchParams({ site: context.site.id })}`;
  return (
    <ul class="choices-row" aria-label={views.label}>
      {(["energy", "money"] as const).map((one) => (
        <li key={one}>
          <a
            href={`${one === "energy" ? HISTORY_PATH : MONEY_PATH}${site}`}
            aria-current={one === view ? "page" : undefined}
          >
            {views[one]}
          </a>
        </li>
      ))}
    </ul>
  );
}
