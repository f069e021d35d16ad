import { expect, it } from "vitest";
import { page, pagePaths } from "./pages.js";

/** The terms of a page: the first cells of its table, or the bold beginnings of its list. */
const termsOf = (path: string) =>
  [...page(path).matchAll(/^(?:\| ([^|]+?) \||- \*\*(.+?)\*\*: )/gm)]
    .map(([, cell, item]) => cell ?? item ?? "")
    .filter((term) => !/^(term|Begriff)$/.test(term));

/** Terms that pages use in a meaning of their own; a new one is added here and in the glossary. */
const TERMS = [
  ..."absence, actuator, all-in price, API key, audit log, baseline, charge hours, climatology, command, community".split(
    ", ",
  ),
  ..."component, controller link, counter, cover, day-ahead price, departure, device, device schedule".split(
    ", ",
  ),
  ..."discharge cap, dry run, edge, export price, fail-safe, fleet, flex_pack, following, grid area".split(
    ", ",
  ),
  ..."guest, heartbeat, horizon, hysteresis, lease, ledger, levy, live state, markup, material change, meter data".split(
    ", ",
  ),
  ..."mode, output, override, peak, plan, plant, policy, prefix, preset, provisional, published price, PV surplus".split(
    ", ",
  ),
  ..."quarter-hour, quartile, quiet hours, read-back, register, reserve, round-trip efficiency, scenario, second factor".split(
    ", ",
  ),
  ..."segment, SG Ready, shard, signal, site, slot, SOC, stale, stay, target, telemetry, template, tenant".split(
    ", ",
  ),
  ..."terminal value, tier, topic map, trial run, uncontrolled battery, undo, VAT, wear, window".split(", "),
];

it("the glossary explains every term of the list once, in alphabetical order", () => {
  const terms = termsOf("docs/glossary.md");
  expect(TERMS.filter((term) => !terms.includes(term))).toEqual([]);
  expect(terms).toEqual(
    [...new Set(terms)].sort((a, b) => a.toLowerCase().localeCompare(b.toLowerCase(), "en")),
  );
});

it("every term of the glossary is used on another page", () => {
  const others = pagePaths().filter((path) => path !== "docs/glossary.md" && path !== "CHANGELOG.md");
  const text = others.map(page).join("\n").toLowerCase();
  const unused = termsOf("docs/glossary.md").filter(
    (term) => !term.split(", ").some((word) => text.includes(word.toLowerCase())),
  );
  expect(unused).toEqual([]);
});

it("owners find the words of the portal in both languages", () => {
  const german = termsOf("docs/help/de/terms.md");
  for (const term of ["Gerät", "Steuerung", "Probelauf", "Ladestand", "Netzentgelt", "Energiegemeinschaft"])
    expect(german).toContain(term);
  const english = termsOf("docs/help/en/terms.md");
  for (const term of ["device", "control", "dry run", "charge level", "grid fee", "energy community"])
    expect(english).toContain(term);
  expect(german.length).toBe(english.length);
});
