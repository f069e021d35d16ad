import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HOUR_MS, QUARTER_MS } from "../../../src/core/domain/interval.js";
import type { PricePoint } from "../../../src/core/domain/price.js";
import { judgePrices } from "../../../src/forecast/market/price-gate.js";
import { PriceSeries } from "../../../src/forecast/market/price-series.js";
import { parseEntsoe } from "../../../src/forecast/market/sources/entsoe-document.js";
import { parsePriceFile } from "../../../src/forecast/market/sources/file-format.js";
import { parsePricePayload } from "../../../src/forecast/market/sources/mqtt.js";
import { recorded } from "../../support/answering-server.js";
import { hours, ScriptedSource, startService } from "./started-prices.js";

const NOW = new Date("2026-07-01T09:00:00Z");
const TODAY = Date.parse("2026-06-30T22:00:00Z");
const TOMORROW = Date.parse("2026-07-01T22:00:00Z");
const at = (time: string) => Date.parse(time);

function pricesOf(startMs: number, minutes: 60 | 15, values: readonly number[]): PricePoint[] {
  return values.map((eurPerMwh, index) => ({
    start: new Date(startMs + index * minutes * 60_000),
    minutes,
    eurPerMwh,
  }));
}
const rising = (count: number, from = 50) => Array.from({ length: count }, (_, index) => from + index);
const judge = (points: readonly PricePoint[], now = NOW, known = PriceSeries.empty) =>
  judgePrices(points, { known, now, isPublishing: true });

/** Swaps the first and the second half of the series of an ENTSO-E answer. */
function swapped(text: string): string {
  const [head, ...series] = text.split("<TimeSeries>");
  const last = series.pop()!;
  const [body, tail] = [
    last.slice(0, last.indexOf("</Publication")),
    last.slice(last.indexOf("</Publication")),
  ];
  const all = [...series, body];
  return [head, ...all.slice(all.length / 2), ...all.slice(0, all.length / 2)].join("<TimeSeries>") + tail;
}

describe("only the day-ahead auction is a price", () => {
  // https://github.com/EnergieID/entsoe-py/issues/446
  it.each([
    ["before", (text: string) => text],
    ["after", swapped],
  ])("when intraday prices come %s it in the same answer", (_, order) => {
    const { points } = parseEntsoe(order(recorded("entsoe_a44_at_intraday_first.xml")), "entsoe");
    const series = PriceSeries.of(judge(points, new Date("2026-07-01T11:30:00Z")).points);
    expect(series.hour(at("2026-07-01T14:00:00+02:00"))).toBe(107.5);
    expect(series.quarter(at("2026-07-02T00:00:00+02:00"))).toBe(60);
  });

  it("and an answer without it is a failure", () => {
    const intraday = recorded("entsoe_a44_at_intraday_first.xml").replaceAll(
      "type>A01</contract_MarketAgreement",
      "type>A07</contract_MarketAgreement",
    );
    expect(() => parseEntsoe(intraday, "entsoe")).toThrow(
      "other auctions than the coupled day-ahead auction",
    );
  });

  it("in intervals as long as they state", () => {
    const period = (resolution: string, count: number) =>
      `<Publication_MarketDocument><TimeSeries><curveType>A03</curveType><Period><timeInterval><start>2026-06-30T22:00Z</start><end>2026-07-01T22:00Z</end></timeInterval><resolution>${resolution}</resolution>${rising(
        count,
      )
        .map(
          (price, n) => `<Point><position>${n + 1}</position><price.amount>${price}</price.amount></Point>`,
        )
        .join("")}</Period></TimeSeries></Publication_MarketDocument>`;
    expect(() => parseEntsoe(period("PT60M", 96), "entsoe")).toThrow(
      "96 positions, but is 24 times 60 minutes",
    );
    expect(() => parseEntsoe(period("PT15M", 24), "entsoe")).toThrow("a price for each hour");
    expect(parseEntsoe(period("PT15M", 96), "entsoe").points).toHaveLength(96);
    expect(parseEntsoe(period("PT60M", 24), "entsoe").points).toHaveLength(24);
  });

  // https://github.com/OpenEPaperLink/OpenEPaperLink/issues/442
  it("in quarter-hours of which only each fourth is stated, as the curve allows or not", () => {
    const answer = (curve: string) =>
      `<Publication_MarketDocument><TimeSeries><curveType>${curve}</curveType><Period><timeInterval><start>2026-06-30T22:00Z</start><end>2026-07-01T22:00Z</end></timeInterval><resolution>PT15M</resolution>${rising(
        24,
      )
        .map(
          (price, n) =>
            `<Point><position>${4 * n + 1}</position><price.amount>${price}</price.amount></Point>`,
        )
        .join("")}</Period></TimeSeries></Publication_MarketDocument>`;
    const series = PriceSeries.of(judge(parseEntsoe(answer("A03"), "entsoe").points).points);
    expect([
      series.hour(TODAY),
      series.quarter(TODAY + 3 * QUARTER_MS),
      series.hour(TODAY + HOUR_MS),
    ]).toEqual([50, 50, 51]);
    expect(judge(parseEntsoe(answer("A01"), "entsoe").points)).toMatchObject({
      points: [],
      refusals: [expect.stringContaining("state 15 minutes, but are an hour apart")],
    });
  });
});

