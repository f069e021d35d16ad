/** Names of the months in German, Austrian German and English, from January on. */
const MONTHS = [
  "j[aä]n(?:ner|uar|uary)?",
  "feb(?:er|ruar|ruary)?",
  "m(?:[aä]r(?:z|ch)?|rz|aerz)",
  "apr(?:il)?",
  "ma[iy]",
  "jun[ie]?",
  "jul[iy]?",
  "aug(?:ust)?",
  "sept?(?:ember)?",
  "o[kc]t(?:ober)?",
  "nov(?:ember)?",
  "de[zc](?:ember)?",
];
const NAME = `(${MONTHS.join("|")})`;
const WHOLE_NAMES = MONTHS.map((name) => new RegExp(`^${name}$`, "i"));
/** "1. März 2026", "01-Mar-26". */
const DAY_FIRST = new RegExp(`(?<!\\d)(\\d{1,2})[. -]{1,3}${NAME}[. ,-]{1,3}(\\d{4}|\\d{2})(?![\\d:])`, "gi");
/** "Mar 1, 2026". */
const MONTH_FIRST = new RegExp(`(?<![a-zä])${NAME}\\.? (\\d{1,2}),? (\\d{4})(?!\\d)`, "gi");
/** Longer texts are no times. */
const MOST_CHARACTERS = 80;

/** A text whose dates have the number of the month instead of its name, day first: "01.03.2026 00:15". */
export function writtenWithNumber(text: string): string {
  if (text.length > MOST_CHARACTERS || !/[a-z]{2}/i.test(text)) return text;
  const written = text
    .replace(DAY_FIRST, (_, day: string, name: string, year: string) => dateOf(day, name, year))
    .replace(MONTH_FIRST, (_, name: string, day: string, year: string) => dateOf(day, name, year));
  return written === text ? text : written.replace(/(\d) (?:um|at) (?=\d)/i, "$1 ");
}

function dateOf(day: string, name: string, year: string): string {
  const month = 1 + WHOLE_NAMES.findIndex((pattern) => pattern.test(name));
  return `${day}.${String(month).padStart(2, "0")}.${year}`;
}
