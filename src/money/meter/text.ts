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
