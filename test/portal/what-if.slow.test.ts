import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DAY_MS, HOUR_MS, QUARTER_MS } from "../../src/core/domain/interval.js";
import type { Sample } from "../../src/core/domain/sample.js";
import { dayInterval } from "../../src/core/time/zone.js";
import { PriceSeries } from "../../src/forecast/market/price-series.js";
import { compareAll, type compareInThreads } from "../../src/money/compare/parallel.js";
import type { WhatIfRequest } from "../../src/money/compare/what-if-answers.js";
import type { Browser } from "./form-browser.js";
import { type OpenPortal, openPortal } from "./harness.js";

const ZONE = "Europe/Vienna";
/** The clock of the portal says 15 January. */
const FIRST = "2026-01-07";
const LAST = "2026-01-14";
const START_MS = dayInterval(FIRST, ZONE).start.getTime();

/** 1 kW load, of which a wallbox has 0.5; the battery charges 8 kWh in the first two hours of a day and serves the next eight. */
function readings(): Sample[] {
  let importKwh = 1000;
  let socPct = 0;
  return Array.from({ length: 8 * 96 + 1 }, (_, t) => {
    const quarter = t % 96;
    const batteryKw = quarter < 8 ? 4 : quarter < 40 ? -1 : 0;
    const values = {
      import_kwh: importKwh,
      soc_pct: socPct,
      battery_power_kw: batteryKw,
      slot_1_power_kw: 0.5,
    };
    importKwh += (1 + batteryKw) / 4;
    socPct += (batteryKw / 4) * 10;
    return { at: new Date(START_MS + t * QUARTER_MS), values };
  });
}

const textOf = (html: string) => html.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");

