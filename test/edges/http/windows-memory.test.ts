import { expect, test, vi } from "vitest";
import { PriceSeries } from "../../../src/forecast/market/price-series.js";
import { fakeServices, KEYS, publishedPoints, slotSettings } from "../../api/fake-services.js";
import { serve } from "./serve.js";

const PATH = "/v1/decision/windows";
const keyed = { "X-API-Key": KEYS.owner };
const BODY = { window_start_hour: 22, window_end_hour: 6, segments: "3", plugged: 1 };

test("an equal request within the same second is answered from the cache, any other is not", async () => {
  const services = fakeServices();
  const solve = vi.spyOn(services.flex.sites.of("home"), "answer");
  const { post } = await serve(services);
  const first = await post(PATH, BODY, keyed);
  const again = await post(PATH, { ...BODY, plugged: "1", cache_buster: 7 }, keyed);
  expect(again.text).toBe(first.text);
  expect(Number(again.headers.get("x-ratelimit-remaining"))).toBe(
    Number(first.headers.get("x-ratelimit-remaining")) - 1,
  );
  expect(solve).toHaveBeenCalledTimes(1);

  const other = await post(PATH, { ...BODY, segments: "2" }, keyed);
  expect(other.json.demand_hours).toBe(2);
  const elsewhere = await post(PATH, { ...BODY, timezone: "UTC" }, keyed);
  expect(elsewhere.json.timezone).toBe("UTC");
  expect(solve).toHaveBeenCalledTimes(3);

  await services.clock.advance(1000);
  const later = await post(PATH, BODY, keyed);
  expect(Date.parse(later.json.issued_at) - Date.parse(first.json.issued_at)).toBe(1000);

  services.series = PriceSeries.of(publishedPoints());
  await post(PATH, BODY, keyed);
  expect(solve).toHaveBeenCalledTimes(5);
});

test("windows with fractions of a second, requests of a slot and without a key are never cached", async () => {
  const services = fakeServices({ slots: [slotSettings({ slot: 3, power_kw: 11 })] });
  const answer = vi.spyOn(services.flex.sites.of("home"), "answer");
  const request = vi.spyOn(services.flex.sites.of("home"), "request");
  const { post } = await serve(services);
  for (const round of [1, 2]) {
    await post(PATH, { start: "2026-01-15T12:00:00.250+01:00", count: 2 }, keyed);
    expect(answer).toHaveBeenCalledTimes(round);
    expect(
      (await post(PATH, { slot_id: 3, segments: "2", window_start_hour: 20, window_end_hour: 6 }, keyed))
        .status,
    ).toBe(200);
    expect(request).toHaveBeenCalledTimes(round);
    expect((await post(PATH, BODY)).json.error.code).toBe("not_available");
  }
});
