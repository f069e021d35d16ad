import type { Language } from "../../core/language.js";
import { textsOf } from "../../texts/index.js";
import { type Field, type FieldTexts, shownText, WEEKDAYS, weeklyTimes } from "./field-text.js";
import { fieldsOf, rowsIn } from "./fields.js";
import { type HeldSettings, heldTexts } from "./held-texts.js";
import { choiceText, labelOf } from "./labels.js";
import { priceChanges } from "./price-fields.js";
import { isList, prefixOf, type RowKind, SECTIONS, type Section } from "./sections.js";
import { rowSummary, rowTitle, shortSummary } from "./summary.js";

/** What differs between two settings, a line each: `Usable capacity: 10 → 12 kWh`, `Array 2 removed (3 kW, south, 30°)`. */
export function changesBetween(before: HeldSettings, after: HeldSettings, language: Language): string[] {
  const texts = { before: textsOfSide(before, after), after: textsOfSide(after, before) };
  return SECTIONS.flatMap((section) => {
    if (isList(section)) return rowChanges(section, texts, language);
    if (section === "battery" || section === "tariff") {
      const [old, now] = [before.plant[section], after.plant[section]];
      if ((old === null) !== (now === null)) {
        const { added, removed } = textsOf(language).home.changes;
        const { title } = textsOf(language).ems.sections[section];
        const of = now === null ? before : after;
        return [(now === null ? removed : added)(title, shortSummary(section, of, language))];
      }
    }
    if (section === "tariff")
      return priceChanges(before.plant.tariff ?? {}, after.plant.tariff ?? {}, language);
    return fieldChanges(texts, { section, from: prefixOf(section), language });
  });
}

interface Both {
  before: FieldTexts;
  after: FieldTexts;
}

/** A single battery on one side is compared with the first of several on the other. */
function textsOfSide(held: HeldSettings, other: HeldSettings): FieldTexts {
  const texts = heldTexts(held);
  const [first] = other.plant.batteries;
  if (held.plant.battery === null || held.plant.batteries.length > 0 || first === undefined) return texts;
  const renamed = [...texts].map(([name, text]): [string, string] => [
    name.replace(/^battery\./, "batteries.0."),
    text,
  ]);
  return new Map([...renamed, ["batteries.0.id", first.id], ["batteries.0.label", first.label]]);
}

function fieldChanges(
  texts: Both,
  {
    section,
    from,
    to = from,
    language,
  }: {
    section: Section;
    /** Prefix before the change and after it. */
    from: string;
    to?: string;
    language: Language;
  },
): string[] {
  return fieldsOf(section).flatMap((field) => {
    if (field.filler !== undefined) return [];
    const key = field.path.join(".");
    const [before, after] = [texts.before.get(from + key) ?? "", texts.after.get(to + key) ?? ""];
    if (before === after) return [];
    const { name, unit } = labelOf(section, field, language);
    const [old, now] = [valueText(before, field, language), valueText(after, field, language)];
    return [`${name}: ${old} → ${now}${unit === "" || after === "" ? "" : ` ${unit}`}`];
  });
}

/** A value in words; a dash for none. */
export function valueText(text: string, field: Field, language: Language): string {
  const { values } = textsOf(language).home;
  if (text === "" && field.kind !== "choice") return "–";
  if (field.kind === "boolean") return text === "true" ? values.yes : values.no;
  if (field.kind === "choice") return choiceText(text, language) || "–";
  if (field.kind === "choices")
    return text
      .split(" ")
      .map((choice) => choiceText(choice, language))
      .join(", ");
  if (field.kind === "weekdays") return departureWords(text, language);
  return shownText(text, field, language);
}

/** `Mo–Sa um 07:00, So um 09:00` of a field by weekday. */
export function departureWords(text: string, language: Language): string {
  const { weekdays, atTime, daily } = textsOf(language).ems;
  const times = weeklyTimes(text);
  const spans: { from: number; to: number; time: string }[] = [];
  for (const [day, name] of WEEKDAYS.entries()) {
    const time = times.find((one) => one.day === name)?.time;
    const last = spans.at(-1);
    if (time === undefined) continue;
    if (last?.time === time && last.to === day - 1) last.to = day;
    else spans.push({ from: day, to: day, time });
  }
  const [first] = spans;
  if (first !== undefined && first.to - first.from === WEEKDAYS.length - 1) return daily(first.time);
  return spans
    .map(({ from, to, time }) =>
      atTime(from === to ? weekdays[from]! : `${weekdays[from]}–${weekdays[to]}`, time),
    )
    .join(", ");
}

function rowChanges(kind: RowKind, texts: Both, language: Language): string[] {
  const prefix = prefixOf(kind);
  const textsOfRow = (of: FieldTexts, row: string) =>
    fieldsOf(kind)
      .map(({ path }) => of.get(`${prefix}${row}.${path.join(".")}`) ?? "")
      .join("\n");
  const [before, after] = [rowsIn(texts.before, kind), rowsIn(texts.after, kind)];
  const { added, removed } = textsOf(language).home.changes;
  const line = (say: typeof added, of: FieldTexts, row: string) =>
    say(rowTitle(kind, row, language), rowSummary(kind, of, `${prefix}${row}.`, language));
  const pairs =
    kind === "slots"
      ? pairsByName(before, after)
      : pairsByPlace(before, after, (a, b) => textsOfRow(texts.before, a) === textsOfRow(texts.after, b));
  return pairs.flatMap(([from, to]) => {
    if (from === undefined) return [line(added, texts.after, to!)];
    if (to === undefined) return [line(removed, texts.before, from)];
    const places = { from: `${prefix}${from}.`, to: `${prefix}${to}.` };
    return fieldChanges(texts, { section: kind, ...places, language }).map(
      (change) => `${rowTitle(kind, to, language)}, ${change}`,
    );
  });
}

type Pair = [before: string | undefined, after: string | undefined];

function pairsByName(before: readonly string[], after: readonly string[]): Pair[] {
  const names = [...new Set([...before, ...after])].sort();
  return names.map((name) => [
    before.includes(name) ? name : undefined,
    after.includes(name) ? name : undefined,
  ]);
}

/** Rows of a list without names: equal ones at both ends belong together, the others by their order. */
function pairsByPlace(
  before: readonly string[],
  after: readonly string[],
  isSame: (before: string, after: string) => boolean,
): Pair[] {
  let [head, tail] = [0, 0];
  const shorter = Math.min(before.length, after.length);
  while (head < shorter && isSame(before[head]!, after[head]!)) head++;
  while (tail < shorter - head && isSame(before.at(-1 - tail)!, after.at(-1 - tail)!)) tail++;
  const [old, now] = [before.slice(head, before.length - tail), after.slice(head, after.length - tail)];
  return Array.from({ length: Math.max(old.length, now.length) }, (_, index) => [old[index], now[index]]);
}
