import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { expect, it } from "vitest";
import { reachOfHost } from "../../src/core/net/address.js";
import { withoutPercentSign } from "../../src/core/number-text.js";
import { readJsonObject } from "../../src/edges/http/body.js";
import { parsePriceFile } from "../../src/forecast/market/sources/file-format.js";
import { htmlBelow } from "../../src/portal/replies.js";
import { processorMs } from "../support/processor-time.js";

const bodyOfType = (type: string) =>
  readJsonObject(
    Object.assign(Readable.from([Buffer.from("{}")]), {
      headers: { "content-type": type, "content-length": "2" },
    }) as unknown as IncomingMessage,
  ).catch(() => {});

/** Texts of the greatest size that a stranger can send, made for patterns that look back again and again. */
it.each<[text: string, read: () => unknown]>([
  ["a media type", () => bodyOfType(`application/json; charset=${"\t".repeat(16_000)}=\tx`)],
  ["a host", () => reachOfHost(`${".".repeat(16_000)}x`)],
  ["a percentage", () => withoutPercentSign(`1${"\t".repeat(90_000)}x`)],
  ["a text of a page below a path", () => htmlBelow("/gate", `<p>${"-".repeat(90_000)}</p>`)],
  [
    "a number of a price topic",
    () => parsePriceFile(`start_utc,eur_per_mwh\n2026-01-15T12:00Z,${"0".repeat(250_000)}x`),
  ],
])("%s is read in a time that grows with its length", async (_text, read) => {
  expect(await processorMs(read)).toBeLessThan(250);
});

it("a percentage is typed with or without its sign", () => {
  expect([" 55 % ", "55%", "5,5", "%"].map(withoutPercentSign)).toEqual(["55", "55", "5,5", ""]);
});
