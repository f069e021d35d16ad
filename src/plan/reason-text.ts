import type { Language } from "../core/language.js";
import { formatOf } from "../texts/format.js";
import { textsOf } from "../texts/index.js";
import type { StepReason } from "./explain.js";

/** The sentence of a reason in an owner's words: prices with one decimal, times as clock times of the zone. */
export function reasonText(
  { code, figures }: StepReason,
  { language, zone }: { language: Language; zone: string },
): string {
  const format = formatOf(language, zone);
  const { laterAtMs, laterIsExpected, ...amounts } = figures;
  const texts: Record<string, string> = {};
  for (const [name, value] of Object.entries(amounts))
    texts[name] = format.number(value, name.endsWith("Kw") ? 2 : 1);
  if (laterAtMs !== undefined) texts.laterTime = format.time(new Date(laterAtMs));
  if (laterIsExpected === 1) texts.laterIsExpected = "yes";
  return textsOf(language).reasons[code](texts);
}
