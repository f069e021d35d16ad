import { describe, expect, it } from "vitest";
import { textsOf } from "../../src/texts/index.js";

/** Words that are the same in German and in English: proper names, loan words, units. */
const SAME_IN_BOTH = new Set([
  "Plan",
  "auto",
  "evcc",
  "Home Assistant",
  "Basic",
  "Boiler",
  "auto",
  "24 h",
  "48 h",
  "Community",
  "Details",
  "evcc",
  "Home Assistant",
  "ioBroker",
  "Loxone",
  "Name",
  "Node.js",
  "normal",
  "Redis",
  "PostgreSQL",
  "ok",
  "state.json",
  "Node-RED",
  "OEM",
  "openHAB",
  "PV",
  "PV (kW)",
  "Professional",
  "Reserve",
  "Server",
  "SG Ready",
  "Shelly",
  "System",
  "Test",
  "Topic",
  "Victron",
  "URL",
  "Wallbox",
  "Webhook",
  "Webhooks",
  "h",
  "min",
  "ntfy",
]);

/** Texts that may be empty: hints of self-explanatory fields, units that are not shown, the cause of a battery that follows. */
const MAY_BE_EMPTY = /^dashboard\.following\.causes\.none$|^ems\.(fields\..*\.hint|units\..*)$/;

/** Functions with the same result in both languages. */
const SAME_FUNCTIONS = new Set([
  "loxone.slot",
  "bill.of",
  "actuators.controls.slot",
  "dashboard.plot.kw",
  "history.week",
  "ems.findings.allowed.each",
]);

type Leaf = string | ((...values: unknown[]) => string);

function leavesOf(value: unknown, path = ""): [path: string, leaf: Leaf][] {
  if (typeof value === "string" || typeof value === "function") return [[path, value as Leaf]];
  return Object.entries(value as object).flatMap(([key, child]) =>
    leavesOf(child, path === "" ? key : `${path}.${key}`),
  );
}

describe("the text catalogues", () => {
  const german = new Map(leavesOf(textsOf("de")));
  const english = new Map(leavesOf(textsOf("en")));

  it("have the same keys", () => {
    expect([...german.keys()].sort()).toEqual([...english.keys()].sort());
    expect(english.size).toBeGreaterThan(400);
  });

  it("have no empty text", () => {
    const empty = [german, english].flatMap((texts) =>
      [...texts].filter(([path, text]) => text === "" && !MAY_BE_EMPTY.test(path)).map(([path]) => path),
    );
    expect(empty).toEqual([]);
    // A text that is empty in one language only is missing.
    const oneSided = [...english].filter(([path, text]) => (text === "") !== (german.get(path) === ""));
    expect(oneSided).toEqual([]);
  });

  it("differ between the languages", () => {
    const untranslated = [...english]
      .filter(([path, text]) => text !== "" && String(text) === String(german.get(path)))
      .filter(([path, text]) => !SAME_IN_BOTH.has(String(text)) && !SAME_FUNCTIONS.has(path))
      .map(([path]) => path);
    expect(untranslated).toEqual([]);
  });
});
