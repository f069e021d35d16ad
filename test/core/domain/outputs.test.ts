import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it } from "vitest";
import { OUTPUT_NAMES, OUTPUTS } from "../../../src/core/domain/outputs.js";

const palette = resolve(import.meta.dirname, "../../../node-red-nodes");
const read = (path: string) => readFileSync(resolve(palette, path), "utf8");

it("numbers the outputs without gaps", () => {
  expect(OUTPUT_NAMES).toEqual(OUTPUT_NAMES.map((_, index) => `O${index + 1}`));
});

it("gives the Node-RED palette the same list", async () => {
  const list = Object.fromEntries(OUTPUT_NAMES.map((name) => [name, { unit: OUTPUTS[name].unit }]));
  // Update the palette's copy with `npx vitest run test/core/domain -u`.
  await expect(`${JSON.stringify(list, null, 2)}\n`).toMatchFileSnapshot(
    resolve(palette, "lib/outputs.json"),
  );
});

it("lists each output in the palette's editor, with names in both languages", () => {
  const options = [...read("nodes/output/hourgate-output.html").matchAll(/<option value="(O\d+)"/g)];
  expect(options.map((match) => match[1])).toEqual(OUTPUT_NAMES);
  for (const language of ["de", "en-US"]) {
    const texts = JSON.parse(read(`nodes/output/locales/${language}/hourgate-output.json`));
    expect(Object.keys(texts.option.output)).toEqual(OUTPUT_NAMES);
  }
});
