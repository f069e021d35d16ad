import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { defaultSettings } from "../../../src/config/load.js";
import { HOUR_MS, QUARTER_MS } from "../../../src/core/domain/interval.js";
import { PriceSeries } from "../../../src/forecast/market/price-series.js";
import { EMPTY_PV_LEARNING } from "../../../src/forecast/pv/learning.js";
import { WeatherSeries } from "../../../src/forecast/weather/weather-series.js";
import { backgroundThreads, compareInThreads } from "../../../src/money/compare/parallel.js";
import { comparisonData } from "../../../src/money/compare/site-comparison.js";
import { PLAIN_BATTERY } from "../../support/plain-battery.js";

const START_MS = Date.parse("2026-01-01T00:00:00Z");
const HOURS = 48;

/** Lowest priority of the threads of this process: a nice value, 0 is the usual one. */
function nicestThread(): number {
  const nice = readdirSync("/proc/self/task").map((id) =>
    Number(readFileSync(`/proc/self/task/${id}/stat`, "utf8").split(") ")[1]!.split(" ")[16]),
  );
  return Math.max(...nice);
}

it("takes no more threads than there are cores, and leaves one free where a thread has no priority of its own", () => {
  const threads = (platform: NodeJS.Platform) =>
    [1, 2, 3, 8].map((cores) => backgroundThreads(cores, platform));
  expect(threads("linux")).toEqual([1, 2, 2, 2]);
  expect(threads("darwin")).toEqual([1, 1, 2, 2]);
});

it("computes in threads of low priority, and ends them", async () => {
  const series = PriceSeries.of(
    Array.from({ length: HOURS }, (_, hour) => ({
      start: new Date(START_MS + hour * HOUR_MS),
      minutes: 60 as const,
      eurPerMwh: 100,
    })),
  );
  const measured = Array.from({ length: HOURS * 4 }, (_, t) => ({
    start: new Date(START_MS + t * QUARTER_MS),
    end: new Date(START_MS + (t + 1) * QUARTER_MS),
    kwh: 0.2,
  }));
  const data = comparisonData(
    {
      series,
      prices: "",
      measured,
      measuredPv: [],
      pvLearning: EMPTY_PV_LEARNING,
      weather: WeatherSeries.of([]),
    },
    {
      plant: { ...defaultSettings().plants[0]!, battery: PLAIN_BATTERY },
      site: { measured, name: "" },
      period: { start: new Date(START_MS), end: new Date(START_MS + HOURS * HOUR_MS) },
      stepMinutes: 60,
    },
  );
  const usual = process.platform === "linux" ? nicestThread() : 0;
  let nicest = usual;
  const onProgress = () => {
    if (process.platform === "linux") nicest = Math.max(nicest, nicestThread());
  };
  const tariff = [{ energy: { type: "fixed" as const, ct_kwh: 20 }, vat_pct: 20 }];
  const ended = new AbortController();
  const options = { threads: 1, isBackground: true, onProgress, signal: ended.signal };
  const [cost] = await compareInThreads(data, [{ tariff }], options);
  // 38.4 kWh at 20 ct, and VAT.
  expect(cost!.noBatteryEur).toBeCloseTo(38.4 * 0.24, 9);
  if (process.platform === "linux") expect(nicest).toBe(Math.max(usual, 10));
  const stopped = compareInThreads(data, [{ tariff }], options);
  ended.abort();
  await expect(stopped).rejects.toThrow();
});
