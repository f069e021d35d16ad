import { h } from "preact";
import { render } from "preact-render-to-string";
import { describe, expect, it } from "vitest";
import { PriceSeries } from "../../src/forecast/market/price-series.js";
import type { SavingsNow } from "../../src/money/ledger/savings-view.js";
import type { BatteryOverride } from "../../src/plan/battery-override.js";
import type { Action, StepReason } from "../../src/plan/explain.js";
import type { SitePlan } from "../../src/plan/site-plan.js";
import type { FlexResult } from "../../src/plan/windows/result.js";
import { chartPeriods, chartRuns } from "../../src/portal/dashboard/chart-periods.js";
import { flowOf } from "../../src/portal/dashboard/energy-flow.js";
import { dashboardParts } from "../../src/portal/dashboard/page.js";
import type { DashboardView } from "../../src/portal/dashboard/view.js";
import { formatOf } from "../../src/texts/format.js";
import { samplePlan, slotSettings } from "../api/fake-services.js";
import { house, NOW, planWith, read } from "./dashboard-view.js";

const GERMAN = formatOf("de", "Europe/Vienna");
const at = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000);

/** A plan that does things hour by hour from now on. */
function planOf(hours: readonly { action: Action; reason?: StepReason; ct?: number }[]): SitePlan {
  const plan = samplePlan();
  const [day] = plan.days;
  const first = day!.hours[0]!;
  return {
    ...plan,
    days: [
      {
        ...day!,
        hours: hours.map(({ action, reason, ct = 20 }, index) => ({
          ...first,
          start: new Date(NOW.getTime() + index * 3_600_000),
          end: new Date(NOW.getTime() + (index + 1) * 3_600_000),
          action,
          reason: reason ?? { code: "nothing_to_do", figures: {} },
          totalCtKwh: ct,
        })),
      },
    ],
  };
}

describe("what was saved", () => {
  const savings = (todayEur: number | null, weekEur: number | null) => ({
    savings: {
      date: "2026-01-15",
      today: { kwh: {} } as never,
      todayEur,
      weekEur,
      monthEur: null,
      totalEur: null,
    },
  });

  it("begins with today, and with the week on a day without a gain", () => {
    expect(read("saved", house(savings(0.84, 5.1)))).toBe("Heute 0,84 € gespart · diese Woche 5,10 €");
    expect(read("saved", house(savings(0.84, 5.1)), "en")).toBe("Today 0.84 € saved · this week 5.10 €");
    expect(read("saved", house(savings(-0.12, 5.1)))).toBe("Diese Woche 5,10 € gespart · heute −0,12 €");
    expect(read("saved", house(savings(null, 5.1)))).toBe("Diese Woche 5,10 € gespart");
    expect(read("saved", house(savings(0.84, null)))).toBe("Heute 0,84 € gespart");
  });

  it("says that nothing is measured, with what the plan expects", () => {
    expect(read("saved", house(savings(null, null)))).toBe(
      "Noch nichts gemessen. Nach Plan werden diese Woche 0,40 € gespart.",
    );
    expect(read("saved", house({ plan: undefined, live: {} }))).toMatch(/^Noch nichts gemessen: Was gespart/);
    const live = { load_power_kw: { value: 0.8, at: at(1) } };
    expect(read("saved", house({ plan: undefined, live }))).toMatch(/^Was gespart wird, steht hier nach/);
    expect(read("saved", house({ ...savings(null, null), live }))).toBe(
      "Für einen Betrag ist noch zu wenig gemessen. Nach Plan werden diese Woche 0,40 € gespart.",
    );
  });
});

