import type { ShownReading } from "../../equipment/reading/kept-reading.js";
import { textsOf } from "../../texts/index.js";
import type { SiteContext } from "../page.js";
import { ageText } from "../ui/format.js";
import { DataTable } from "../ui/table.js";
import { readingText } from "./reading-text.js";

interface ReadingsProps {
  context: Pick<SiteContext, "language">;
  readings: Readonly<Record<string, ShownReading>>;
  now: Date;
}

/** All readings of a device with age, quality and the value as the device sends it. */
export function ReadingsTable({ context, readings, now }: ReadingsProps) {
  const { language } = context;
  const texts = textsOf(language).devicePages;
  const { reading, value, age, quality, raw } = texts.page.column;
  return (
    <DataTable
      rows={Object.entries(readings)}
      label={texts.page.now}
      columns={(col) => [
        col.head(reading, ([name]) => texts.readings[name] ?? name),
        col.number(value, ([name, one]) => readingText(name, one, language)),
        col.text(age, ([, { at }]) => (at === null ? "–" : ageText(at, now.getTime(), language))),
        col.text(quality, ([, one]) => texts.quality[one.quality]),
        col.text(raw, ([, one]) => <code>{String(one.raw ?? "–")}</code>),
      ]}
    />
  );
}