describe("the gate for prices", () => {
  it("takes days of hours and of quarter-hours", () => {
    const points = [...pricesOf(TODAY, 60, rising(24)), ...pricesOf(TOMORROW, 15, rising(96))];
    expect(judge(points, new Date("2026-07-01T11:00:00Z"))).toEqual({ points, refusals: [] });
  });

  // https://github.com/EnergieID/entsoe-py/issues/288, https://github.com/infradom/dynamic_grid_prices/issues/1
  it("refuses the zeros for tomorrow of a morning, and keeps today", () => {
    const { points } = parseEntsoe(recorded("entsoe_a44_at_zeros_for_tomorrow.xml"), "entsoe");
    expect(points).toHaveLength(192);
    const judged = judge(points);
    expect(judged.points).toHaveLength(96);
    expect(judged.refusals).toEqual(["The prices of 2026-07-02 are not used: all of them are 0."]);
    // Whenever they come, and whatever is known of the day.
    const known = PriceSeries.of(pricesOf(TOMORROW, 60, rising(24)));
    expect(judge(points, new Date("2026-07-02T09:00:00Z"), known).points).toHaveLength(96);
  });

  // https://github.com/kotope/aio_energy_management/issues/104, https://github.com/custom-components/nordpool/issues/219
  it("refuses a day in EUR/kWh, and keeps cheap days", () => {
    const perKwh = rising(24).map((price) => price / 1000);
    expect(judge(pricesOf(TODAY, 60, perKwh)).refusals).toEqual([
      "The prices of 2026-07-01 are not used: all of them are below 2 EUR/MWh; they seem to be EUR/kWh.",
    ]);
    // 31 December 2017, the cheapest day in 9 years, had one hour of 9.96.
    expect(judge(pricesOf(TODAY, 60, [...rising(23, -60), 9.96])).refusals).toEqual([]);
    expect(judge(pricesOf(TODAY + 14 * HOUR_MS, 60, perKwh.slice(14))).points).toHaveLength(10);
  });

  it("keeps single hours of 0", () => {
    const values = rising(24).map((price, hour) => (hour >= 10 && hour < 17 ? 0 : price));
    expect(judge(pricesOf(TODAY, 60, values)).refusals).toEqual([]);
    expect(judge(pricesOf(TODAY + 10 * HOUR_MS, 60, values.slice(10, 17))).points).toHaveLength(7);
  });

  it("waits until 14:30 for a tomorrow that does not reach its end, except in a file", () => {
    const whole = pricesOf(TOMORROW, 60, rising(24));
    const begun = whole.slice(0, 20);
    for (const now of ["2026-07-01T09:00Z", "2026-07-01T12:29Z"])
      expect(judge(begun, new Date(now)).refusals).toEqual([
        "The prices of 2026-07-02 are not used: it does not reach the end of the day yet.",
      ]);
    expect(judge(begun, new Date("2026-07-01T12:30Z")).points).toEqual(begun);
    expect(judge(begun, NOW, PriceSeries.of(whole)).points).toEqual(begun);
    const file = { known: PriceSeries.empty, now: NOW, isPublishing: false };
    expect(judgePrices(begun, file)).toEqual({ points: begun, refusals: [] });
    expect(judge(pricesOf(TODAY, 60, rising(5))).points).toHaveLength(5);
  });

  it.each([60, 15] as const)(
    "keeps the rest of a tomorrow with a hole, in steps of %d minutes",
    (minutes) => {
      const whole = pricesOf(TOMORROW, minutes, rising(1440 / minutes));
      for (const hole of [0, 5, whole.length - 2]) {
        const points = whole.toSpliced(hole, 1);
        expect(judge(points)).toEqual({ points, refusals: [] });
        expect(PriceSeries.of(points).quarter(TOMORROW + hole * minutes * 60_000)).toBeUndefined();
      }
    },
  );

  // https://github.com/home-assistant/core/issues/155210
  it("waits for the last of the 25 hours of a day of autumn", () => {
    const autumn = at("2026-10-24T22:00Z");
    const before = new Date("2026-10-24T11:30:00Z");
    expect(judge(pricesOf(autumn, 15, rising(100)), before).points).toHaveLength(100);
    expect(judge(pricesOf(autumn, 60, rising(24)), before).refusals).toEqual([
      "The prices of 2026-10-25 are not used: it does not reach the end of the day yet.",
    ]);
    // A service that never has the 25th hour is still better than none.
    const later = new Date("2026-10-24T12:30:00Z");
    expect(judge(pricesOf(autumn, 60, rising(24)), later).points).toHaveLength(24);
  });

  it("refuses one price for all of tomorrow before the auction", () => {
    const flat = pricesOf(TOMORROW, 60, new Array(24).fill(80));
    expect(judge(flat, new Date("2026-07-01T10:49:00Z")).refusals).toEqual([
      "The prices of 2026-07-02 are not used: all of them are the same, and the auction has not taken place yet.",
    ]);
    expect(judge(flat, new Date("2026-07-01T10:50:00Z")).points).toHaveLength(24);
  });

  it.each<[string, PricePoint[], RegExp]>([
    [
      "two prices for one time",
      [...pricesOf(TODAY, 60, rising(24)), ...pricesOf(TODAY, 60, [1])],
      /2026-06-30T22:00Z has two prices/,
    ],
    ["hours that begin within one", pricesOf(TODAY + QUARTER_MS, 60, rising(3)), /not start on a full hour/],
    [
      "hours with other quarter-hours",
      [...pricesOf(TODAY, 60, [50]), ...pricesOf(TODAY, 15, [1, 2, 3, 4])],
      /the hour and the quarter-hours at 2026-06-30T22:00Z have different prices/,
    ],
    [
      "quarter-hours an hour apart",
      rising(24).map((eurPerMwh, n) => ({ start: new Date(TODAY + n * HOUR_MS), minutes: 15, eurPerMwh })),
      /state 15 minutes, but are an hour apart/,
    ],
  ])("refuses %s", (_, points, reason) => {
    expect(judge(points)).toEqual({ points: [], refusals: [expect.stringMatching(reason)] });
  });

  it("gives back each point of a day or none, and never a day of zeros", () => {
    const point = fc.record({
      start: fc.integer({ min: 0, max: 400 }).map((n) => new Date(TODAY + n * QUARTER_MS)),
      minutes: fc.constantFrom(60 as const, 15 as const),
      eurPerMwh: fc.constantFrom(0, 1, 2),
    });
    fc.assert(
      fc.property(fc.array(point, { maxLength: 300 }), (points) => {
        const judged = judge(points);
        expect(points).toEqual(expect.arrayContaining(judged.points));
        for (let n = 0; n < 4; n++) {
          const ofDay = (all: readonly PricePoint[]) =>
            all.filter(({ start }) => Math.floor((start.getTime() - TODAY) / (24 * HOUR_MS)) === n);
          expect([0, ofDay(points).length]).toContain(ofDay(judged.points).length);
        }
        PriceSeries.of(judged.points);
      }),
    );
  });
});

