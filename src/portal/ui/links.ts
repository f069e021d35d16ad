import type { HistoryPeriod } from "../../api/documents/history.js";
import type { Site } from "../../config/site.js";

/** The address of the page of the vehicle at a wallbox. */
export function carLink({ id }: Pick<Site, "id">, slot: number | string): string {
  return `/car?${new URLSearchParams({ site: id, slot: String(slot) })}`;
}

export const HISTORY_PATH = "/history";
export const MONEY_PATH = `${HISTORY_PATH}/money`;

/** The address of a period of the history. */
export function historyLink({ id }: Pick<Site, "id">, period: HistoryPeriod, date: string): string {
  return `${HISTORY_PATH}?${new URLSearchParams({ site: id, period, date })}`;
}

/** The address of the amounts of a month, `YYYY-MM`. */
export function moneyLink({ id }: Pick<Site, "id">, month: string): string {
  return `${MONEY_PATH}?${new URLSearchParams({ site: id, month })}`;
}

export const WHY_PATH = "/why";

/** The address of the card of a past hour. */
export function whyLink({ id }: Pick<Site, "id">, at: Date): string {
  return `${WHY_PATH}?${new URLSearchParams({ site: id, at: at.toISOString().replace(".000Z", "Z") })}`;
}

export const WHAT_IF_PATH = "/what-if";

/** The page with its list of suppliers unfolded. */
export const COMPARE_LINK = `${WHAT_IF_PATH}?ask=tariffs`;
