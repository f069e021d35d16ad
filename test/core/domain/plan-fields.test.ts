import { expect, it } from "vitest";
import {
  BATTERY_FIELDS,
  FIELD_NAMES,
  LIMIT_FIELDS,
  OUTPUT_NAMES,
  planField,
  topicOf,
} from "../../../src/core/domain/plan-field-lists.js";

const repeated = (list: readonly unknown[]) => list.filter((one, index) => list.indexOf(one) !== index);
const present = <Value>(list: readonly (Value | undefined)[]) => list.filter((one) => one !== undefined);

it("numbers the outputs without gaps", () => {
  expect(OUTPUT_NAMES).toEqual(OUTPUT_NAMES.map((_, index) => `O${index + 1}`));
});

it("gives no topic, entity, position or scalar to two fields", () => {
  const fields = FIELD_NAMES.map(planField);
  expect(repeated(present(FIELD_NAMES.map(topicOf)))).toEqual([]);
  expect(repeated(fields.map(({ scalar }) => scalar))).toEqual([]);
  for (const facet of ["homeAssistant", "loxone"] as const) {
    const rows = present(fields.map((field) => field[facet]));
    expect(repeated(rows.map(({ rank }) => rank)), facet).toEqual([]);
    expect(repeated(present(rows.map(({ key }) => key))), facet).toEqual([]);
  }
});

it("has an output for every input of Loxone", () => {
  const inputs = FIELD_NAMES.map(planField).filter(({ loxone }) => loxone !== undefined);
  expect(inputs.every(({ output }) => output !== undefined)).toBe(true);
});

it("names limits as powers, and fields of batteries that are fields of the answer", () => {
  expect(LIMIT_FIELDS.map((name) => planField(name).kind)).toEqual(LIMIT_FIELDS.map(() => "kW"));
  expect(BATTERY_FIELDS.filter((name) => planField(name).in === "outputs")).toEqual([]);
});
