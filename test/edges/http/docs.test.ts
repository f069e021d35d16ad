import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createOperations } from "../../../src/api/catalogue.js";
import { ERROR_STATUS } from "../../../src/api/errors.js";
import { fakeServices } from "../../api/fake-services.js";

const page = (name: string) => readFileSync(new URL(`../../../docs/${name}`, import.meta.url), "utf8");

test("docs/errors.md lists every code with its status, and no other", () => {
  const rows = [...page("errors.md").matchAll(/^\| `(\w+)` \| (\d{3}) \|/gm)];
  expect(Object.fromEntries(rows.map(([, code, status]) => [code, Number(status)]))).toEqual(ERROR_STATUS);
});

test("docs/api.md has a section with a call for every operation", () => {
  const text = page("api.md");
  for (const { method, path } of createOperations(fakeServices())) {
    const section = text.split(`## ${method} ${path}\n`)[1]?.split("\n## ")[0] ?? "";
    expect(section, path).toContain("curl");
    expect(section, path).toContain("```json");
  }
});