describe("the energy flow", () => {
  const own = house().site;
  const site = {
    ...own,
    plant: {
      ...own.plant,
      pv: [{ kwp: 5 }] as unknown as typeof own.plant.pv,
      slots: [
        slotSettings({ slot: 1, label: "Wallbox", kind: "wallbox" }),
        slotSettings({ slot: 2, label: "Boiler", kind: "boiler" }),
      ],
    },
  };
  const kwh = { import: 10.8, export: 0, pv: 26.2, load: 16.7, charge: 7.2, discharge: 6.1 };
  const shown: Partial<DashboardView> = {
    site,
    live: {
      pv_power_kw: { value: 2.1, at: at(0) },
      load_power_kw: { value: 0.8, at: at(1) },
      battery_power_kw: { value: -0.5, at: at(0) },
      slot_1_power_kw: { value: 0.3, at: at(0) },
      soc_pct: { value: 98, at: at(0) },
    },
    savings: { date: "2026-01-15", today: { kwh }, todayEur: 1, weekEur: 1 } as never,
    energy: [
      {
        start: new Date("2026-01-14T23:00:00Z"),
        quarters: { importKwh: [1], importCtKwh: [20], exportCtKwh: [5], slots: { 1: [10.8] } } as never,
      },
    ],
  };

  it("has name, power and today's energy of each node, the plan of a device without a reading", () => {
    const { nodes } = flowOf(house(shown), GERMAN);
    expect(nodes.map(({ name, value, note }) => `${name} ${value} ${note}`)).toEqual([
      "Sonne 2,10 kW 26,2 kWh",
      "Netz 1,80 kW ↓10,8 kWh",
      "Haus 0,80 kW 16,7 kWh",
      "Batterie 0,50 kW +7,2 −6,1 kWh",
      "Wallbox 0,30 kW 10,8 kWh",
      "Boiler – nichts geplant",
    ]);
    // Towards the house is positive: the sun gives, the grid takes, the battery gives, the car takes.
    expect(nodes.map(({ inKw }) => inKw)).toEqual([2.1, -1.8, 0, 0.5, -0.3, 0]);
    expect(nodes.map(({ state }) => state)).toEqual([
      "erzeugt",
      "Einspeisung",
      "verbraucht",
      "entlädt",
      "läuft",
      "nicht gemessen",
    ]);
    expect(nodes[0]!.href).toBe("/history?site=home&period=day&date=2026-01-15");
    expect(nodes[4]!.href).toBe("/car?site=home&slot=1");
    const html = render(h("div", {}, dashboardParts(house(shown), "de", 24).flow));
    expect(html).toMatch(/<text class="soc"[^>]*>98 %<\/text>/);
    expect(html).toContain('class="flow-line on pv"');
  });

  it("shows old readings with their age and without a flow, and names what is not measured", () => {
    const live = { pv_power_kw: { value: 2.1, at: at(5) }, load_power_kw: { value: 0.8, at: at(1) } };
    const { nodes, missing } = flowOf(house({ ...shown, live }), GERMAN);
    expect(nodes.map(({ value, note }) => `${value} ${note}`).slice(0, 4)).toEqual([
      "2,10 kW vor 5 Minuten",
      "– ↓10,8 kWh",
      "0,80 kW 16,7 kWh",
      "– +7,2 −6,1 kWh",
    ]);
    expect(nodes[0]!.inKw).toBe(0);
    expect(missing).toEqual(["Batterie"]);
  });

  it("adds up no energy of what was not measured today", () => {
    const none = { ...kwh, import: 0, charge: 0, discharge: 0, load: 0 };
    const live = { load_power_kw: { value: 0.8, at: at(1) } };
    const savings = { date: "2026-01-15", today: { kwh: none } } as never;
    const { nodes } = flowOf(house({ ...shown, live, savings }), GERMAN);
    expect(nodes.map(({ value, note }) => `${value} ${note}`).slice(0, 4)).toEqual([
      "– 26,2 kWh",
      "– –",
      "0,80 kW 0,0 kWh",
      "– –",
    ]);
  });

  it("says what does not add up", () => {
    const live = { ...shown.live, grid_power_kw: { value: 0.5, at: at(0) } };
    // 2.1 + 0.5 + 0.5 = 3.1 kW, read are 0.8 kW.
    expect(read("flow", house({ ...shown, live }))).toContain("Batterie geben 2,30 kW mehr, als");
    expect(read("flow", house(shown))).not.toContain("passen nicht");
  });
});

