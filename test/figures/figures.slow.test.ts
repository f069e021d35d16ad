import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { billDocument } from "../../src/api/documents/bill.js";
import { rowOf } from "../../src/api/documents/history.js";
import { hoursDemandDocument } from "../../src/api/documents/hours-demand.js";
import { savingsDocument } from "../../src/api/documents/savings.js";
import { savingsPageDocument } from "../../src/api/documents/savings-page.js";
import type { Site } from "../../src/config/site.js";
import { SiteRuntimes } from "../../src/config/site-runtimes.js";
import { createBus } from "../../src/core/bus.js";
import type { EnergyStep } from "../../src/core/domain/interval.js";
import type { LiveState, Reading } from "../../src/core/domain/sample.js";
import { silentLog } from "../../src/core/log.js";
import { PriceSeries } from "../../src/forecast/market/price-series.js";
import { monthlyReport } from "../../src/messages/notifications/monthly-report.js";
import { BillService } from "../../src/money/bill/bill-service.js";
import { Ledger } from "../../src/money/ledger/ledger.js";
import { LedgerService } from "../../src/money/ledger/service.js";
import { assemble } from "../../src/plan/assemble.js";
import { planSite } from "../../src/plan/plan-site.js";
import { compileTariff } from "../../src/tariff/compile-tariff.js";
import { DailyHistory } from "../../src/telemetry/daily-history.js";
import { powerBalance } from "../../src/telemetry/energy-balance.js";
import { assemblyInput } from "../plan/assembly-input.js";
import { temporaryStore } from "../store/support/folder.js";
import { manualClock } from "../support/manual-clock.js";
import {
  DAYS,
  type HomeKind,
  importCt,
  QUARTER_MS,
  type SeededHome,
  START_MS,
  seededHome,
  spotCt,
  worthCt,
} from "./seeded-home.js";
import { Surfaces, written } from "./surfaces.js";

const HOMES: HomeKind[] = [
  { seed: 0, pv: true, battery: true, car: true, boiler: true, measured: "inverter" },
  { seed: 1, pv: true, battery: true, car: true, boiler: true, measured: "evcc" },
  { seed: 2, pv: true, battery: true, car: true, boiler: false, measured: "grid" },
  { seed: 3, pv: false, battery: true, car: true, boiler: false, measured: "inverter" },
  { seed: 4, pv: false, battery: true, car: false, boiler: "unmetered", measured: "inverter" },
  { seed: 5, pv: true, battery: false, car: true, boiler: true, measured: "inverter" },
  { seed: 6, pv: true, battery: true, car: false, boiler: false, measured: "grid" },
  { seed: 7, pv: false, battery: false, car: true, boiler: false, measured: "meter" },
  { seed: 8, pv: false, battery: true, car: true, boiler: true, measured: "evcc" },
  { seed: 9, pv: false, battery: false, car: false, boiler: false, measured: "meter" },
];
const END_MS = START_MS + DAYS * 96 * QUARTER_MS;
const [FIRST, LAST] = ["2026-05-04", "2026-05-06"];
const series = PriceSeries.of(
  Array.from({ length: (DAYS + 1) * 24 }, (_, hour) => ({
    start: new Date(START_MS + hour * 4 * QUARTER_MS),
    minutes: 60 as const,
    eurPerMwh: spotCt(hour * 4) * 10,
  })),
);
const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0);
const cents = (eur: number) => Math.round(eur * 100) / 100;

