import { describe, expect, it } from "vitest";
import { createOperations } from "../../src/api/catalogue.js";
import { outputsDocument, payloadScalars } from "../../src/api/documents/hours-demand.js";
import { planUpdatedDocument } from "../../src/api/documents/webhook-events.js";
import { ERROR_STATUS } from "../../src/api/errors.js";
import type { Operation } from "../../src/api/operation.js";
import { OUTPUT_NAMES } from "../../src/core/domain/plan-field-lists.js";
import { fakeServices, samplePlan } from "../api/fake-services.js";
import { page, section } from "./pages.js";

interface SchemaNode {
  properties?: Record<string, SchemaNode>;
  items?: SchemaNode;
  anyOf?: SchemaNode[];
  oneOf?: SchemaNode[];
}

/** Names of all parameters, nested ones by their last name. */
function namesOf(schema: SchemaNode): string[] {
  const children = [
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    ...(schema.items === undefined ? [] : [schema.items]),
  ];
  return [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, child]) => [name, ...namesOf(child)]),
    ...children.flatMap(namesOf),
  ];
}

const operations: Operation[] = createOperations(fakeServices());
const api = page("docs/api.md");

/** The sections of the specification that name the path of an operation; its introduction is left out. */
function reading({ path }: Operation): string {
  const [, ...sections] = page("docs/spec/http-api.md").split("\n## ");
  return sections.filter((text) => text.includes(path)).join("\n");
}

it("docs/spec/http-api.md names every parameter of every operation", () => {
  const missing = operations.flatMap((operation) => {
    const text = reading(operation);
    return namesOf(operation.schema)
      .filter((name) => !new RegExp(`[\`.]${name}[\`.]`).test(text) && !text.includes(`"${name}":`))
      .map((name) => `${operation.method} ${operation.path}: ${name}`);
  });
  expect(missing).toEqual([]);
});

it("docs/api.md has sections for existing operations only", () => {
  const sections = [...api.matchAll(/^## ((?:GET|POST) \/.*)$/gm)].map((match) => match[1]);
  const served = operations.map(({ method, path }) => `${method} ${path}`);
  expect(sections.sort()).toEqual([...served, "GET /openapi.json"].sort());
});

it("README.md names every operation", () => {
  const table = section(page("README.md"), "## API");
  const missing = operations.filter(({ method, path }) => !table.includes(path) || !table.includes(method));
  expect(missing.map(({ path }) => path)).toEqual([]);
});

it("docs/errors.md describes when each code occurs and what to do", () => {
  const rows = page("docs/errors.md")
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) => line.split("|").map((cell) => cell.trim()));
  expect(rows.map(([, code]) => code?.replaceAll("`", "")).sort()).toEqual(Object.keys(ERROR_STATUS).sort());
  for (const [, code, , when, what] of rows) {
    expect(when, code).toMatch(/\.$/);
    expect(what, code).toMatch(/\.$/);
  }
});

describe("docs/outputs.md", () => {
  const rows = page("docs/outputs.md")
    .split("\n")
    .filter((line) => line.startsWith("| `O"))
    .map((line) => line.split("|").map((cell) => cell.trim().replaceAll("`", "")));

  it("has a row for every output, in order", () => {
    expect(rows.map(([, output]) => output)).toEqual([...OUTPUT_NAMES]);
  });

  it("names the plan field that an output repeats", () => {
    const plan = samplePlan();
    const named = rows.filter(([, , , , scalar]) => scalar !== "");
    expect(named).toHaveLength(13);
    // In at least one of the two plans any two outputs differ, so that a mixed-up name is detected.
    for (const isAllowed of [true, false]) {
      const scalars = {
        ...plan.scalars,
        hoursNeededToday: 1.25,
        chargeNow: 1 as const,
        chargePowerKw: 3.5,
        gridChargeAllowed: isAllowed,
        chargeCapKw: 4.5,
        feedInLimitKw: 6,
        dischargeSetKw: 2.5,
        adaptiveDischarge: false,
      };
      const changed = { ...plan, scalars };
      const outputs: Record<string, unknown> = outputsDocument(changed);
      const document: Record<string, unknown> = payloadScalars(changed, {
        zone: "Europe/Vienna",
        baseUrl: "",
      });
      for (const [, output = "", , , scalar = ""] of named)
        expect(outputs[output], output).toBe(Number(document[scalar]));
    }
  });

  it("are in the event of a plan, whose fields are all described", () => {
    const event = planUpdatedDocument(samplePlan(), { zone: "Europe/Vienna", baseUrl: "" });
    const text = page("docs/spec/webhooks.md");
    for (const field of Object.keys(event)) expect(text).toMatch(new RegExp(`\`${field}(\\[\\])?\``));
  });
});
