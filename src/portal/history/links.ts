import type { HistoryPeriod } from "../../api/documents/history.js";
import type { Site } from "../../config/site.js";

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
