import { describe, expect, it } from "vitest";
import { MqttPriceSource, parsePricePayload } from "../../../src/forecast/market/sources/mqtt.js";
import { recorded } from "../../support/answering-server.js";

const read = (text: string) =>
  parsePricePayload(text, "it").points.map(({ start, minutes, eurPerMwh }) => [
    start.toISOString(),
    minutes,
    eurPerMwh,
  ]);

describe("prices from a topic", () => {
  const two = [
    ["2026-01-15T00:00:00.000Z", 60, 80.5],
    ["2026-01-15T01:00:00.000Z", 60, -3],
  ];

  it.each([
    [
      "a list",
      '[{"start":"2026-01-15T01:00:00+01:00","price_eur_mwh":80.5},{"start":"2026-01-15T02:00:00+01:00","price_eur_mwh":-3}]',
    ],
    [
      "a forecast of another gateway",
      '{"prices":[{"start":"2026-01-15T00:00:00Z","price_eur_mwh":80.5,"source":"day_ahead"},{"start":"2026-01-15T01:00:00Z","price_eur_mwh":-3,"source":"day_ahead"},{"start":"2026-01-15T02:00:00Z","price_eur_mwh":1,"source":"forecast"}]}',
    ],
    ["a file", "start_utc,eur_per_mwh\n2026-01-15T00:00:00Z,80.5\n2026-01-15T01:00:00Z,-3\n"],
  ])("are read from %s", (_, text) => expect(read(text)).toEqual(two));

  it("are read from an answer of aWATTar, with its gaps", () => {
    expect(read(recorded("awattar_at_marketdata_2024-05-12_negative_prices.json"))).toHaveLength(24);
    expect(
      read(
        '[{"start":"2026-01-15T00:00:00Z","price_eur_mwh":1},{"start":"2026-01-15T01:00:00Z","price_eur_mwh":null},{"start":"2026-01-15T02:00:00Z","price_eur_mwh":3}]',
      ),
    ).toHaveLength(2);
  });

  it.each([
    ["half of one", '[{"start":'],
    ["words", "hello"],
    ["an empty list", "[]"],
    ["another object", "{}"],
    ["prices in cents", '[{"start":"2026-01-15T00:00:00Z","ct":8}]'],
  ])("are rejected if the payload is %s", (_, text) => expect(() => read(text)).toThrow(/it/));

  it("are requested after a message, and unavailable before", async () => {
    const source = new MqttPriceSource("prices/at");
    let changes = 0;
    const stop = source.watch(() => changes++);
    await expect(source.fetch()).rejects.toThrow("No message has been received on the topic prices/at yet.");
    source.receive("");
    source.receive('[{"start":"2026-01-15T00:00:00Z","price_eur_mwh":80.5}]');
    expect(changes).toBe(1);
    expect((await source.fetch()).points).toHaveLength(1);
    stop();
    source.receive("x");
    expect(changes).toBe(1);
  });
});
