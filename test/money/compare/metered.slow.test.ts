import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { parsePlant } from "../../../src/config/plant.js";
import { SiteRuntimes } from "../../../src/config/site-runtimes.js";
import { createBus } from "../../../src/core/bus.js";
import { HOUR_MS } from "../../../src/core/domain/interval.js";
import { silentLog } from "../../../src/core/log.js";
import { PriceSeries } from "../../../src/forecast/market/price-series.js";
import { WeatherSeries } from "../../../src/forecast/weather/weather-series.js";
import { WhatIfService } from "../../../src/money/compare/service.js";
import type { WhatIfRequest } from "../../../src/money/compare/what-if-answers.js";
import { Ledger } from "../../../src/money/ledger/ledger.js";
import { temporaryStore } from "../../store/support/folder.js";
import { manualClock } from "../../support/manual-clock.js";
import { runCommand } from "../../support/run-command.js";

const START_MS = Date.parse("2026-05-31T22:00:00Z");
const HOURS = 16 * 24;
const tariff = (ct_kwh: number, feedInCt: number) => [
  {
    energy: { type: "fixed" as const, ct_kwh },
    vat_pct: 20,
    feed_in: { type: "fixed" as const, ct_kwh: feedInCt },
  },
];

/** 16 days of a home that draws 0.5 kWh in each hour and feeds in 1 kWh at noon; hours 30 to 32 were not read. */
async function metered(
  settings: object,
  extra: Record<string, number> = {},
  { hasPrices = true }: { hasPrices?: boolean } = {},
) {
  const { folder, store } = await temporaryStore();
  const parsed = parsePlant(
    { id: "home", timezone: "Europe/Vienna", tariff: tariff(10, 5), ...settings },
    [],
  );
  if ("findings" in parsed) throw new Error(JSON.stringify(parsed.findings));
  const site = { id: "home", accountId: "owner", plant: parsed.plant };
  const exportedBy = (hour: number) => Math.floor((hour + 11) / 24);
  const samples = Array.from({ length: HOURS * 4 + 1 }, (_, quarter) => ({
    at: new Date(START_MS + (quarter * HOUR_MS) / 4),
    values: { import_kwh: 100 + quarter / 8, export_kwh: 50 + exportedBy(quarter / 4), ...extra },
  })).filter((_, quarter) => quarter <= 120 || quarter >= 132);
  await store.samples.append("home", samples);
  const prices = Array.from({ length: HOURS }, (_, hour) => ({
    start: new Date(START_MS + hour * HOUR_MS),
    minutes: 60 as const,
    eurPerMwh: 80,
  }));
  if (hasPrices) await store.prices.save(prices);
  return { folder, store, site, series: PriceSeries.of(hasPrices ? prices : []) };
}

const SUPPLIERS = { period: "2026-06", change: {}, tariffs: ["spotty_smart_active"], area: "wien" };

/** The answer to a question; by default to which tariff would have cost least. */
async function compared([...of]: Parameters<typeof metered>, request: WhatIfRequest = SUPPLIERS) {
  const { store, site, series } = await metered(...of);
  const clock = manualClock(new Date(START_MS + HOURS * HOUR_MS));
  const service = new WhatIfService({
    store,
    documents: store.documents,
    sites: new SiteRuntimes(createBus(), [site]),
    ledger: new Ledger({ ...store, clock, series: async () => series }),
    clock,
    prices: { published: () => series },
    weather: { series: () => WeatherSeries.of([]) },
    stepMinutes: 60,
    log: silentLog,
  });
  onTestFinished(() => service.stop());
  expect(service.begin(site, request)).toBe("started");
  await service.settled();
  const [result] = await service.results("home");
  return result!;
}

describe("a comparison of what the meter counted", () => {
  const home = {
    pv: [{ peak_kw: 5 }],
    battery: { capacity_kwh: 10, min_soc_pct: 10, efficiency_pct: 90, max_charge_power_kw: 5 },
  };

  it("needs import and export alone, and names what is missing", async () => {
    // 3 hours without a value are in no amount: 381 hours of 0.5 kWh, and 16 kWh of feed-in.
    const imported = (HOURS - 3) / 2;
    const meteredEur = imported * 0.1 * 1.2 - 16 * 0.05;
    const result = await compared([home]);
    expect(result).toMatchObject({
      basis: "metered",
      from: "2026-06-01",
      to: "2026-06-16",
      metered: { importKwh: imported, exportKwh: 16, hoursMissing: 3, missing: ["pv", "battery"] },
      rows: [
        { name: "current", cost: { noBatteryEur: null, hourgateEur: null } },
        { name: "spotty_smart_active" },
      ],
    });
    const [own, other] = result.rows!.map(({ cost }) => cost.meteredEur!);
    expect(own).toBeCloseTo(meteredEur, 9);
    expect(result.costEur).toBeCloseTo(meteredEur, 9);
    expect(result.savedEur).toBeCloseTo(meteredEur - Math.min(own!, other!), 9);
  });

  it("has the same bills on the command line", async () => {
    // Bills of fixed prices need no market prices.
    const { folder, store } = await metered(home, {}, { hasPrices: false });
    await store.close();
    const plant = { id: "home", timezone: "Europe/Vienna", tariff: tariff(10, 5), ...home };
    const config = join(folder, "hourgate.yaml");
    writeFileSync(config, JSON.stringify({ data_dir: folder, market: { sources: [] }, plants: [plant] }));
    const dear = join(folder, "dear.yaml");
    writeFileSync(dear, JSON.stringify({ tariff: tariff(20, 8) }));
    const typed = ["compare", "--tariffs", dear, "--config", config];
    const { code, out, error } = await runCommand([...typed, "--json"]);
    expect(code).toBe(0);
    expect(error).toContain("when these readings are known for 14 days: power of the PV, power or state of");
    const metered_eur = Math.round((((HOURS - 3) / 2) * 0.2 * 1.2 - 16 * 0.08) * 1e4) / 1e4;
    expect(JSON.parse(out)).toEqual([
      {
        tariff: dear,
        metered_eur,
        no_battery_eur: null,
        uncontrolled_eur: null,
        hourgate_eur: null,
        perfect_eur: null,
      },
    ]);
    const table = await runCommand(typed);
    expect(table.out).toContain("Import: 191 kWh. Feed-in: 16 kWh.");
    expect(table.out).toContain(metered_eur.toFixed(2));
  });

  it("needs no market prices for a tariff without them", async () => {
    const request = { period: "2026-06", change: { heatPumpKwhYear: 3650 } };
    const { costEur, changedEur } = await compared([{}, {}, { hasPrices: false }], request);
    expect(costEur).toBeGreaterThan(0);
    // 0.8 of the year by the degree days of June, the rest evenly, at 10 ct and VAT.
    const kwh = 3650 * ((0.8 * 0.013 * 16) / 30 + (0.2 * 16) / 365);
    expect(changedEur - costEur!).toBeCloseTo(kwh * 0.12, 1);
  });

  it("is used as long as the PV or the battery is not measured", async () => {
    const { metered } = await compared([{ battery: home.battery, pv: [] }, { pv_power_kw: 0 }]);
    expect(metered!.missing).toEqual(["battery"]);
  });
});