describe("the page What if", () => {
  let portal: OpenPortal;
  let anna: Browser;
  let siteId: string;
  let prices: PriceSeries;
  /** What a question waits for. */
  let gate = Promise.resolve();
  let open = () => {};
  const shut = () => {
    gate = new Promise((resolve) => {
      open = resolve;
    });
  };
  /** In this thread: starting one takes seconds. */
  const compare: typeof compareInThreads = async (data, cases, { onProgress, signal }) => {
    onProgress(0.25);
    await gate;
    signal?.throwIfAborted();
    return compareAll(data, cases, onProgress);
  };
  beforeAll(async () => {
    portal = await openPortal({ compare });
    await portal.addAccount("anna@example.org");
    anna = await portal.signedIn("anna@example.org");
    siteId = portal.sites.of("account-anna@example.org")[0]!.id;
    const battery = { capacity_kwh: 10, min_soc_pct: 0, efficiency_pct: 100, max_charge_power_kw: 5 };
    const slots = [{ slot: 1, kind: "wallbox" as const, label: "Wallbox" }];
    const tariff = [{ energy: { type: "spot" as const }, energy_base_fee: { eur_month: 3 }, vat_pct: 20 }];
    await portal.sites.change(siteId, { plant: { battery, slots, tariff, timezone: ZONE } });
    const hours = Array.from({ length: (8 * DAY_MS) / HOUR_MS }, (_, hour) => ({
      start: new Date(START_MS + hour * HOUR_MS),
      minutes: 60 as const,
      eurPerMwh: hour % 24 < 2 ? 100 : 400,
    }));
    await portal.store.prices.save(hours);
    prices = PriceSeries.of(hours);
    portal.setPrices(prices);
    await portal.store.samples.append(siteId, readings());
    await portal.ledger.days(portal.sites.get(siteId)!, FIRST, LAST);
  });
  afterAll(() => {
    open();
    return portal.close();
  });

  const ask = async (request: WhatIfRequest) => {
    expect(portal.whatIf.begin(portal.sites.get(siteId)!, request)).toBe("started");
    await portal.whatIf.settled();
    return (await portal.whatIf.results(siteId)).at(-1)!;
  };

  it("gives the amount of the page Savings where nothing is changed", async () => {
    const savings = JSON.parse((await anna.get("/portal/savings?month=2026-01")).text);
    expect(savings.days.filter(({ complete }: { complete: boolean }) => complete)).toHaveLength(8);
    const same = await ask({ period: "2026-01", change: {} });
    expect(same).toMatchObject({ from: FIRST, to: LAST, basis: "measured", cost: "billed", savedEur: 0 });
    expect(same.costEur).toBeCloseTo(savings.total.cost_eur, 2);
    expect(same.changedEur).toBe(same.costEur);
  });

  it("asks with a form, shows the progress without scripts, and keeps answers until they are removed", async () => {
    expect(textOf((await anna.get("/what-if")).text)).toContain("Now 10.0 kWh.");
    const refused = await anna.post("/what-if", { period: "2026-01", battery_kwh: "much" });
    expect([refused.status, textOf(refused.text)]).toEqual([422, expect.stringContaining("at most 1,000")]);
    expect((await anna.post("/what-if", { period: "2026-01" })).text).toContain("Change at least one value.");
    expect((await anna.post("/what-if", { period: "2024-05", battery_kwh: "20" })).status).toBe(422);

    shut();
    expect((await anna.post("/what-if", { period: "2026-01", battery_kwh: "20" })).status).toBe(303);
    const running = (await anna.get("/what-if")).text;
    expect(running).toContain('<meta http-equiv="refresh"');
    expect(textOf(running)).toMatch(/Battery of 20 kWh In progress: (0|25) %/);
    expect((await anna.post("/what-if", { battery_kwh: "5" })).text).toContain(
      "Another calculation is in progress.",
    );
    open();
    await portal.whatIf.settled();
    const done = (await anna.get("/what-if")).text;
    expect(done).not.toContain("http-equiv");
    expect(textOf(done)).toMatch(/Battery of 20 kWh \d+\.\d\d € less \d+\.\d\d € instead of \d+\.\d\d €/);
    const german = textOf((await anna.get("/what-if?lang=de")).text);
    expect(german).toMatch(/Batterie mit 20 kWh \d+,\d\d € weniger/);
    await anna.get("/what-if?lang=en");

    const kept = await portal.whatIf.results(siteId);
    expect(kept).toHaveLength(2);
    await Promise.all(kept.map(({ id }) => anna.post("/what-if/remove", { id })));
    expect(await portal.whatIf.results(siteId)).toEqual([]);
  });

  it("compares suppliers with the own tariff, cheapest first, where earlier versions had a page of its own", async () => {
    expect((await anna.get("/compare")).location).toBe("/what-if?ask=tariffs");
    const former = await anna.get(`/compare?site=${siteId}&area=wien`);
    expect(former.location).toBe(`/what-if?ask=tariffs&site=${siteId}&area=wien`);
    expect((await anna.get(former.location!)).text).toContain('<option value="wien" selected>');
    const page = (await anna.get("/what-if?ask=tariffs")).text;
    expect(textOf(page)).toContain("Compare several suppliers");
    expect(page.match(/name="tariff" value="[^"]+" checked/g)!.length).toBeGreaterThan(3);
    const of = { period: "2026-01", tariff: "spotty_smart_active" };
    // The grid area of this tariff is not known.
    expect(textOf((await anna.post("/what-if", of)).text)).toContain("Choose a grid area from the list.");
    const request = {
      period: "2026",
      change: {},
      tariffs: ["awattar_hourly"],
      area: "wien",
    };
    const { rows, costEur, changedEur, savedEur } = await ask(request);
    expect(rows!.map(({ name }) => name)).toEqual(["current", "awattar_hourly"]);
    const [own, ...others] = rows!.map(({ cost }) => cost.hourgateEur!);
    expect(savedEur).toBeCloseTo(own! - Math.min(own!, ...others), 6);
    expect(costEur! - changedEur).toBeCloseTo(savedEur!, 6);
    const shown = textOf((await anna.get("/what-if")).text);
    expect(shown).toMatch(
      /Tariff Without control With hourgate Perfect foresight Without battery Your tariff Cheapest/,
    );
    const kept = await portal.whatIf.results(siteId);
    await Promise.all(kept.map(({ id }) => anna.post("/what-if/remove", { id })));
  });

  it("compares suppliers only with each other while the site has no tariff", async () => {
    const { tariff } = portal.sites.get(siteId)!.plant;
    await portal.sites.change(siteId, { plant: { tariff: null } });
    const form = { period: "2026-01", tariff: "awattar_hourly", area: "wien" };
    expect((await anna.post("/what-if", form)).status).toBe(303);
    await portal.whatIf.settled();
    const [{ id, rows, ...amounts } = { id: "", rows: [] }] = await portal.whatIf.results(siteId);
    expect(rows!.map(({ name }) => name)).toEqual(["awattar_hourly"]);
    expect(amounts).toMatchObject({ cost: "no_tariff", costEur: null, savedEur: null });
    const shown = textOf((await anna.get("/what-if")).text);
    expect(shown).toMatch(/Suppliers compared Costs of the period in € Tariff .* Cheapest/);
    expect(shown).not.toMatch(/Your tariff|€ (more|less)/);
    await anna.post("/what-if/remove", { id });
    await portal.sites.change(siteId, { plant: { tariff } });
  });

  it("offers only periods with a week of prices that are over", async () => {
    const offered = async () => (await anna.get("/what-if")).text.match(/(?<=<option value=")\d{4}(-\d\d)?/g);
    expect(await offered()).toEqual(["2026"]);
    const series = PriceSeries.of(
      Array.from({ length: (20 * DAY_MS) / HOUR_MS }, (_, hour) => ({
        start: new Date(START_MS - 22 * DAY_MS + hour * HOUR_MS),
        minutes: 60 as const,
        eurPerMwh: 50,
      })),
    );
    // From 16 December to 4 January.
    portal.setPrices(series);
    expect(await offered()).toEqual(["2025-12", "2025"]);
    portal.setPrices(prices);
  });

  it("is cancelled, and limited for one account", async () => {
    await anna.get("/what-if");
    shut();
    expect((await anna.post("/what-if", { period: "2026-01", pv_kwp_more: "5" })).status).toBe(303);
    await anna.post("/what-if/cancel", {});
    open();
    await portal.whatIf.settled();
    expect(portal.whatIf.current(siteId)).toEqual({ status: "idle" });
    expect(await portal.whatIf.results(siteId)).toEqual([]);
    const site = portal.sites.get(siteId)!;
    const begun: string[] = [];
    for (let count = 0; count < 20; count++) {
      begun.push(portal.whatIf.begin(site, { period: "2026-01", change: {} }));
      portal.whatIf.cancel(siteId);
      await portal.whatIf.settled();
    }
    expect(new Set(begun)).toEqual(new Set(["started", "too_many"]));
    expect(portal.lines.filter((line) => line.includes("question"))).toEqual([]);
  });

  it("waits for that of another account, and both are answered", async () => {
    portal.wall.nowMs += 2 * HOUR_MS;
    await portal.addAccount("cleo@example.org");
    const own = portal.sites.get(siteId)!;
    const other = portal.sites.of("account-cleo@example.org")[0]!;
    const request = { period: "2026-01", change: { pvKwpMore: 5 } };
    shut();
    expect(portal.whatIf.begin(own, request)).toBe("started");
    expect(portal.whatIf.begin(own, request)).toBe("busy");
    expect(portal.whatIf.begin(other, request)).toBe("started");
    expect(portal.whatIf.current(other.id)).toMatchObject({ status: "running", progress: 0 });
    // One that is taken back while it waits is not computed.
    portal.whatIf.cancel(other.id);
    expect(portal.whatIf.begin(other, request)).toBe("started");
    open();
    await portal.whatIf.settled();
    expect([own, other].map(({ id }) => portal.whatIf.current(id).status)).toEqual(["idle", "idle"]);
    expect(await portal.whatIf.results(other.id)).toHaveLength(1);
    for (const { id } of await portal.whatIf.results(siteId)) await portal.whatIf.remove(siteId, id);
  });

  it("answers for a usual household where the past was not measured", async () => {
    portal.wall.nowMs += 2 * HOUR_MS;
    const other = await portal.addAccount("ben@example.org");
    const site = portal.sites.of(`account-ben@example.org`)[0]!;
    expect(other).toBeDefined();
    const energy = { type: "fixed" as const, ct_kwh: 20 };
    await portal.sites.change(site.id, { plant: { timezone: ZONE, tariff: [{ energy }] } });
    const request = { period: "2026-01", annualKwh: 3650, change: { heatPumpKwhYear: 4000 } };
    portal.whatIf.begin(portal.sites.get(site.id)!, request);
    await portal.whatIf.settled();
    const [answer] = await portal.whatIf.results(site.id);
    expect(answer).toMatchObject({
      from: "2026-01-01",
      to: "2026-01-14",
      basis: "standard",
      cost: "computed",
    });
    // A fixed price needs no market prices. 14 days of 10 kWh, more or less by the days of the week; the heat pump 4000 kWh x (0.8 x 170 ‰ / 31 + 0.2 / 365).
    expect(answer!.costEur).toBeGreaterThan(14 * 10 * 0.2 * 0.95);
    expect(answer!.costEur).toBeLessThan(14 * 10 * 0.2 * 1.05);
    expect(answer!.changedEur - answer!.costEur!).toBeCloseTo(
      14 * 4000 * ((0.8 * 0.17) / 31 + 0.2 / 365) * 0.2,
      1,
    );
  });

  it("forgets answers 31 days later, and those of other settings", async () => {
    const site = portal.sites.of("account-ben@example.org")[0]!;
    const answerOf = async () => {
      portal.whatIf.begin(portal.sites.get(site.id)!, {
        period: "2026-01",
        change: { heatPumpKwhYear: 4000 },
      });
      await portal.whatIf.settled();
      return portal.whatIf.results(site.id);
    };
    expect(await answerOf()).not.toEqual([]);
    await portal.sites.change(site.id, { plant: { load: { daily_kwh: 12 } } });
    expect(await portal.whatIf.results(site.id)).toEqual([]);
    expect(await answerOf()).toHaveLength(1);
    await portal.clock.advance(31 * DAY_MS - HOUR_MS);
    expect(await portal.whatIf.results(site.id)).toHaveLength(1);
    await portal.clock.advance(HOUR_MS);
    expect(await portal.whatIf.results(site.id)).toEqual([]);
  });
});
