import { SchemaCheck } from "../../config/kit/check.js";
import { keysOf } from "../../config/kit/node.js";
import { didYouMean } from "../../config/kit/suggest.js";
import { DEVICE_READINGS } from "./names.js";
import {
  readingSchema,
  SOURCE_KEYS,
  type TemplateReadingSpec,
  type TemplateReads,
} from "./reading-schema.js";

export interface ReadingFault {
  path: readonly string[];
  message: string;
}

const check = new SchemaCheck<TemplateReadingSpec>(readingSchema, { all: true });
const COMBINATIONS = ["sum", "difference", "product", "first"] as const;
const CONDITIONS = ["equals", "not_equals", "above", "below"] as const;
const DEEPEST = 6;

/** What is wrong with the readings of a template and of its transports. */
export function readFaults(
  template: TemplateReads & { transports: Readonly<Record<string, TemplateReads>> },
): ReadingFault[] {
  const faults: ReadingFault[] = [];
  const add = (reads: TemplateReads, path: readonly string[]) => {
    for (const key of ["readings", "facts", "identity"] as const)
      for (const [name, spec] of Object.entries(reads[key] ?? {}))
        if (typeof spec !== "string") visit(spec, [...path, key, name], 0);
    if (reads.asleep !== undefined) condition(reads.asleep, [...path, "asleep"], 0);
  };
  const condition = (spec: TemplateReadingSpec, path: readonly string[], depth: number) => {
    visit(spec, path, depth);
    if (!CONDITIONS.some((key) => Object.hasOwn(spec, key)))
      faults.push({ path, message: `is a condition: it needs one of ${CONDITIONS.join(", ")}.` });
  };
  const visit = (spec: TemplateReadingSpec, path: readonly string[], depth: number) => {
    if (depth > DEEPEST) return void faults.push({ path, message: "is nested too deeply." });
    if (!check.fits(spec)) {
      for (const { kind, path: at, node, reason } of check.faults(spec))
        faults.push({
          path: [...path, ...at],
          message:
            kind === "unknown"
              ? `is not a known key of a reading; see “Readings” in docs/devices.md.${didYouMean(at.at(-1)!, keysOf([node]))}`
              : `${reason}.`,
        });
      return;
    }
    const sources = SOURCE_KEYS.filter((key) => Object.hasOwn(spec, key));
    const isWhole = depth === 0 || sources.length > 0;
    // Parts that read another place of the same answer take url, topic or send from the reading around them.
    if (
      sources.length > 1 &&
      !(sources.every((key) => ["url", "topic", "send"].includes(key)) || hasCombination(spec))
    )
      faults.push({ path, message: `has more than one source (${sources.join(", ")}); it must have one.` });
    if (isWhole && sources.length === 0)
      faults.push({ path, message: `has no source: it needs one of ${SOURCE_KEYS.join(", ")}.` });
    if (spec.reading !== undefined && !Object.hasOwn(DEVICE_READINGS, spec.reading))
      faults.push({
        path: [...path, "reading"],
        message: `is not a reading.${didYouMean(spec.reading, Object.keys(DEVICE_READINGS))}`,
      });
    if (spec.regex !== undefined && !isRegex(spec.regex))
      faults.push({ path: [...path, "regex"], message: "is not a valid regular expression." });
    for (const key of COMBINATIONS)
      for (const [index, part] of (spec[key] ?? []).entries())
        visit(part, [...path, key, String(index)], depth + 1);
    if (typeof spec.when === "object") condition(spec.when, [...path, "when"], depth + 1);
  };
  add(template, []);
  for (const [name, transport] of Object.entries(template.transports)) add(transport, ["transports", name]);
  return faults;
}

function hasCombination(spec: TemplateReadingSpec): boolean {
  const combinations = COMBINATIONS.filter((key) => Object.hasOwn(spec, key));
  return (
    combinations.length === 1 &&
    SOURCE_KEYS.filter((key) => Object.hasOwn(spec, key)).every(
      (key) => key === combinations[0] || ["url", "topic", "send"].includes(key),
    )
  );
}

/** Whether a text is a regular expression. */
export function isRegex(text: string): boolean {
  try {
    new RegExp(text);
    return true;
  } catch {
    return false;
  }
}