describe("now and next", () => {
  const dear: StepReason = { code: "dear_import", figures: { importCtKwh: 31, valueCtKwh: 18.15 } };

  it("names the battery, the reason with a price or the sun, and the time of the next change", () => {
    const plan = planOf([{ action: "discharge", reason: dear }, { action: "pv_charge" }]);
    expect(read("headline", house({ plan }))).toMatch(
      /^Die Batterie versorgt das Haus, weil Strom jetzt 31 ct kostet\. Ab 10:20 lädt sie mit Sonne\. Details/,
    );
    expect(read("headline", house({ plan }), "en")).toMatch(
      /^The battery is supplying the home, because electricity costs 31 ct now\. From 10:20 it charges with sun\./,
    );
    const sun: StepReason = { code: "pv_surplus", figures: { exportCtKwh: 6 } };
    const later = planOf([
      { action: "pv_charge", reason: sun },
      { action: "grid_charge", ct: 9.12 },
    ]);
    expect(read("headline", house({ plan: later }))).toMatch(
      /^Die Batterie lädt mit Sonne, weil mehr Sonne da ist, als das Haus braucht\. Ab 10:20 lädt sie aus dem Netz, weil Strom dann 9,1 ct kostet\./,
    );
  });

  it("says what a stored kWh is worth, mode and expected savings only below Details", () => {
    const plan = planOf([{ action: "discharge", reason: dear }]);
    const html = render(h("div", {}, dashboardParts(house({ plan }), "de", 24).headline));
    const [before, details] = html.split("<details");
    for (const text of [
      "18,15 ct wert",
      "Eigenverbrauch",
      "0,40 € in den nächsten 7 Tagen",
      "21,37 ct/kWh",
    ]) {
      expect(before).not.toContain(text);
      expect(details).toContain(text);
    }
    const bound = { objectiveEur: 8, boundEur: 7.7, ms: 3 };
    const stored = house({ plan: { ...plan, savingsStoredEur: -0.04, solver: bound } });
    expect(read("headline", stored)).toContain("Bereits abgezogen: 0,04 € für Energie");
    expect(read("headline", stored)).toContain("höchstens 0,30 € mehr sparen");
    expect(read("headline", stored)).toContain(
      "Erwartete Kosten 3,10 €, in 8 von 10 Fällen zwischen 2,90 und 3,40 €",
    );
  });

  it("says what is measured, and without readings what the plan would do", () => {
    const plan = planOf([{ action: "discharge", reason: dear, ct: 31 }]);
    const charging = { battery_power_kw: { value: 1.2, at: at(0) }, pv_power_kw: { value: 2, at: at(0) } };
    expect(read("headline", house({ plan, live: charging }))).toMatch(
      /^Die Batterie lädt mit Sonne, weil mehr Sonne da ist/,
    );
    const silent = { ...plan, scalars: { ...plan.scalars, following: "unknown" as const, socStale: true } };
    expect(read("headline", house({ plan: silent, live: {} }))).toMatch(
      /^Noch nicht verbunden: Die Batterie würde jetzt das Haus versorgen, weil Strom jetzt 31 ct kostet\./,
    );
    expect(read("headline", house({ plan: silent }))).toMatch(/^Noch nicht verbunden/);
    // Charging that is planned, but not commanded, is not claimed.
    const held = planOf([{ action: "grid_charge" }, { action: "hold", ct: 30 }]);
    expect(read("headline", house({ plan: held }))).not.toContain("lädt aus dem Netz, weil");
    const now = { ...held, scalars: { ...held.scalars, chargeNow: 1 as const } };
    expect(read("headline", house({ plan: now }))).toMatch(
      /^Die Batterie lädt aus dem Netz, weil .* Ab 10:20 behält/,
    );
  });

  it("names the device that acts where there is no battery", () => {
    const settings = slotSettings({ slot: 2, label: "Boiler", kind: "boiler" });
    const start = new Date("2026-01-15T12:00:00Z");
    const end = new Date("2026-01-15T14:00:00Z");
    const result = {
      slots: [],
      windows: [{ start, end, averageCtKwh: 10, energyKwh: 3.5 }],
      unmetHours: 0,
    } as unknown as FlexResult;
    const slots = [{ slot: 2, settings, origin: "settings", plugged: 1, result, later: [] }] as const;
    expect(read("headline", house({ battery: null, plan: undefined, slots }))).toBe(
      "Als Nächstes läuft Boiler heute 13:00–15:00, weil Strom dann 10,0 ct kostet.",
    );
  });
});

