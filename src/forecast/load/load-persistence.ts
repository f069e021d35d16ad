import { DAY_MS, HOUR_MS } from "../../core/domain/interval.js";
import type { LoadModel } from "./load-model.js";
import { LocalHours } from "./local-hours.js";

/** Days whose hours are ranked, and days before each hour that it is ranked among. */
const RANKED_HOURS = (28 * DAY_MS) / HOUR_MS;
/** An hour with fewer hours before it has no rank. */
const FEWEST_DAYS = 7;
/** With fewer ranked hours nothing is learned. */
const FEWEST_HOURS = 72;
const UNKNOWN_PERSISTENCE = 0.4;
const HIGHEST_PERSISTENCE = 0.85;
/**
 * Hours between the ranks that are compared. The rank has a long memory, and what counts is the energy of the next six to
 * twelve hours: the correlation from hour to hour would say too little of it.
 */
const LAG_HOURS = 3;

/** How likely the load keeps its rank for an hour: from the correlation of ranks three hours apart. */
export function learnPersistence({ timeZone, fromMs, hourKwh }: Omit<LoadModel, "persistence">): number {
  const ranks = ranksOf({ timeZone, fromMs, hourKwh });
  const pairs = [...ranks].flatMap(([index, rank]) => {
    const later = ranks.get(index + LAG_HOURS);
    return later === undefined ? [] : [[rank, later] as const];
  });
  if (ranks.size < FEWEST_HOURS) return UNKNOWN_PERSISTENCE;
  const mean = (at: 0 | 1) => pairs.reduce((sum, pair) => sum + pair[at], 0) / pairs.length;
  const [before, after] = [mean(0), mean(1)];
  let covariance = 0;
  let spread = 0;
  let spreadAfter = 0;
  for (const [rank, later] of pairs) {
    covariance += (rank - before) * (later - after);
    spread += (rank - before) ** 2;
    spreadAfter += (later - after) ** 2;
  }
  const product = Math.sqrt(spread * spreadAfter);
  if (!(product > 0)) return 0;
  return Math.min(HIGHEST_PERSISTENCE, Math.max(0, covariance / product) ** (1 / LAG_HOURS));
}

/** Share of the same clock hour on the 28 days before that is below an hour of the last 28 days (ties count half), by index. */
function ranksOf({ timeZone, fromMs, hourKwh }: Omit<LoadModel, "persistence">): Map<number, number> {
  const local = LocalHours.of(timeZone);
  const byClock = Array.from({ length: 24 }, () => [] as { index: number; kwh: number }[]);
  const oldest = hourKwh.length - RANKED_HOURS;
  const ranks = new Map<number, number>();
  for (const [index, kwh] of hourKwh.entries()) {
    if (kwh === null) continue;
    const before = byClock[local.at(fromMs + index * HOUR_MS).hour]!;
    const recent = index < oldest ? [] : before.filter((hour) => index - hour.index <= RANKED_HOURS);
    if (recent.length >= FEWEST_DAYS) {
      const below = recent.reduce((sum, hour) => sum + (hour.kwh < kwh ? 1 : hour.kwh === kwh ? 0.5 : 0), 0);
      ranks.set(index, below / recent.length);
    }
    before.push({ index, kwh });
  }
  return ranks;
}
