import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HOUR_MS, QUARTER_MS } from "../../src/core/domain/interval.js";
import { dayInterval } from "../../src/core/time/zone.js";
import { PriceSeries } from "../../src/forecast/market/price-series.js";
import { eventually } from "../support/eventually.js";
import type { Browser } from "./form-browser.js";
import { type OpenPortal, openPortal } from "./harness.js";

const ZONE = "Europe/Vienna";
const START = dayInterval("2025-12-17", ZONE).start.getTime();
/** 49 hours of 2026: a comparison of this year takes little time. */
const END = Date.parse("2026-01-03T00:00:00Z");

const textOf = (html: string) => html.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");

/** Lowest priority of the threads of this process: a nice value, 0 is the usual one. */
function nicestThread(): number {
  const nice = readdirSync("/proc/self/task").map((id) =>
    Number(readFileSync(`/proc/self/task/${id}/stat`, "utf8").split(") ")[1]!.split(" ")[16]),
  );
  return Math.max(...nice);
}

describe("the page Compare", () => {
  let portal: OpenPortal;
  let anna: Browser;
  let siteId: string;
  beforeAll(async () => {
    portal = await openPortal();
    await portal.addAccount("anna@example.org");
    anna = await portal.signedIn("anna@example.org");
    siteId = portal.sites.of("account-anna@example.org")[0]!.id;
    const tariff = [
      {
        energy: { type: "fixed" as const, ct_kwh: 10 },
        energy_base_fee: { eur_month: 0 },
        grid_usage: { windows: [{ ct_kwh: 10 }] },
        vat_pct: 20,
      },
    ];
    await portal.sites.change(siteId, { plant: { timezone: ZONE, tariff } });
  });
  afterAll(() => portal.close());

  const json = async () => JSON.parse((await anna.get("/portal/compare")).text);
  const compare = async (fields: Record<string, string>) => {
    await anna.get("/compare");
    const { status, text, location } = await anna.post("/compare", fields);
    if (status !== 303) return { status, text };
    const answer = await eventually(async () => {
      const now = await json();
      expect(now.status).not.toBe("running");
      return now;
    });
    return { status, text: location ?? "", answer };
  };

  it("says what is missing", async () => {
    const { text } = await anna.get("/compare");
    expect(textOf(text)).toContain("Choose a grid area to see the built-in tariffs.");
    expect(textOf(text)).toContain("No battery is entered for this site");
    expect(await json()).toEqual({ site: siteId, status: "none" });
    expect((await compare({})).text).toContain("No tariff is chosen.");
    expect((await compare({ tariff: "current", year: "2031" })).status).toBe(422);
    await compare({ tariff: "current" });
    expect((await anna.get("/compare")).text).toContain("No prices are stored.");
    const hours = Array.from({ length: (END - START) / HOUR_MS }, (_, hour) => ({
      start: new Date(START + hour * HOUR_MS),
      minutes: 60 as const,
      eurPerMwh: hour % 24 < 6 ? 20 : 300,
    }));
    portal.setPrices(PriceSeries.of(hours));
    expect((await compare({ tariff: "current" })).answer).toMatchObject({ error: { code: "no_load" } });
    expect((await anna.get("/compare?lang=de")).text).toContain(
      "Weniger als 14 Tage Verbrauch sind bekannt.",
    );
    await anna.get("/compare?lang=en");
  });

  it("computes in threads of low priority, shows the progress, and then table, chart and JSON", async () => {
    // 0.8 kW: 39.2 kWh in 49 hours, at 20 ct and VAT 9.408 EUR.
    const samples = Array.from({ length: (END - START) / QUARTER_MS + 1 }, (_, quarter) => ({
      at: new Date(START + quarter * QUARTER_MS),
      values: { load_power_kw: 0.8 },
    }));
    await portal.store.samples.append(siteId, samples);
    const battery = { capacity_kwh: 10, min_soc_pct: 0, efficiency_pct: 100, max_charge_power_kw: 5 };
    await portal.sites.change(siteId, { plant: { battery } });
    const page = textOf((await anna.get("/compare?area=wien")).text);
    expect(page).toContain("Your tariff");
    const offered = [
      ...(await anna.get("/compare?area=wien")).text.matchAll(/name="tariff" value="([^"]+)"/g),
    ];
    expect(offered.length).toBeGreaterThan(3);

    await anna.post("/compare", { tariff: "current", year: "2026" });
    const running = (await anna.get("/compare")).text;
    expect(running).toContain('<meta http-equiv="refresh" content="3"');
    expect(textOf(running)).toMatch(/In progress: \d+ %/);
    expect((await anna.post("/compare", { tariff: "current" })).text).toContain(
      "Another comparison is in progress.",
    );
    let lowest = 0;
    const done = await eventually(async () => {
      lowest = Math.max(lowest, nicestThread());
      const now = await json();
      expect(now.status).toBe("done");
      return now;
    });
    if (process.platform === "linux") expect(lowest).toBe(10);
    expect(done).toMatchObject({ year: "2026", load_kwh: 39.2, pv: "none", cheapest: "current" });
    expect(done.tariffs[0]).toMatchObject({
      tariff: "current",
      no_battery_eur: 9.408,
      uncontrolled_eur: 9.408,
    });
    const { text } = await anna.get("/compare");
    expect(text).not.toContain("http-equiv");
    expect(textOf(text)).toMatch(/Your tariff Cheapest 9\.41 9\.41 9\.41 9\.41/);
    expect(text.match(/<rect class="cost /g)).toHaveLength(4);
  });

  it("ends a comparison in progress when the gateway stops", async () => {
    await anna.get("/compare");
    expect((await anna.post("/compare", { tariff: "current" })).status).toBe(303);
    await portal.comparisons.stop();
    expect(await json()).toMatchObject({ status: "failed", error: { code: "failed" } });
    expect(portal.lines.filter((line) => line.includes("comparison"))).toEqual([]);
  });
});
