import fc from "fast-check";

const SURROGATES = { first: 0xd800, count: 0x800 };

/**
 * Every character of Unicode, as fast-check's own unit "binary", which makes a table of the million of them in each process:
 * a second of processor time.
 */
export const anyCharacter = fc.integer({ min: 0, max: 0x10ffff - SURROGATES.count }).map(
  (index) => String.fromCodePoint(index < SURROGATES.first ? index : index + SURROGATES.count),
  (character) => {
    const code = typeof character === "string" ? character.codePointAt(0) : undefined;
    if (code === undefined || String.fromCodePoint(code) !== character) throw new Error("No character.");
    return code < SURROGATES.first ? code : code - SURROGATES.count;
  },
);
