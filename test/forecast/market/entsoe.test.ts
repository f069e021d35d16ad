import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PriceSeries } from "../../../src/forecast/market/price-series.js";
import type { PriceRequest } from "../../../src/forecast/market/source.js";
import { entsoeSource } from "../../../src/forecast/market/sources/entsoe.js";
import { parseEntsoe } from "../../../src/forecast/market/sources/entsoe-document.js";
import { hourgateSource } from "../../../src/forecast/market/sources/hourgate.js";
import { type AnsweringServer, answeringServer, json, recorded } from "../../support/answering-server.js";

const request: PriceRequest = {
  from: new Date("2024-10-25T22:00:00Z"),
  to: new Date("2024-10-27T23:00:00Z"),
  now: new Date("2024-10-26T12:00:00Z"),
  signal: new AbortController().signal,
};

const seriesOf = (name: string) => PriceSeries.of(parseEntsoe(recorded(name), "entsoe").points);
const at = (time: string) => Date.parse(time);

let server: AnsweringServer;
beforeAll(async () => {
  server = await answeringServer(json("{}"));
});
afterAll(() => server.close());

describe("ENTSO-E documents", () => {
  it("reads hours, and repeats positions omitted in curve A03", () => {
    const series = seriesOf("entsoe_a44_be_60m.xml");
    expect(new Date(series.startMs).toISOString()).toBe("2024-10-07T22:00:00.000Z");
    expect(series.hour(at("2024-10-07T22:00:00Z"))).toBe(64.98);
    // Three points over six hours, the rest repeats.
    const sample = seriesOf("entsoe_a44_a03_curvetype_handmade_sample.xml");
    const hours = Array.from({ length: 7 }, (_, hour) =>
      sample.hour(at("2024-01-01T00:00:00Z") + hour * 3_600_000),
    );
    expect(hours).toEqual([50, 50, 55, 55, 55, 60, undefined]);
  });

  it("reads quarter-hours and hours", () => {
    const series = seriesOf("entsoe_a44_be_15m_exact4.xml");
    expect(
      [0, 15, 30, 45].map((minute) => series.quarter(at("2024-10-05T22:00:00Z") + minute * 60_000)),
    ).toEqual([55.35, 44.22, 40.32, 31.86]);
    const mix = seriesOf("entsoe_a44_be_60m_15m_mix.xml");
    for (let hour = 0; hour < 72; hour++) {
      expect(mix.hour(at("2024-10-05T22:00:00Z") + hour * 3_600_000)).toBeTypeOf("number");
    }
  });

  it("uses the coupled auction if two cover the same time", () => {
    const series = seriesOf("entsoe_a44_de_60m_15m_overlap.xml");
    expect(series.hour(at("2024-10-05T22:00:00Z"))).toBe(67.04);
    expect(series.quarter(at("2024-10-05T22:15:00Z"))).toBe(67.04);
  });

  it("has 100 quarter-hours on a day with 25 hours", () => {
    const point = (position: number, price: number) =>
      `<Point><position>${position}</position><price.amount>${price}</price.amount></Point>`;
    const text = `<Publication_MarketDocument><TimeSeries><curveType>A03</curveType><Period>
      <timeInterval><start>2025-10-25T22:00Z</start><end>2025-10-26T23:00Z</end></timeInterval>
      <resolution>PT15M</resolution>${point(1, 50)}${point(97, -3)}</Period></TimeSeries></Publication_MarketDocument>`;
    const series = PriceSeries.of(parseEntsoe(text, "entsoe").points);
    expect((series.endMs - series.startMs) / 900_000).toBe(100);
    expect(series.quarter(at("2025-10-26T21:45:00Z"))).toBe(50);
    expect(series.quarter(at("2025-10-26T22:00:00Z"))).toBe(-3);
  });

  it("treats an acknowledgement as no prices yet", () => {
    expect(parseEntsoe(recorded("entsoe_acknowledgement_invalid_request.xml"), "entsoe")).toEqual({
      points: [],
      warnings: [],
    });
  });

  it.each([
    ["HTML", "<html><body>Sorry</body></html>", /not a market document/],
    ["half an answer", recorded("entsoe_a44_be_60m.xml").slice(0, 3000), /incomplete XML/],
    ["nothing", "", /incomplete XML/],
    [
      "an invalid interval",
      "<Publication_MarketDocument><TimeSeries><Period><resolution>PT60M</resolution></Period></TimeSeries></Publication_MarketDocument>",
      /without a usable price/,
    ],
  ])("rejects %s", (_, text, message) => {
    expect(() => parseEntsoe(text, "entsoe")).toThrow(message);
  });

  it("requests whole local days with the token, and does not reveal the token", async () => {
    server.requests.length = 0;
    server.answer((_, response) => response.writeHead(401).end("no"));
    const source = entsoeSource({ url: server.url, token: "s3cret" });
    await expect(source.fetch(request)).rejects.toThrow(/401/);
    await expect(source.fetch(request)).rejects.not.toThrow(/s3cret/);
    const requests = new URL(server.requests[0]!, server.url).searchParams;
    expect(Object.fromEntries(requests)).toEqual({
      documentType: "A44",
      in_Domain: "10YAT-APG------L",
      out_Domain: "10YAT-APG------L",
      "contract_MarketAgreement.type": "A01",
      periodStart: "202410252200",
      periodEnd: "202410272300",
      securityToken: "s3cret",
    });
  });
});

describe("another gateway", () => {
  it("provides its published hours, not its forecast", async () => {
    server.requests.length = 0;
    const price = (start: string, price_eur_mwh: number | null, source: string) => ({
      start,
      price_eur_mwh,
      source,
    });
    server.answer(
      json(
        JSON.stringify({
          prices: [
            price("2024-10-27T02:00:00+02:00", 10, "day_ahead"),
            price("2024-10-27T02:00:00+01:00", 20, "day_ahead"),
            price("2024-10-27T03:00:00+01:00", null, "day_ahead"),
            price("2024-10-27T03:20:00+01:00", 30, "day_ahead"),
            price("2024-10-27T04:00:00+01:00", 40, "forecast"),
          ],
        }),
      ),
    );
    const { points, warnings } = await hourgateSource({ url: server.url }).fetch(request);
    expect(server.requests).toEqual(["/v1/forecast"]);
    expect(points.map(({ start, eurPerMwh }) => [start.toISOString(), eurPerMwh])).toEqual([
      ["2024-10-27T00:00:00.000Z", 10],
      ["2024-10-27T01:00:00.000Z", 20],
    ]);
    expect(warnings).toEqual([expect.stringContaining("ignored: the start is not on a quarter-hour.")]);
  });
});
