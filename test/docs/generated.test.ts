import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import {
  BATTERY_FIELDS,
  type FieldName,
  OUTPUT_FIELDS,
  OUTPUT_NAMES,
  planField,
  TOPIC_FIELDS,
  topicOf,
} from "../../src/core/domain/plan-field-lists.js";
import type { PlanField } from "../../src/core/domain/plan-fields.js";
import { page } from "./pages.js";

const UNITS: Partial<Record<Extract<PlanField["kind"], string>, string>> = {
  flag: "0 or 1",
  boolean: "0 or 1",
  quartile: "1 to 4",
  min: "minutes",
  hash: "text",
};

function unitOf({ kind }: PlanField): string {
  if (typeof kind === "object") return kind.map((text) => `\`${text}\``).join(", ");
  return UNITS[kind] ?? kind;
}

const meaningOf = ({ description }: PlanField) => description.charAt(0).toLowerCase() + description.slice(1);

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`.replaceAll("|  |", "| |");
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)].join("\n");
}

function outputRow(output: string, name: FieldName): string[] {
  const field = planField(name);
  return [`\`${output}\``, unitOf(field), meaningOf(field), field.in === "outputs" ? "" : `\`${name}\``];
}

function topicRow(name: FieldName): string[] {
  const field = planField(name);
  // The outputs are described on their page.
  return [`\`…/${topicOf(name)}\``, unitOf(field), field.output ?? meaningOf(field)];
}

const ofBatteries = BATTERY_FIELDS.flatMap((name) => topicOf(name) ?? []);

/** The tables that are made from the catalogue of fields, by the name in their marker. */
const TABLES: Readonly<Record<string, string>> = {
  outputs: table(
    ["output", "unit", "meaning", "scalar of the plan"],
    Object.entries(OUTPUT_FIELDS).map(([output, name]) => outputRow(output, name)),
  ),
  topics: table(
    ["topic", "payload", "meaning"],
    [
      ...TOPIC_FIELDS.map(topicRow),
      [`\`…/outputs/O1\` … \`…/outputs/${OUTPUT_NAMES.at(-1)}\``, "number", "one output each"],
      [
        ofBatteries.map((topic) => `\`…/batteries/<id>/${topic}\``).join(", "),
        "as above",
        "the part of one of several batteries (`plants[].batteries`)",
      ],
    ],
  ),
};

it.each(["docs/outputs.md", "docs/mqtt.md"])("the tables of %s are those of the catalogue", async (path) => {
  const text = page(path);
  expect(text).toMatch(/<!-- catalogue: \w+ -->/);
  const generated = text.replace(
    /(<!-- catalogue: (\w+) -->\n)[\s\S]*?(<!-- end -->)/g,
    (_, start: string, name: string, end: string) => `${start}\n${TABLES[name]}\n\n${end}`,
  );
  // Update the pages with `npx vitest run test/docs/generated.test.ts -u`.
  await expect(generated).toMatchFileSnapshot(fileURLToPath(new URL(`../../${path}`, import.meta.url)));
});
