import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { HelpLibrary, OWNER_PAGES } from "../../src/portal/help/library.js";
import { textsOf } from "../../src/texts/index.js";

const LANGUAGES = ["de", "en"] as const;
const library = new HelpLibrary();

/** The pages that a search in German or English finds, best first. */
function find(query: string, language: "de" | "en" = "de"): string[] {
  const { help } = textsOf(language);
  const words = {
    summaries: help.summaries,
    synonyms: help.synonyms(),
    terms: help.terms(),
    endings: help.endings,
  };
  return library.search(query, language, words).map(({ page }) => page);
}

describe("the pages for owners", () => {
  const listed = Object.values(OWNER_PAGES).flat();

  it.each(LANGUAGES)("exist in %s, one for each entry of the list", (language) => {
    const files = readdirSync(new URL(`../../docs/help/${language}/`, import.meta.url));
    expect(files.sort()).toEqual(listed.map((name) => `${name}.md`).sort());
  });

  it.each(LANGUAGES)("have titles in %s that no other page has, and say little", (language) => {
    const names = [...library.ownerPages, ...library.documents];
    const titles = names.map((name) => library.title(name, language));
    expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
    for (const name of library.ownerPages)
      expect(library.html(name, language).split(/\s+/).length, name).toBeLessThan(350);
  });

  it("have no words of the technical documents", () => {
    for (const language of LANGUAGES)
      for (const name of library.ownerPages) {
        const text = library.html(name, language).replace(/<code>[\s\S]*?<\/code>/g, "");
        expect(text, `${language} ${name}`).not.toMatch(
          /\b(Slots?|slots?|Aktor\w*|actuators?|EMS|soc_pct|O1?\d)\b/,
        );
      }
  });
});

describe("the search", () => {
  it.each([
    ["Akku", "home/battery"],
    ["Batterien", "home/battery"],
    ["Speicher", "home/battery"],
    ["Wallbox", "home/charge-car"],
    ["Ladestation", "home/car-level"],
    ["Warmwasser", "home/hot-water"],
    ["Boiler", "home/hot-water"],
    ["Wärmepumpe", "home/hot-water"],
    ["Waermepumpe", "home/hot-water"],
    ["Strompreis", "home/change-prices"],
    ["Strompreise", "home/overview"],
    ["Zähler", "home/meter-data"],
    ["zaehlerdaten", "home/meter-data"],
    ["Stromanbieter", "home/choose-tariff"],
    ["Kennwort", "home/lost-password"],
    ["Urlaub", "home/hot-water"],
    ["Störung", "home/not-reachable"],
    ["Rechnungen prüfen", "home/check-bill"],
    ["Auto laden Sonne", "home/charge-car"],
    ["Netzentgelte", "tariffs"],
  ])("for %s finds %s", (query, page) => {
    expect(find(query)).toContain(page);
  });

  it("finds the same with and without umlauts, in upper and lower case", () => {
    expect(find("Waermepumpe")).toEqual(find("wärmepumpe"));
    expect(find("LADESTAND")).toEqual(find("ladestand"));
  });

  it("lists pages for owners before technical documents", () => {
    const pages = find("Akku");
    const firstDocument = pages.findIndex((name) => !name.startsWith("home/"));
    expect(firstDocument).toBeGreaterThan(0);
    expect(pages.slice(firstDocument).filter((name) => name.startsWith("home/"))).toEqual([]);
  });

  it.each([
    ["batteries", "home/battery"],
    ["charger", "home/car-level"],
    ["invoice", "home/check-bill"],
    ["provider", "home/choose-tariff"],
    ["water heater", "home/hot-water"],
  ])("in English for %s finds %s", (query, page) => {
    expect(find(query, "en")).toContain(page);
  });

  it("looks for twelve different words at most, so that one address costs little", () => {
    const letters = Array.from("abcdefghijklmnopqrstuvwxyz");
    expect(find(Array.from({ length: 60 }, () => "akku").join(" "))).toEqual(find("akku"));
    expect(find([...letters.slice(0, 12), "xyzzy"].join(" "))).toEqual(find(letters.slice(0, 12).join(" ")));
    const began = performance.now();
    find(Array.from({ length: 100 }, (_, index) => letters[index % 26]).join(" "));
    // It took seconds when each word took each text apart again.
    expect(performance.now() - began).toBeLessThan(1000);
  });

  it("finds nothing for words that are nowhere", () => {
    expect(find("xyzzy")).toEqual([]);
  });
});