describe("times without offset", () => {
  // https://github.com/davidusb-geek/emhass/issues/984, https://github.com/thecem/octopus_germany/issues/104
  const list = Array.from({ length: 48 }, (_, hour) => ({
    start: `2026-07-0${hour < 24 ? 1 : 2}T${String(hour % 24).padStart(2, "0")}:00:00`,
    price_eur_mwh: 100 + hour,
  }));

  it.each(["UTC", "Europe/Vienna", "America/New_York"])(
    "are local time of Vienna in a process in %s",
    (zone) => {
      const before = process.env.TZ;
      process.env.TZ = zone;
      try {
        const { points } = parsePricePayload(JSON.stringify(list), "it");
        const series = PriceSeries.of(judge(points).points);
        expect(series.hour(at("2026-07-01T14:00:00+02:00"))).toBe(114);
        expect(series.startMs).toBe(TODAY);
        const csv = ["start;eur_per_mwh", ...list.map((row) => `${row.start};${row.price_eur_mwh}`)].join(
          "\n",
        );
        expect(parsePriceFile(csv).points).toEqual(points);
      } finally {
        if (before === undefined) delete process.env.TZ;
        else process.env.TZ = before;
      }
    },
  );

  // https://github.com/evcc-io/evcc/issues/25465
  it("are what they say where they have an offset", () => {
    const of = (text: (ms: number) => string | number, value: (price: number) => unknown = Number) =>
      parsePricePayload(
        JSON.stringify(
          rising(24).map((price, n) => ({ start: text(TODAY + n * HOUR_MS), price_eur_mwh: value(price) })),
        ),
        "it",
      ).points;
    const utc = of((ms) => new Date(ms).toISOString());
    expect(of((ms) => `${new Date(ms + 2 * HOUR_MS).toISOString().slice(0, 19)}+02:00`)).toEqual(utc);
    expect(PriceSeries.of(utc).hour(at("2026-07-01T22:00:00+02:00"))).toBe(72);
    expect(of((ms) => ms)).toEqual(utc);
    // Templates of home automation systems make texts of numbers.
    expect(
      of(
        (ms) => ms / 1000,
        (price) => `${price},0`,
      ),
    ).toEqual(utc);
  });

  it("are the later hour where one of autumn comes again, and unusable where clocks never showed them", () => {
    const entry = (start: string, price_eur_mwh: number) => ({ start, price_eur_mwh });
    const rows = ["00:00", "01:00", "02:00", "02:00", "03:00"].map((time, n) =>
      entry(`2026-10-25T${time}`, n),
    );
    const { points } = parsePricePayload(JSON.stringify(rows), "it");
    expect(points.map(({ start, eurPerMwh }) => [start.toISOString().slice(8, 13), eurPerMwh])).toEqual([
      ["24T22", 0],
      ["24T23", 1],
      ["25T00", 2],
      ["25T01", 3],
      ["25T02", 4],
    ]);
    const spring = [entry("2026-03-29T01:00", 1), entry("2026-03-29T02:00", 2), entry("2026-03-29T03:00", 3)];
    const read = parsePricePayload(JSON.stringify(spring), "it");
    expect(read.points.map(({ eurPerMwh }) => eurPerMwh)).toEqual([1, 3]);
    expect(read.warnings).toHaveLength(1);
  });
});

