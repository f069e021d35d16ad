import type { Table } from "./types.js";

/**
 * Decodes the bytes of a CSV file: by its byte order mark, as UTF-16 when every second byte is zero, as UTF-8 when that is
 * valid, else as Windows-1252.
 */
export function decodeText(bytes: Uint8Array): string {
  const [a, b, c] = bytes;
  if (a === 0xff && b === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (a === 0xfe && b === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  if (a === 0xef && b === 0xbb && c === 0xbf) return new TextDecoder("utf-8").decode(bytes);
  const sample = bytes.subarray(0, 2000);
  const zeros = (odd: number) => sample.reduce((n, byte, i) => n + (byte === 0 && i % 2 === odd ? 1 : 0), 0);
  if (zeros(1) > sample.length / 4) return new TextDecoder("utf-16le").decode(bytes);
  if (zeros(0) > sample.length / 4) return new TextDecoder("utf-16be").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** Splits CSV text into rows of trimmed cells; quoted cells may contain the delimiter, line ends and doubled quotes. */
export function splitRows(text: string, delimiter: string, maxRows = Number.POSITIVE_INFINITY): Table {
  const rows: string[][] = [];
  let at = 0;
  while (at < text.length && rows.length < maxRows) {
    const newline = text.indexOf("\n", at);
    const end = newline < 0 ? text.length : newline;
    const line = text.slice(at, end);
    if (line.includes('"')) {
      const quoted = quotedRow(text, at, delimiter);
      rows.push(quoted.cells);
      at = quoted.next;
    } else {
      rows.push(line.split(delimiter).map((cell) => cell.trim()));
      at = end + 1;
    }
  }
  return rows;
}

function quotedRow(text: string, start: number, delimiter: string): { cells: string[]; next: number } {
  const cells: string[] = [];
  let at = start;
  for (;;) {
    while (text[at] === " ") at++;
    if (text[at] === '"') {
      let cell = "";
      for (at++; at < text.length; at++) {
        if (text[at] !== '"') cell += text[at];
        else if (text[at + 1] === '"') cell += text[++at];
        else break;
      }
      cells.push(cell.trim());
      at++;
      while (at < text.length && text[at] !== delimiter && text[at] !== "\n") at++;
    } else {
      const from = at;
      while (at < text.length && text[at] !== delimiter && text[at] !== "\n") at++;
      cells.push(text.slice(from, at).trim());
    }
    if (text[at] !== delimiter) return { cells, next: at + 1 };
    at++;
  }
}

/** Lower case, umlauts as two letters (also wrongly decoded ones), single spaces: for comparing headers and words. */
export function foldText(text: string): string {
  return text
    .normalize("NFC")
    .toLowerCase()
    .replace(/ã¤|ä/g, "ae")
    .replace(/ã¶|ö/g, "oe")
    .replace(/ã¼|ü/g, "ue")
    .replace(/ß/g, "ss")
    .replace(/[\s\u00a0\ufeff]+/g, " ")
    .trim();
}
