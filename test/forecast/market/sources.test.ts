import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parse } from "../../../src/config/load.js";
import { dayInterval, VIENNA } from "../../../src/core/time/zone.js";
import { PriceSeries } from "../../../src/forecast/market/price-series.js";
import type { PriceRequest } from "../../../src/forecast/market/source.js";
import { awattarSource, parseAwattar } from "../../../src/forecast/market/sources/awattar.js";
import { createPriceSources } from "../../../src/forecast/market/sources/create.js";
import { energyChartsSource, parseEnergyCharts } from "../../../src/forecast/market/sources/energy-charts.js";
import { FileSource } from "../../../src/forecast/market/sources/file.js";
import { type AnsweringServer, answeringServer, json, recorded } from "../../support/answering-server.js";

const request: PriceRequest = {
  from: new Date("2024-10-25T22:00:00Z"),
  to: new Date("2024-10-27T23:00:00Z"),
  now: new Date("2024-10-26T12:00:00Z"),
  signal: new AbortController().signal,
};

/** Hours of a local day with and without a price. */
function hoursOf(series: PriceSeries, date: string): (number | undefined)[] {
  const { start, end } = dayInterval(date, VIENNA);
  const hours = [];
  for (let at = start.getTime(); at < end.getTime(); at += 3_600_000) hours.push(series.hour(at));
  return hours;
}

let server: AnsweringServer;
beforeAll(async () => {
  server = await answeringServer(json("{}"));
});
afterAll(() => server.close());

describe("awattar", () => {
  const fetch = async (name: string) => {
    server.answer(json(recorded(name)));
    return PriceSeries.of((await awattarSource({ url: server.url }).fetch(request)).points);
  };

  it("requests the whole range, and keeps a configured query", async () => {
    server.answer(json('{"data":[]}'));
    server.requests.length = 0;
    await awattarSource({ url: server.url }).fetch(request);
    await awattarSource({ url: `${server.url}?start=5` }).fetch(request);
    expect(server.requests).toEqual([
      "/?start=1729893600000&end=1730070000000",
      "/?start=5&end=1730070000000",
    ]);
  });

  it("keeps a gap for the hour missing in answers of the 25-hour day", async () => {
    const hours = hoursOf(await fetch("awattar_at_marketdata_2024-10-27_dst_autumn.json"), "2024-10-27");
    expect(hours).toHaveLength(25);
    expect(hours[0]).toBe(92.68);
    expect(hours.indexOf(undefined)).toBe(24);
  });

  it("accepts the hour of the next day in answers of the 23-hour day", async () => {
    const series = await fetch("awattar_at_marketdata_2025-03-30_dst_spring.json");
    const hours = hoursOf(series, "2025-03-30");
    expect(hours).toHaveLength(23);
    expect(hours).not.toContain(undefined);
    expect(hoursOf(series, "2025-03-31").filter((price) => price !== undefined)).toHaveLength(1);
  });

  it("keeps negative and very high prices", async () => {
    const negative = hoursOf(
      await fetch("awattar_at_marketdata_2024-05-12_negative_prices.json"),
      "2024-05-12",
    );
    expect(Math.min(...negative.map(Number))).toBeLessThan(0);
    const peak = hoursOf(await fetch("awattar_at_marketdata_2022-08-29_price_peak.json"), "2022-08-29");
    expect(Math.max(...peak.map(Number))).toBe(919.64);
  });

  it("treats null as a gap, warns about unusable items, and keeps the others", () => {
    const item = (index: number, marketprice: unknown, unit = "Eur/MWh") => ({
      start_timestamp: index * 3_600_000 + 1_700_000_000_000 - (1_700_000_000_000 % 3_600_000),
      end_timestamp: (index + 1) * 3_600_000 + 1_700_000_000_000 - (1_700_000_000_000 % 3_600_000),
      marketprice,
      unit,
    });
    const { points, warnings } = parseAwattar(
      { data: [item(0, 5), item(1, null), item(2, "6"), item(3, 7, "ct/kWh"), null, item(5, 8)] },
      "api.test",
    );
    expect(points.map(({ eurPerMwh }) => eurPerMwh)).toEqual([5, 8]);
    expect(warnings).toHaveLength(3);
    expect(parseAwattar({ data: [] }, "api.test").points).toEqual([]);
    expect(() => parseAwattar({ data: [item(2, "6")] }, "api.test")).toThrow("without a usable price");
  });

  it.each([
    ["an error page", "<html><title>Bad gateway</title></html>", "not complete JSON"],
    [
      "half an answer",
      recorded("awattar_at_marketdata_2024-10-27_dst_autumn.json").slice(0, 900),
      "not complete JSON",
    ],
    ["other JSON", '{"message":"hello"}', 'without the list "data"'],
    ["null", "null", 'without the list "data"'],
  ])("fails on %s", async (_name, body, message) => {
    server.answer(json(body));
    await expect(awattarSource({ url: server.url }).fetch(request)).rejects.toThrow(message);
  });
});

