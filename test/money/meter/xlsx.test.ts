import { describe, expect, it } from "vitest";
import { readSheets } from "../../../src/money/meter/spreadsheet.js";
import { readPlainSheets } from "../../../src/money/meter/xlsx.js";

const MANY = 300_000;

function sheetsOf(sharedStrings: string, cells = "") {
  const files = new Map([
    ["xl/worksheets/sheet1.xml", Buffer.from(`<sheetData>${cells}</sheetData>`)],
    ["xl/sharedStrings.xml", Buffer.from(sharedStrings)],
  ]);
  return readPlainSheets(files);
}

it("reads shared texts: of several runs, without phonetic hints, empty ones, escaped ones", () => {
  const strings = [
    "<si><t>a</t></si>",
    '<si><r><rPr><b/></r><t xml:space="preserve">b </t><r><t>c</t></r></si>',
    "<si/>",
    "<si><t/></si>",
    '<si><t>d</t><rPh sb="0"><t>hint</t></rPh><phoneticPr fontId="1"/></si>',
    '<si xml:space="preserve"><t>&lt;&#65;&gt;</t></si>',
  ].join("");
  const cells = [0, 1, 2, 3, 4, 5].map((n) => `<c r="A${n + 1}" t="s"><v>${n}</v></c>`).join("");
  expect(sheetsOf(`<sst>${strings}</sst>`, cells)).toEqual([[["a"], ["b c"], [""], [""], ["d"], ["<A>"]]]);
});

describe("the time of reading grows with the length only", () => {
  it.each([
    ["texts without an end of their tag", "<si ".repeat(MANY)],
    ["runs without an end", `<si>${"<t>".repeat(MANY)}</si>`],
    ["runs without an end of their tag", `<si>${"<t ".repeat(MANY)}</si>`],
    ["hints without an end", `<si>${"<rPh ".repeat(MANY)}<t>a</t></si>`],
    ["signs without an end", `<si><t>${"&a".repeat(MANY)}</t></si>`],
  ])("%s", (_name, strings) => {
    expect(sheetsOf(`<sst>${strings}`, '<c r="A1" t="s"><v>0</v></c>')).toHaveLength(1);
  });
});

it("refuses an archive without an entry, in which the library would search without an end", async () => {
  // Made by mutation of a real file.
  const bytes = Buffer.from(
    "504b0304140000000800443d765dbd5cfd90f2000000d0cf11e0020000130000005b436f6e746e65745f547970504b050600140100000b0000005f72656c732f2e72656c738dcfc10ec2200c06e05721bd3b360fc698b15d8c89570059c7c80625803adf5e8ece78f0d8",
    "hex",
  );
  await expect(readSheets(bytes)).rejects.toMatchObject({ reason: "unreadable" });
});
