import { expect, it } from "vitest";
import { parse } from "../../src/config/load.js";
import { page, pagePaths } from "./pages.js";

/** Configuration of other programs: evcc, Prometheus and Home Assistant. */
const ELSEWHERE = /^(# evcc|tariffs:|scrape_configs:|- alert:|alias:)/;

const indented = (text: string, by: string) => text.replace(/^(?=.)/gm, by);

/** All configurations of hourgate in the pages; a list of topics belongs to `mqtt.telemetry`. */
const examples = pagePaths().flatMap((path) =>
  [...page(path).matchAll(/^( *)```yaml\n([\s\S]*?)^ *```/gm)]
    .map(([, indent = "", block = ""]) => block.replace(new RegExp(`^${indent}`, "gm"), ""))
    .filter((block) => !ELSEWHERE.test(block))
    .map((block, at) => ({
      name: `${path}, ${at + 1}`,
      text: block.startsWith("- ") ? `mqtt:\n  telemetry:\n${indented(block, "    ")}` : block,
    })),
);

/** Entries of a plant on one line, such as `actuators: [{ … }]`, with a slot and a battery that they control. */
const entries = pagePaths().flatMap((path) =>
  [...page(path).matchAll(/`((?:actuators|devices): \[[^\n]*\])`/g)].map(([, entry = ""], at) => ({
    name: `${path}, entry ${at + 1}`,
    text: `plants: [{ id: home, battery: { capacity_kwh: 10 }, slots: [{ slot: 1, power_kw: 2 }], ${entry} }]`,
  })),
);

it("pages contain configurations", () => {
  expect(entries.length).toBeGreaterThanOrEqual(15);
  expect(examples.length).toBeGreaterThanOrEqual(9);
});

it.each([...examples, ...entries])("$name is a valid configuration", ({ name, text }) => {
  expect(() => parse(text, { file: name, environment: {} })).not.toThrow();
});
