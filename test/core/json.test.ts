import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MOST_LEVELS, parseForeignJson } from "../../src/core/json.js";

const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;

describe("a document from outside", () => {
  it("is what JSON.parse gives", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        expect(parseForeignJson(text)).toEqual(JSON.parse(text));
      }),
    );
    const brackets = JSON.stringify({ a: "[".repeat(500), b: `\\"${"{".repeat(500)}` });
    expect(parseForeignJson(brackets)).toEqual(JSON.parse(brackets));
  });

  it("has a bounded number of levels", () => {
    expect(() => parseForeignJson(nested(MOST_LEVELS))).not.toThrow();
    expect(() => parseForeignJson(`{"a":${"[1,".repeat(9)}"]"${"]".repeat(9)}}`)).not.toThrow();
    for (const levels of [MOST_LEVELS + 1, 500_000])
      expect(() => parseForeignJson(nested(levels))).toThrow("The document has more than 100 levels.");
    expect(() => parseForeignJson('{"a":'.repeat(200_000))).toThrow(SyntaxError);
  });
});
