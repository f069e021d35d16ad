import type { HistoryPeriod } from "../../api/documents/history.js";
import type { Site } from "../../config/site.js";

export const HISTORY_PATH = "/history";

/** The address of a period of the history. */
export function historyLink({ id }: Pick<Site, "id">, period: HistoryPeriod, date: string): string {
  return `${HISTORY_PATH}?${new URLSearchParams({ site: id, period, date })}`;
}