describe("sources behind the gate", () => {
  it("ask the next one for days that were refused, say why, and request tomorrow until it comes", async () => {
    const first = new ScriptedSource("first");
    const second = new ScriptedSource("second");
    const today = hours("2026-01-14T23:00:00Z", 24);
    const zeros = hours("2026-01-15T23:00:00Z", 24).map((point) => ({ ...point, eurPerMwh: 0 }));
    first.reply = () =>
      Promise.resolve({ points: [...today, ...zeros], validators: { url: "https://first.test", etag: "1" } });
    second.reply = () => today;
    const { make, part, advance } = startService([first, second], { now: "2026-01-15T11:40:00Z" });
    const service = make();
    await service.start();
    await advance(0);
    expect(second.requests).not.toEqual([]);
    expect(service.published().endMs).toBe(Date.parse("2026-01-15T23:00:00Z"));
    expect(part()).toMatchObject({
      state: "degraded",
      detail: expect.stringContaining("The prices of 2026-01-16 are not used: all of them are 0."),
    });
    const asked = first.requests.length;
    second.reply = () => [...today, ...hours("2026-01-15T23:00:00Z", 24, 30)];
    for (let minute = 41; minute < 60; minute++) await advance(60_000);
    // The answer is read anew although it has not changed.
    expect(first.requests.length).toBeGreaterThan(asked);
    expect(first.requests.at(-1)?.validators).toBeUndefined();
    expect(service.published().hour(Date.parse("2026-01-15T23:00:00Z"))).toBe(30);
    expect(service.published().endMs).toBe(Date.parse("2026-01-16T23:00:00Z"));
  });

  it("give one another the hours that are missing within tomorrow, at once", async () => {
    const first = new ScriptedSource("first");
    const second = new ScriptedSource("second");
    const today = hours("2026-01-14T23:00:00Z", 24);
    const tomorrow = hours("2026-01-15T23:00:00Z", 24, 30);
    first.reply = () => [...today, ...tomorrow.toSpliced(7, 1)];
    second.reply = () => [];
    const { make, advance } = startService([first, second], { now: "2026-01-15T12:05:00Z" });
    const service = make();
    await service.start();
    await advance(0);
    const hour = (n: number) => service.published().hour(Date.parse("2026-01-15T23:00:00Z") + n * HOUR_MS);
    expect([hour(6), hour(7), hour(8)]).toEqual([36, undefined, 38]);
    expect(second.requests).not.toEqual([]);
    second.reply = () => [...today, ...tomorrow];
    await advance(3 * 60_000);
    expect(hour(7)).toBe(37);
    // Complete now: the second is left alone.
    const asked = second.requests.length;
    await advance(3 * HOUR_MS);
    expect(second.requests).toHaveLength(asked);
  });

  it("count as published as far as a file has them", async () => {
    const file = new ScriptedSource("file", true);
    file.reply = () => hours("2026-01-14T23:00:00Z", 36);
    const { make } = startService([file]);
    const service = make();
    await service.start();
    expect(service.published().endMs).toBe(Date.parse("2026-01-16T11:00:00Z"));
  });

  it("fail where nothing of an answer passes", async () => {
    const only = new ScriptedSource("only");
    only.reply = () => hours("2026-01-14T23:00:00Z", 24).map((point) => ({ ...point, eurPerMwh: 0 }));
    const { make, part, advance } = startService([only]);
    await make().start();
    await advance(0);
    expect(part()).toMatchObject({ state: "down", detail: expect.stringContaining("all of them are 0") });
  });
});