describe("the chart", () => {
  const quarters = (from: string, count: number, eurMwh: (index: number) => number) =>
    Array.from({ length: count }, (_, index) => ({
      start: new Date(Date.parse(from) + index * 900_000),
      minutes: 15 as const,
      eurPerMwh: eurMwh(index),
      source: "day_ahead" as const,
    }));
  const published = PriceSeries.of(quarters("2026-01-14T23:00:00Z", 96, (index) => index));

  it("has a price for each settlement period, with its rank within the whole day", () => {
    const tariff = { importCtKwh: (spot: number) => spot + 10, exportCtKwh: (spot: number) => spot };
    const view = house({ plan: undefined, published, tariff, stepMinutes: 15 });
    const periods = chartPeriods(view, 24);
    // From four hours before the present one to the end of the published day.
    expect(periods[0]!.start).toEqual(new Date("2026-01-15T04:00:00Z"));
    expect(periods.at(-1)!.end).toEqual(new Date("2026-01-15T23:00:00Z"));
    expect(periods[0]).toMatchObject({ priceCtKwh: 12, level: 1, isForecast: false });
    expect(periods.at(-1)).toMatchObject({ priceCtKwh: 19.5, level: 4 });
    // A tariff that settles hours, and a week, have hours.
    const hourly = { ...tariff, settlementMinutes: () => 60 as const };
    expect(chartPeriods({ ...view, tariff: hourly }, 24)[0]).toMatchObject({ priceCtKwh: 12.15 });
    expect(chartPeriods(view, 168)[0]!.end.getTime() - chartPeriods(view, 168)[0]!.start.getTime()).toBe(
      3_600_000,
    );
  });

  it("draws bars with their unit, the state of charge, runs within the band, and what a period holds", () => {
    const past = [
      {
        name: "hold" as const,
        start: new Date("2026-01-15T06:30:00Z"),
        end: new Date("2026-01-15T07:30:00Z"),
        reason: { code: "override" as const, figures: {} },
      },
      { name: 2, start: at(60), end: at(30), reason: undefined },
    ];
    const settings = slotSettings({ slot: 2, label: "Boiler", kind: "boiler" });
    const slots = [
      { slot: 2, settings, origin: "settings", plugged: 1, result: undefined, later: [] } as const,
    ];
    const plan = planOf([
      { action: "discharge", ct: 20 },
      { action: "pv_charge", ct: 10 },
    ]);
    const view = house({ plan, past, published, slots, stepMinutes: 15 });
    const html = render(h("div", {}, dashboardParts(view, "de", 24).plot));
    expect(html).toContain(">ct/kWh<");
    expect(html).toMatch(/<path class="price cheap" d="M/);
    expect(html).toMatch(/<polyline class="soc planned" points="[\d.,]+ /);
    expect(html).toMatch(/<g class="run boiler"[^>]*><rect/);
    expect(html).toMatch(/<title>heute 07:30–07:45 · 3,0 ct\/kWh · Behält die Energie: Von Hand eingestellt/);
    expect(html).toMatch(/heute 08:30–08:45 [^<]*Boiler läuft<\/title>/);
    expect(html).toContain('data-at="2026-01-15T07:30:00+01:00"');
    expect(read("plot", view)).toContain("24 h 48 h 7 Tage");
    // The table begins with the present period, then each hour.
    expect(read("plot", view)).toMatch(/Laden.* heute 09:15 .*heute 10:00 /);
    expect(read("plot", view)).toMatch(/heute 07:30–08:30 Behält die Energie Von Hand eingestellt/);
    expect(chartRuns(view, "de", { start: at(240), end: at(-600) }).map(({ name }) => name)).toEqual([2]);
  });

  it("shows forecast prices as such, and what is likely", () => {
    const start = new Date("2026-01-15T08:00:00Z");
    const hours = [{ start, p10: 90, p50: 100, p90: 110, source: "forecast" as const }];
    const tariff = { importCtKwh: (spot: number) => spot * 1.2, exportCtKwh: (spot: number) => spot };
    const bare = house({ plan: undefined, hours, tariff });
    expect(chartPeriods(bare, 24)).toMatchObject([{ start, priceCtKwh: 12, isForecast: true }]);
    const html = render(h("div", {}, dashboardParts(bare, "de", 24).plot));
    expect(html).toMatch(/class="price \w+ forecast"/);
    expect(html).toContain("Prognose, wahrscheinlich 11 bis 13 ct");
    // Marks with the decimals that they have.
    expect(html).toMatch(/>5<.*>10<.*>15</);
  });
});

describe("the card of a device", () => {
  const settings = slotSettings({ slot: 2, label: "Boiler", kind: "boiler" });
  const plan = { slot: 2, settings, origin: "settings", plugged: 1, result: undefined, later: [] } as const;

  it("has one-tap actions with what they cost, and names the override in force", () => {
    const until = new Date("2026-01-15T16:00:00Z");
    const view = (override?: { action: "skip"; until: Date }) =>
      house({ slots: [{ ...plan, override }], csrfToken: "token", runCosts: new Map([[2, 0.54]]) });
    expect(read("slots", view(), "en")).toMatch(
      /Boiler Today: not measured Nothing planned Heat now 0\.54 € Not today$/,
    );
    expect(read("slots", view({ action: "skip", until }), "en")).toMatch(
      /skipped until today 17:00 \(8 hours left\) Heat now 0\.54 € Back to plan$/,
    );
    const html = render(h("div", {}, dashboardParts(view(), "en", 24).slots));
    // What it costs is shown before it is confirmed; only what takes an override back happens at once.
    expect(html).toContain('method="get" action="/dashboard/override"');
    expect(html).not.toContain('name="_csrf"');
    expect(html).not.toMatch(/<input(?! type="hidden")/);
    expect(render(h("div", {}, dashboardParts(view({ action: "skip", until }), "en", 24).slots))).toMatch(
      /method="post" .*name="_csrf" value="token".*name="slot" value="2".*name="override" value="auto"/,
    );
  });

  it("says what it took today, what that cost, and its next run with its cost", () => {
    const [start, middle, end] = ["12", "13", "14"].map((hour) => new Date(`2026-01-15T${hour}:00:00Z`));
    const prices = { importCtKwh: 10, exportCtKwh: 4 };
    // What the sun covers costs the feed-in: 1 × 4 + 1 × 10 and 0.5 × 4 + 1 × 10 = 26 ct.
    const slots = [
      { start, end: middle, energyKwh: 2, ...prices, surplusKwh: 1 },
      { start: middle, end, energyKwh: 1.5, ...prices, surplusKwh: 0.5 },
    ];
    const windows = [{ start, end, averageCtKwh: 10, energyKwh: 3.5 }];
    const result = { slots, windows, unmetHours: 0, powerKw: 2, plugged: 1 } as unknown as FlexResult;
    const energy = [
      {
        start: new Date("2026-01-14T23:00:00Z"),
        // 1 kWh at 20 ct and 1 kWh of surplus at 5 ct.
        quarters: { importKwh: [1], importCtKwh: [20], exportCtKwh: [5], slots: { 2: [2] } } as never,
      },
    ];
    expect(read("slots", house({ slots: [{ ...plan, result }], energy }))).toContain(
      "Boiler Heute 2,0 kWh · 0,25 € Nächste: heute 13:00–15:00 · 0,26 €",
    );
  });

  it("offers the battery's actions without a field", () => {
    const battery = { controls: ["charge", "hold"], grid_charge_allowed: true };
    const view = house({ battery, csrfToken: "token", plan: planWith({}) });
    expect(read("slots", view)).toMatch(/Batterie 34 % .*Jetzt laden Behalten/);
    const shown = (charge: number, hold: number) =>
      read("slots", { ...view, runCosts: new Map([["charge", charge] as const, ["hold", hold] as const]) });
    expect(shown(0.423, -0.001)).toMatch(/Jetzt laden \+0,42 € Behalten 0,00 €$/);
    expect(shown(0.005, -0.124)).toMatch(/Jetzt laden \+0,01 € Behalten −0,12 €$/);
  });

  it("says what the battery is overridden with and until when, and leads back to the plan", () => {
    const battery = { controls: ["charge", "hold"], grid_charge_allowed: true };
    const until = new Date("2026-01-15T09:15:00Z");
    const view = (override: BatteryOverride, now: string) =>
      house({ battery, csrfToken: "token", plan: { ...planWith({}), override }, now: new Date(now) });
    const charge = { action: "charge", until, targetSocPct: 80 } as const;
    expect(read("slots", view(charge, "2026-01-15T09:01:00Z"), "en")).toMatch(
      /charging to 80 %, no later than today 10:15 \(14 minutes left\) .*Back to plan$/,
    );
    expect(read("slots", view(charge, "2026-01-15T09:14:00Z"), "en")).toContain("10:15 (1 minute left)");
    const hold = { action: "hold", until, targetSocPct: 100 } as const;
    expect(read("slots", view(hold, "2026-01-15T09:01:00Z"), "en")).toMatch(
      /today 10:15 \(14 minutes left\) .*Back to plan$/,
    );
  });

  it("says what the battery did today, and nothing of the plan while it is overridden", () => {
    const today = { kwh: { charge: 7.2, discharge: 6.1 } };
    const view = (plan = planWith({}, [])) => house({ savings: { today } as unknown as SavingsNow, plan });
    expect(read("slots", view())).toContain("Heute 7,2 kWh geladen · 6,1 kWh entladen automatisch nach Plan");
    const until = new Date("2026-01-15T16:00:00Z");
    const override = { action: "hold", targetSocPct: 100, until } as const;
    const overridden = read("slots", view({ ...planWith({}, []), override }));
    expect(overridden).toContain("wird bis heute 17:00 (noch 8 Stunden) nicht entladen");
    expect(overridden).not.toContain("automatisch");
  });
});