describe.each(HOMES)("home $seed ($measured, PV $pv, battery $battery, car $car, boiler $boiler)", (kind) => {
  let home: SeededHome;
  let site: Site;
  beforeAll(() => {
    home = seededHome(kind);
    site = { id: home.plant.id, accountId: "owner", plant: home.plant };
  });

  it("has the same cost and saving on every surface, and those of the simulator", async () => {
    const { store } = await temporaryStore();
    await store.samples.append(site.id, home.samples);
    const clock = manualClock(new Date(END_MS + 2 * 4 * QUARTER_MS));
    const bus = createBus();
    const ledger = new Ledger({
      ...store,
      clock,
      series: () => series,
      assumed: (_site, slot, from, to) =>
        slot === 2 ? home.commanded.filter(({ start, end }) => end > from && start < to) : [],
    });
    const sites = new SiteRuntimes(bus, [site]);
    const service = new LedgerService({ bus, clock, sites, ledger, log: silentLog });
    onTestFinished(() => service.stop());
    await service.start();
    await service.settled();

    const days = await ledger.days(site, FIRST, LAST);
    const api = savingsDocument(days);
    days.forEach((day, index) => {
      const truth = home.days[index]!;
      expect(day.complete).toBe(true);
      expect(cents(day.costEur!)).toBe(cents(truth.costEur));
      expect(cents(day.noBatteryEur!)).toBe(cents(truth.noBatteryEur));
    });
    const now = service.now(site.id)!;
    const page = savingsPageDocument({ site: site.id, month: "2026-05", days, records: [], now });
    const saved = api.total.saved_eur;
    expect([page.now!.week_eur, page.now!.month_eur, page.now!.total_eur, page.total.saved_eur]).toEqual([
      saved,
      saved,
      saved,
      saved,
    ]);
    expect(
      rowOf(
        "",
        days.map((figures) => ({ figures, quarters: undefined })),
      ).amounts!.savedEur ?? null,
    ).toBe(now.monthEur);
    const bills = new BillService({ ...store, clock, sites, series: () => series });
    const mail = await monthlyReport({ ledger, bills }, site, "2026-05");
    expect(mail!.savedEur).toBe(now.monthEur);
    // The same on pages and topics, to the last digit shown, and as the simulator has it.
    const surfaces = new Surfaces(site, clock.now());
    const table = surfaces.savingsPage(page);
    const periods = days.map((figures) => ({ figures, quarters: undefined }));
    const history = surfaces.historyPage(
      periods,
      periods.map((one) => rowOf(one.figures.date, [one])),
    );
    for (const [index, truth] of home.days.entries()) {
      const row = (text: string) => text.split(`${4 + index}.5.`)[1]!.split(/ [A-Z][a-z]\., |Summe/)[0]!;
      const amounts = (text: string) => row(text).match(/(?<= )(?:−?\d+,\d\d|–)(?= |$)/g) ?? [];
      expect(amounts(table)[0]).toBe(written(truth.costEur));
      expect(amounts(table)[2]).toBe(written(truth.noBatteryEur));
      expect(amounts(table).at(-1)).toBe(amounts(history).at(-1));
    }
    const total = written(home.days.reduce((all, { costEur }) => all + costEur, 0));
    expect(table.slice(table.indexOf("Summe"))).toContain(total);
    expect(history.slice(history.indexOf("Summe"))).toContain(total);
    const topics = surfaces.topics({ savings: now });
    expect(topics.get("savings/month_eur")).toBe(saved === null ? "" : String(saved));
    expect(topics.get("savings/today_eur")).toBe(now.todayEur === null ? "" : String(now.todayEur));
    const shown = surfaces.overview({ savings: now }).saved;
    if (!kind.battery && !kind.car && !kind.boiler) {
      expect(saved).toBeNull();
      expect(shown).toContain("Zum Sparen braucht es eine Batterie");
      return;
    }
    expect(shown.toLowerCase()).toMatch(/diese woche .*gespart|gespart .*diese woche/);
    expect(shown).toContain(`${written(now.weekEur!)} €`);
    expect(table.slice(table.indexOf("Summe"))).toContain(written(saved!));
    const truly =
      sum(home.days.map((day) => day.uncontrolledEur - day.costEur)) +
      (kind.battery ? ((home.endKwh - home.twinEndKwh) * worthCt()) / 100 : 0);
    expect(cents(saved!)).toBe(cents(truly));
    expect(saved!).toBeCloseTo(api.total.uncontrolled_eur! - api.total.cost_eur!, 3);
    for (const day of days)
      expect(day.perfectEur!).toBeLessThanOrEqual(Math.min(day.costEur!, day.uncontrolledEur!));
  });

  it("is billed what a person adds up, until now", async () => {
    const { store } = await temporaryStore();
    await store.samples.append(site.id, home.samples);
    const clock = manualClock(new Date(END_MS));
    const bills = new BillService({ ...store, clock, sites: { list: () => [site] }, series: () => series });
    const bill = billDocument(await bills.month({ month: "2026-05", roundLines: true }));
    expect(bill).toMatchObject({
      until: new Date(END_MS).toISOString().replace(".000Z", "Z"),
      complete: false,
    });
    // The last quarter-hour of the first days of May, before the home was measured.
    expect(bill.missing_hours).toBe(3 * 24);
    const lines = bill.lines.filter(({ part }) => part !== "feed_in");
    const net = cents(sum(lines.map(({ net_eur }) => net_eur)));
    expect(lines.every(({ net_eur }) => cents(net_eur) === net_eur)).toBe(true);
    expect(bill.net_eur).toBe(net);
    expect(bill.gross_eur).toBe(cents(net + cents(net * 0.2)));
    expect(bill.total_eur).toBe(cents(bill.gross_eur - bill.feed_in_eur));
    const energy = sum(
      home.quarters.map(({ gridKw }, t) => (Math.max(0, gridKw) / 4) * (spotCt(t % 96) / 100)),
    );
    expect(lines.find(({ part }) => part === "energy")!.net_eur).toBe(cents(energy));
    // What a person adds up on the page is its total.
    const shown = new Surfaces(site, clock.now()).billPage(bill);
    const page = [...shown.matchAll(/(?:ct|€) (−?[\d\u00a0]+,\d\d)(?= |$)/g)].map(([, amount]) =>
      Number(
        amount!
          .replace("−", "-")
          .replace(/\u00a0/g, "")
          .replace(",", "."),
      ),
    );
    expect(page.length, shown).toBeGreaterThanOrEqual(lines.length);
    expect(shown).toContain(`${written(energy)}`);
    expect(shown).toContain(`${written(net)}`);
    expect(shown).toContain(`${written(Math.abs(bill.total_eur))} €`);
  });

  it("has the powers and the household of the simulator", async () => {
    // What nothing measures is part of the household.
    const notApart = ({ boilerKw }: { boilerKw: number }) => (kind.boiler === "unmetered" ? boilerKw : 0);
    if (kind.measured !== "meter") {
      home.quarters.forEach((truth, t) => {
        const { values } = home.samples[t]!;
        const { gridKw, loadKw, householdKw, gapKw } = powerBalance(site.plant, (reading) => values[reading]);
        expect(gridKw).toBeCloseTo(truth.gridKw, 6);
        expect(loadKw).toBeCloseTo(truth.householdKw + truth.carKw + truth.boilerKw, 6);
        expect(householdKw).toBeCloseTo(truth.householdKw + notApart(truth), 6);
        expect(gapKw).toBeUndefined();
      });
      // Noon of the second day, as the picture of the overview has it.
      const noon = 96 + 48;
      const truth = home.quarters[noon]!;
      const at = home.samples[noon]!.at;
      const live: LiveState = {};
      for (const [name, value] of Object.entries(home.samples[noon]!.values))
        live[name as Reading] = { value: value!, at };
      const { flow } = new Surfaces(site, at).overview({ live });
      const kw = (value: number) => `${written(Math.abs(value))} kW`;
      if (kind.pv) expect(flow).toContain(`Sonne ${kw(truth.pvKw)}`);
      if (kind.battery) expect(flow).toContain(`Batterie ${kw(truth.batteryKw)}`);
      expect(flow).toContain(`Haus ${kw(truth.householdKw + truth.carKw + truth.boilerKw)}`);
      expect(flow).toContain(`Netz ${kw(truth.gridKw)}`);
    }
    const live: LiveState = {};
    for (const { at, values } of home.samples)
      for (const [name, value] of Object.entries(values)) live[name as Reading] = { value: value!, at };
    const history = new DailyHistory(
      {
        telemetry: {
          live: () => live,
          readings: async (_site, reading, from, to) =>
            home.samples.flatMap(({ at, values }) => {
              const value = values[reading];
              return value === undefined || at < from || at >= to ? [] : [{ at, value }];
            }),
        },
        meter: { quantities: () => [], energy: async () => [], spans: () => [] },
      },
      site,
    );
    const measured: EnergyStep[] = await history.measured({
      start: new Date(START_MS),
      end: new Date(END_MS),
    });
    const known = measured.filter(({ end, start }) => end.getTime() - start.getTime() === QUARTER_MS);
    expect(known.length).toBeGreaterThan(DAYS * 96 - 4);
    for (const { start, kwh } of known) {
      const truth = home.quarters[Math.round((start.getTime() - START_MS) / QUARTER_MS)]!;
      expect(kwh).toBeCloseTo((truth.householdKw + notApart(truth)) / 4, 5);
    }
  });

  it.runIf(kind.battery)("expects the sum of its days, with every kWh at its price", () => {
    const hours = Array.from({ length: 36 }, (_, hour) => {
      const p50 = spotCt(hour * 4) * 10;
      const start = new Date(START_MS + hour * 4 * QUARTER_MS);
      return { start, p10: p50, p50, p90: p50, source: "day_ahead" as const };
    });
    const carKwh = (index: number) => (kind.car && index >= 1 && index < 3 ? 3.7 : 0);
    const input = assemble(
      assemblyInput({
        now: new Date(START_MS),
        plant: site.plant,
        hours,
        tariff: compileTariff(site.plant.tariff!, site.plant.timezone),
        flex: {
          loadKwh: (steps) => steps.map((_, index) => carKwh(index)),
          wallboxes: (steps) =>
            steps.map((_, index) => ({ hours: carKwh(index) > 0 ? 1 : 0, fromBatteryKwh: 0 })),
          batterySharePct: 0,
        },
      }),
      {},
    );
    const plan = planSite(input, { samples: 20 });
    const {
      expectation,
      day_plan: planned,
      savings_eur: savings,
    } = hoursDemandDocument(plan, {
      zone: "Europe/Vienna",
      baseUrl: "http://home",
      language: "en",
    }) as unknown as {
      expectation: { cost_eur: number; cost_p10_eur: number; cost_p90_eur: number; saving_eur: number };
      day_plan: { cost_eur: number; baseline_cost_eur: number; hours: Record<string, number>[] }[];
      savings_eur: number;
    };
    expect(expectation.cost_eur).toBeCloseTo(sum(planned.map(({ cost_eur }) => cost_eur)), 3);
    const baseline = sum(planned.map(({ baseline_cost_eur }) => baseline_cost_eur));
    expect(savings).toBeCloseTo(baseline - expectation.cost_eur, 3);
    expect(expectation.saving_eur).toBe(savings);
    expect(expectation.cost_p10_eur).toBeLessThanOrEqual(expectation.cost_eur);
    expect(expectation.cost_p90_eur).toBeGreaterThanOrEqual(expectation.cost_eur);
    const hoursOf = planned.flatMap((day) => day.hours);
    const eur = sum(
      hoursOf.map((hour, index) => {
        expect(hour.total_ct_kwh).toBeCloseTo(importCt((index % 24) * 4), 4);
        return (hour.import_kwh! * hour.total_ct_kwh! - hour.export_kwh! * (hour.price_ct_kwh! - 1)) / 100;
      }),
    );
    expect(cents(eur)).toBe(cents(expectation.cost_eur));
    // Overview, topics and API say the same about cost, saving and the price now.
    const surfaces = new Surfaces(site, plan.issuedAt);
    const page = surfaces.overview({ plan });
    expect(page.summary).toContain(`${written(savings)} € in den nächsten 7 Tagen`);
    expect(page.summary).toContain(`Erwartete Kosten ${written(expectation.cost_eur)} €`);
    expect(page.summary).toContain(`${written(importCt(0))} ct/kWh`);
    const topics = surfaces.topics({ plan });
    expect(Number(topics.get("price/now_ct_kwh") ?? Number.NaN)).toBeCloseTo(importCt(0), 4);
    expect(JSON.parse(topics.get("plan")!)).toMatchObject({
      savings_eur: savings,
      expectation: { cost_eur: expectation.cost_eur, saving_eur: savings },
    });
    // The car is part of what is expected.
    if (kind.car) expect(hoursOf[1]!.import_kwh!).toBeGreaterThanOrEqual(3.7 - 1e-3);
  });
});