describe("energy-charts", () => {
  const fetch = async (name: string) => {
    server.answer(json(recorded(name)));
    return (await energyChartsSource({ url: server.url }).fetch(request)).points;
  };

  it("requests a bidding zone for local days", async () => {
    server.answer(json('{"unix_seconds":[],"price":[]}'));
    server.requests.length = 0;
    await energyChartsSource({ url: server.url }).fetch(request);
    expect(server.requests).toEqual(["/?bzn=AT&start=2024-10-26&end=2024-10-27"]);
  });

  it.each([
    ["2024-10-27_60min_dst_autumn", "2024-10-27", 25, 60],
    ["2025-03-30_60min_dst_spring", "2025-03-30", 23, 60],
    ["2025-09-30_60min_last_hourly_day", "2025-09-30", 24, 60],
    ["2025-10-01_15min_first_day", "2025-10-01", 24, 15],
    ["2025-10-26_15min_dst_autumn", "2025-10-26", 25, 15],
  ])("reads %s completely", async (name, date, hours, minutes) => {
    const points = await fetch(`energy_charts_price_de_lu_${name}.json`);
    expect(points).toHaveLength((hours * 60) / minutes);
    expect(points.every((point) => point.minutes === minutes)).toBe(true);
    expect(hoursOf(PriceSeries.of(points), date)).not.toContain(undefined);
  });

  it("treats null as a gap, and refuses other lists", () => {
    const seconds = Array.from({ length: 24 }, (_, index) => 1_768_431_600 + index * 3600);
    const price = seconds.map((_, index) => (index === 6 ? null : index));
    expect(parseEnergyCharts({ unix_seconds: seconds, price }, "api.test").points).toHaveLength(23);
    const answer = { unix_seconds: seconds, price, unit: "EUR / MWh" };
    expect(parseEnergyCharts(answer, "api.test").points).toHaveLength(23);
    expect(() => parseEnergyCharts({ ...answer, unit: "EUR / kWh" }, "api.test")).toThrow(
      'prices in "EUR / kWh" instead of EUR / MWh',
    );
    expect(() => parseEnergyCharts({ unix_seconds: [1], price: [] }, "api.test")).toThrow(
      "equally long lists",
    );
  });
});

describe("file", () => {
  let folder: string;
  let path: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "hourgate-prices-"));
    path = join(folder, "prices.csv");
  });
  afterEach(() => rm(folder, { recursive: true }));

  it("is read, reported as unchanged, and read again after a change", async () => {
    const source = new FileSource(path);
    await writeFile(path, "start_utc,eur_per_mwh\n2026-01-15T00:00:00Z,1\nbroken\n");
    const first = await source.fetch(request);
    expect(first.points).toHaveLength(1);
    expect(first.warnings).toEqual([
      `${path}: Line 3: the start is not a time from 2000 to 2099 ("broken").`,
    ]);
    const second = await source.fetch({ ...request, validators: first.validators });
    expect(second).toMatchObject({ notModified: true, points: [] });
    await writeFile(path, "start_utc,eur_per_mwh\n2026-01-15T00:00:00Z,1\n2026-01-15T01:00:00Z,2\n");
    expect((await source.fetch({ ...request, validators: first.validators })).points).toHaveLength(2);
  });

  it("that is missing or invalid causes an error with its path", async () => {
    await expect(new FileSource(path).fetch(request)).rejects.toThrow(`${path} cannot be read`);
    await writeFile(path, "");
    await expect(new FileSource(path).fetch(request)).rejects.toThrow("Line 1 must be a header");
  });

  it("notifies when it appears and when it changes", async () => {
    let stop = () => {};
    const source = new FileSource(path, { watchEveryMs: 10 });
    let wake = () => {};
    stop = source.watch(() => wake());
    const changed = () => new Promise<void>((resolve) => (wake = resolve));
    const appeared = changed();
    await writeFile(path, "start_utc,eur_per_mwh\n");
    await appeared;
    const grew = changed();
    await writeFile(path, "start_utc,eur_per_mwh\n2026-01-15T00:00:00Z,1\n");
    await grew;
    stop();
    expect((await source.fetch(request)).points).toHaveLength(1);
  });
});

describe("createPriceSources", () => {
  it("creates the enabled sources in their order", () => {
    const { settings } = parse(`market: { sources: [
      { type: file, path: /var/lib/prices.csv },
      { type: energy_charts, enabled: false },
      { type: entsoe, token: t },
      { type: hourgate, url: "http://127.0.0.1:1" },
      { type: mqtt, topic: prices },
      { type: awattar },
    ] }`);
    const names = createPriceSources(settings.market.sources).map(({ name }) => name);
    expect(names).toEqual(["file prices.csv", "entsoe", "hourgate", "mqtt prices", "awattar"]);
  });

  it("throws for an unknown type", () => {
    const entry = { type: "oracle", enabled: true, url: null, timeout_seconds: 10 };
    expect(() => createPriceSources([entry as never])).toThrow('Unknown price source "oracle"');
  });
});
