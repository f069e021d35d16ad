import { addDays } from "../core/time/zone.js";
import { periodsOf, type Tariff } from "./tariff.js";

/** Days before an end at which it is named. */
const NOTICE_DAYS = 60;

/** Amounts of a tariff that end soon, or have ended, without anything that follows. */
export interface TariffEnding {
  /** Last local date. */
  date: string;
  /** The levy that ends; left out: the amounts of the last period. */
  levy?: string;
}

/** What ends within 60 days of `today` (a local date), earliest first. */
export function tariffEndings(tariff: Tariff, today: string): TariffEnding[] {
  const last = periodsOf(tariff).at(-1)!;
  const endings: TariffEnding[] = [];
  const add = (date: string | undefined, levy?: string) => {
    if (date !== undefined && date <= addDays(today, NOTICE_DAYS)) {
      endings.push({ date, ...(levy !== undefined && { levy }) });
    }
  };
  add(last.known_until);
  const levies = [...(last.levies ?? []), ...(last.municipal_levy ?? [])];
  for (const name of new Set(levies.map((levy) => levy.name))) {
    const ends = levies.filter((levy) => levy.name === name).map(({ valid_to }) => valid_to);
    if (!ends.includes(undefined)) add((ends as string[]).sort().at(-1), name);
  }
  return endings.sort((a, b) => (a.date < b.date ? -1 : 1));
}
