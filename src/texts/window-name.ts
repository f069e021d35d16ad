/** Words of a language for the times of a price window. */
interface WindowWords {
  /** From January on. */
  months: readonly string[];
  /** From Monday on. */
  weekdays: readonly string[];
  holidays: string;
  noHolidays: string;
  normal: string;
  /** A span of clock times. */
  clock: (span: string) => string;
}

/** The name of a price window in words: `months 4-9, 10:00-16:00`; a name of its own stays. */
export function windowName(name: string, words: WindowWords): string {
  if (name === "normal") return words.normal;
  const named = (text: string, names: readonly string[]) =>
    text.replace(/\d+/g, (number) => names[Number(number) - 1] ?? number).replaceAll("-", "–");
  const parts = name.split(", ").map((part) => {
    if (part.startsWith("months ")) return named(part.slice("months ".length), words.months);
    if (part === "days holidays") return words.holidays;
    if (part === "days no holidays") return words.noHolidays;
    if (part.startsWith("days ")) return named(part.slice("days ".length), words.weekdays);
    return /^\d{1,2}(:\d\d)?-\d{1,2}(:\d\d)?$/.test(part) ? words.clock(part.replace("-", "–")) : part;
  });
  return parts.join(", ");
}
