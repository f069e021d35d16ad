import { expect, it } from "vitest";
import { STYLESHEET } from "../../src/portal/assets/stylesheet.js";
import { TOKENS } from "../../src/portal/assets/tokens.js";
import { dashboardAssets } from "../../src/portal/dashboard/client-files.js";

const SHEETS = [
  ["portal.css", STYLESHEET.replace(TOKENS, "")],
  ...dashboardAssets()
    .filter(({ name }) => name.endsWith(".css"))
    .map(({ name, body }) => [name, String(body)]),
] as [string, string][];

/** What a declaration may have as its value, besides keywords. */
const ALLOWED: Readonly<Record<string, RegExp>> = {
  "font-size": /^(var\(--type-\d+\)|inherit)$/,
  "border-radius": /^(var\(--radius-\w+\)|inherit|0|\s)+$/,
  "box-shadow": /^(var\(--shadow-\w+\)|none)$/,
  margin: /^(var\(--(space-\d+|rail|bar)\)|auto|0|env\([\w-]+\)|calc\(|-1 |0px |[-+*/)\s])+$/,
};

it.each(SHEETS)("%s uses the tokens for type, radii, shadows and distances", (_, sheet) => {
  const declared = [...sheet.matchAll(/([\w-]+): ([^;{}]+)[;}]/g)].filter(([, property = "", value = ""]) => {
    const of = /^(margin|padding)|gap$/.test(property) ? "margin" : property;
    return of in ALLOWED && !ALLOWED[of]!.test(value.trim());
  });
  expect(declared.map(([text]) => text)).toEqual([]);
});

it("has at most 8 sizes of type, 5 radii and 2 shadows, and distances of 2, 6 or a multiple of 4 px", () => {
  const named = (kind: string) => [
    ...new Set([...TOKENS.matchAll(new RegExp(`--${kind}-(\\w+): `, "g"))].map(([, name]) => name!)),
  ];
  expect(named("type").length).toBeLessThanOrEqual(8);
  expect(Math.min(...named("type").map(Number))).toBe(12);
  expect(named("radius").length).toBeLessThanOrEqual(5);
  expect(named("shadow").length).toBeLessThanOrEqual(2);
  for (const [, name, rem] of TOKENS.matchAll(/--(?:type|space)-(\d+): ([\d.]+)rem/g))
    expect(16 * Number(rem)).toBe(Number(name));
  for (const px of named("space").map(Number))
    expect(px % 4 === 0 || px === 2 || px === 6, `${px} px`).toBe(true);
});
