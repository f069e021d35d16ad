import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { createGateway, type Gateway } from "../../src/app/gateway.js";
import { parse } from "../../src/config/load.js";
import { silentLog } from "../../src/core/log.js";
import { tariffOfPresets } from "../../src/tariff/presets.js";
import { Browser } from "../portal/form-browser.js";
import { eventually } from "../support/eventually.js";

const KEY = `hg_live_${"n".repeat(43)}`;
/** Monday 2026-12-28, 14:00 in Vienna: the week ahead has the change of the levy in its middle. */
const NOW = new Date("2026-12-28T13:00:00Z");
const HOUR_MS = 3_600_000;
const PRICE_EUR_MWH = 100;

const PASSWORD = "a password for tests";

interface Priced {
  start: string;
  total_ct_kwh: number;
}

describe("a week across the end of the reduced Elektrizitätsabgabe", () => {
  let folder: string;
  let gateway: Gateway;
  let url: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "hourgate-new-year-"));
    const prices = join(folder, "prices.csv");
    const first = NOW.getTime() - 60 * 24 * HOUR_MS;
    const hours = Array.from({ length: (60 + 9) * 24 }, (_, index) => new Date(first + index * HOUR_MS));
    const rows = hours.map((start) => `${start.toISOString()},${PRICE_EUR_MWH}`);
    await writeFile(prices, ["start_utc,eur_per_mwh", ...rows].join("\n"));
    const { settings } = parse(
      stringify({
        data_dir: join(folder, "data"),
        http: { host: "127.0.0.1", port: 0 },
        clock: { start: NOW.toISOString(), speed: 0 },
        owner: { key: KEY, password: PASSWORD },
        market: { sources: [{ type: "file", path: prices }] },
        weather: { sources: [] },
        mqtt: { broker: { enabled: false } },
        node_red: { enabled: false },
        plants: [
          {
            id: "home",
            tariff: tariffOfPresets({ area: "niederoesterreich", supplier: "pullstrom_ora" }),
            battery: {},
          },
        ],
      }),
    );
    gateway = createGateway(settings, { log: silentLog, sampledLoads: 2 });
    await gateway.start();
    url = `http://127.0.0.1:${gateway.ports.http}`;
  });

  afterAll(async () => {
    await gateway.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const request = async (path: string, init: RequestInit = {}) => {
    const headers = { "X-API-Key": KEY, "Content-Type": "application/json", ...init.headers };
    const response = await fetch(`${url}${path}`, { redirect: "manual", ...init, headers });
    return response;
  };

  /** Net: 10 ct market price, 1.3333 supplier, 8.79 grid, 0.384 loss, 0.62 Förderbeitrag; 20 % VAT on all. */
  const importCt = (taxCt: number) => 1.2 * (10 + 1.3333 + 8.79 + 0.384 + 0.62 + taxCt);
  /** Every hour has the levy of its local date, and both are there. */
  const check = (hours: readonly { date: string; ct: number }[]) => {
    expect(hours.length).toBeGreaterThan(160);
    expect(new Set(hours.map(({ date }) => date.slice(0, 4)))).toEqual(new Set(["2026", "2027"]));
    for (const { date, ct } of hours) {
      expect(ct, date).toBeCloseTo(importCt(date < "2027" ? 0.1 : 1.5), 2);
    }
  };

  it("has 0.1 ct up to New Year and 1.5 ct after it, in local time, in forecast, plan and dashboard", async () => {
    const forecast = await eventually(async () => {
      const { prices } = (await (await request("/v1/forecast")).json()) as { prices: Priced[] };
      expect(prices).toHaveLength(168);
      return prices;
    });
    check(forecast.map(({ start, total_ct_kwh }) => ({ date: start, ct: total_ct_kwh })));

    const at = NOW.toISOString();
    await request("/v1/plant/telemetry", {
      method: "POST",
      body: JSON.stringify({ soc_pct: 50, timestamp: at }),
    });
    const plan = await eventually(async () => {
      const answer = await request("/v1/decision/hours-demand", { method: "POST", body: "{}" });
      expect(answer.status).toBe(200);
      return (await answer.json()) as { day_plan: { hours: Priced[] }[] };
    });
    check(
      plan.day_plan
        .flatMap((day) => day.hours)
        .map(({ start, total_ct_kwh }) => ({ date: start, ct: total_ct_kwh })),
    );

    const browser = new Browser(url, {});
    await browser.get("/login");
    await browser.post("/login", { email: "owner@localhost", password: PASSWORD });
    const page = await browser.get("/portal/data?site=home&hours=168");
    const { parts } = JSON.parse(page.text) as { parts: { plot: string } };
    // Each hour of the chart has its values as a title, in the order of time.
    const shown = [...parts.plot.matchAll(/ · ([\d.,]+) ct\/kWh/g)].map(([, ct = ""]) =>
      Number(ct.replace(",", ".")),
    );
    expect(shown.length).toBeGreaterThan(160);
    expect([...new Set(shown)]).toEqual([0.1, 1.5].map((taxCt) => Number(importCt(taxCt).toFixed(1))));
  });
});
