import { h } from "preact";
import { render } from "preact-render-to-string";
import { describe, expect, it } from "vitest";
import type { PlanHour } from "../../src/plan/site-plan.js";
import type { FlexResult } from "../../src/plan/windows/result.js";
import { dashboardAssets } from "../../src/portal/dashboard/client-files.js";
import { dashboardParts } from "../../src/portal/dashboard/page.js";
import { chartHours, type DashboardView } from "../../src/portal/dashboard/view.js";
import { formatOf } from "../../src/texts/format.js";
import { samplePlan, slotSettings } from "../api/fake-services.js";
import { house, NOW, partsOf, planWith, read } from "./dashboard-view.js";

describe("the dashboard", () => {
  it("says when it charges next, why, and what it saves, in the language of the page and the time zone of the plant", () => {
    expect(read("headline", house())).toContain("Nächstes Laden aus dem Netz: heute 13:00–15:00.");
    expect(read("headline", house())).toContain("Strom kostet 9,1 ct/kWh und später wahrscheinlich mehr.");
    expect(read("headline", house(), "en")).toContain("Next charge from the grid: today 13:00–15:00.");
    expect(read("savings", house())).toContain("0,40 € in den nächsten 7 Tagen");
    expect(read("price", house())).toContain("21,37 ct/kWh");
    expect(read("price", house(), "en")).toContain("21.37 ct/kWh");
    expect(read("quota", house())).toContain("77 von 120");
  });

  it("shows in the chart and its table what was in force before now, and why", () => {
    const past = [
      {
        name: "hold" as const,
        start: new Date("2026-01-15T06:30:00Z"),
        end: new Date("2026-01-15T07:30:00Z"),
        reason: { code: "override" as const, figures: {} },
      },
    ];
    const published = { hour: () => 90 };
    const of = house({ past, published: published as never });
    const html = render(h("div", {}, partsOf(of, "de").plot));
    expect(html).toMatch(/<g class="lane hold"><text[^>]*>Behält die Energie<\/text><rect/);
    expect(html).toMatch(/heute 07:00–08:00 · 9,00 ct\/kWh · Behält die Energie: Von Hand eingestellt/);
    expect(read("plot", of)).toContain("Befehle der letzten 24 Stunden");
    expect(read("plot", of)).toMatch(/heute 07:30–08:30 Behält die Energie Von Hand eingestellt/);
  });

  it("begins with what the battery does now", () => {
    const plan = samplePlan();
    const [day] = plan.days;
    const present = { ...day!.hours[0]!, start: NOW, end: new Date(NOW.getTime() + 60_000) };
    const now: PlanHour = {
      ...present,
      action: "discharge",
      reason: { code: "dear_import", figures: { importCtKwh: 31, valueCtKwh: -0.5 } },
    };
    const days = [{ ...day!, hours: [now] }];
    expect(read("headline", house({ plan: { ...plan, days } }))).toMatch(
      /^Die Batterie versorgt jetzt den Haushalt\. Strom kostet 31,0 ct\/kWh.* Nächstes Laden aus dem Netz: heute 13:00/,
    );
    // Without measurements nobody knows whether it does.
    const silent = planWith({ following: "unknown", socStale: true });
    expect(read("headline", house({ plan: { ...silent, days } }))).toMatch(
      /^Nach Plan: Die Batterie versorgt/,
    );
    expect(read("headline", house({ plan: { ...silent, days } }), "en")).toMatch(/^As planned: The battery/);
  });

  it("says until when it charges while it does", () => {
    const now = new Date("2026-01-15T12:30:00Z");
    const charging = house({ now, plan: planWith({ chargeNow: 1, minutesToChargeStart: 0 }) });
    expect(read("headline", charging)).toContain("Lädt jetzt aus dem Netz, bis heute 15:00.");
    const ignored = planWith({ chargeNow: 1, minutesToChargeStart: 0, following: "no" });
    expect(read("headline", house({ now, plan: ignored }))).toContain(
      "Soll jetzt aus dem Netz laden, bis heute 15:00.",
    );
    // charge_now 0 within a run (telemetry lost, say) must not claim that it charges.
    const held = house({
      now,
      plan: planWith({ chargeNow: 0, dischargeReason: "telemetry_lost", socStale: true }),
    });
    expect(read("headline", held)).not.toContain("Lädt jetzt");
    expect(read("soc", held)).toContain("zu alt: Aus Sicherheitsgründen wird nicht geladen");
  });

  it("shows savings so far", () => {
    const savings = {
      date: "2026-01-15",
      today: undefined as never,
      todayEur: 0.12,
      weekEur: null,
      monthEur: 3.4,
      totalEur: null,
    };
    // Just after midnight there is none of the new day.
    for (const old of [
      { ...savings, todayEur: null },
      { ...savings, date: "2026-01-14" },
    ])
      expect(read("savings", house({ savings: old }))).toContain("Heute bisher noch nicht bekannt");
    expect(read("savings", house({ savings }))).toMatch(
      /Heute bisher 0,12 € .*Monat 3,40 € .*Inbetriebnahme – /,
    );
  });

  it("says that it charges while charge_now is 1, even without a run in the plan", () => {
    const charging = house({ plan: planWith({ chargeNow: 1, minutesToChargeStart: 0 }, []) });
    expect(read("headline", charging)).toMatch(/^Lädt jetzt aus dem Netz\./);
    expect(read("headline", charging, "en")).toMatch(/^Charging from the grid\./);
    const outputs = read("outputs", charging);
    expect(outputs).toContain("O6 Zeit bis zum nächsten Laden jetzt O7");
    expect(outputs).not.toContain("lohnt sich kein Laden");
  });

  it("shows the energy of a run: its mean power would contradict the charge power", () => {
    const [run] = samplePlan().chargeHours;
    const small = planWith({}, [{ ...run!, energyKwh: 0.2, powerKw: 0.1 }]);
    expect(read("actions", house({ plan: small }))).toContain("Laden mit Strom aus dem Netz: 0,2 kWh, im");
    expect(read("actions", house({ plan: small }), "en")).toContain("Charges from the grid: 0.2 kWh at");
  });

  it("says whether stored energy adds to the savings or is deducted", () => {
    const stored = (savingsStoredEur: number) => house({ plan: { ...samplePlan(), savingsStoredEur } });
    expect(read("savings", stored(0.04))).toContain("Davon 0,04 € für Energie");
    expect(read("savings", stored(-0.04))).toContain("Bereits abgezogen: 0,04 € für Energie");
  });

  it("names the next step where there is no plan", () => {
    const none = house({ plan: undefined, battery: null });
    expect(read("headline", none)).toContain("keine Batterie eingetragen");
    expect(render(h("div", {}, dashboardParts(none, "de", 48).steps))).toContain(
      'href="/settings/ems/battery"',
    );
    expect(read("headline", house({ plan: undefined, hours: undefined }))).toContain("noch keine Preise");
    const noSoc = house({ plan: undefined, live: {} });
    expect(read("headline", noSoc)).toContain("Der Ladestand fehlt");
    expect(read("steps", noSoc)).toContain("curl http://192.168.1.5:8080/v1/plant/telemetry");
    expect(read("steps", noSoc)).toContain("-h 192.168.1.5");
    expect(read("steps", noSoc)).toContain("-t hourgate/home/telemetry/soc_pct -m 55");
    expect(read("steps", house())).toBe("");
  });

  it("shows age and value of the SOC, and all outputs with their units", () => {
    expect(read("soc", house())).toContain("34 %");
    expect(read("soc", house())).toContain("vor 5 Minuten gemeldet");
    const outputs = read("outputs", house());
    expect(outputs).toContain("O5 Zu ladende Energie 10,30 kWh");
    expect(outputs).toContain("O6 Zeit bis zum nächsten Laden");
    expect(outputs).toContain("O13 Laden aus dem Netz erlaubt ja");
    expect(read("outputs", house({ plan: planWith({ minutesToChargeStart: -1 }, []) }))).toContain("keine");
  });

  it("shows the band of the SOC, the expected cost and what knowing the load would bring", () => {
    const plan = samplePlan();
    const days = plan.days.map((day) => ({
      ...day,
      hours: day.hours.map((hour) => ({ ...hour, socP10Pct: 20, socP90Pct: 80 })),
    }));
    const shown = house({
      plan: {
        ...plan,
        days,
        expectation: { ...plan.expectation, costEur: 9.5, costP10Eur: 7.25, costP90Eur: 12 },
        solver: { objectiveEur: 8, boundEur: 7.7, ms: 3 },
      },
    });
    const svg = render(h("div", {}, dashboardParts(shown, "de", 48).plot));
    const band = /<polygon class="soc-band" points="([^"]+)"/.exec(svg)![1]!.split(" ");
    // Forward along P10, back along P90; the price panel is 190 units high and begins at 14.
    const heights = band.map((corner) => Number(corner.split(",")[1]));
    expect(new Set(heights.slice(0, heights.length / 2))).toEqual(new Set([14 + 0.8 * 190]));
    expect(new Set(heights.slice(heights.length / 2))).toEqual(new Set([14 + 0.2 * 190]));
    expect(read("savings", shown)).toContain(
      "Erwartete Kosten 9,50 €, in 8 von 10 Fällen zwischen 7,25 und 12,00 €.",
    );
    expect(read("savings", shown, "en")).toContain(
      "If the load were known in advance, at most 0.30 € more could be saved.",
    );
    expect(read("plot", shown, "en")).toContain("State of charge in 8 of 10 cases");
    expect(render(h("div", {}, dashboardParts(house({ plan: undefined }), "de", 48).plot))).not.toContain(
      "soc-band",
    );
  });

  it("shows measured powers only: missing ones as a dash, old ones with their age, the grid from the others", () => {
    const own = house();
    const at = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000);
    const pv = [{ ...own.site.plant.pv[0], kwp: 5 }] as unknown as typeof own.site.plant.pv;
    const site = { ...own.site, plant: { ...own.site.plant, pv } };
    const shown = (live: DashboardView["live"]) =>
      /aria-label="([^"]*)"/.exec(
        render(h("div", {}, dashboardParts(house({ site, live }), "en", 48).flow)),
      )![1];
    const load = { value: 0.8, at: at(1) };
    const battery = { value: -0.5, at: at(0) };
    expect(
      shown({ pv_power_kw: { value: 2.1, at: at(0) }, load_power_kw: load, battery_power_kw: battery }),
    ).toBe(
      "Energy now. PV: 2.10 kW, produces; Grid: 1.80 kW, feed-in; Home: 0.80 kW, consumes; Battery: 0.50 kW, discharges.",
    );
    expect(shown({ pv_power_kw: { value: 2.1, at: at(5) }, load_power_kw: load })).toBe(
      "Energy now. PV: 2.10 kW, 5 minutes ago; Grid: –, not measured; Home: 0.80 kW, consumes; Battery: –, not measured.",
    );
    expect(read("flow", house({ plan: planWith({ following: "yes" }) }))).toContain(
      "✓ Die Batterie folgt dem Befehl.",
    );
    const silent = { battery_power_kw: { value: 0.2, at: at(12) } };
    const old = read("flow", house({ plan: planWith({ following: "yes" }), live: silent }));
    expect(old).toContain("? Vor 12 Minuten folgte die Batterie dem Befehl; seither fehlt ihr Messwert.");
    expect(old).not.toContain("✓");
  });

  it("shows promised and achieved savings by month, newest first", () => {
    const month = { promisedEur: 12.5, achievedEur: 11.75, days: 29, daysWithoutTelemetry: 1 };
    const shown = house({
      calibration: [
        { ...month, month: "2025-12" },
        { ...month, month: "2026-01" },
      ],
    });
    expect(read("calibration", shown)).toMatch(/2026-01 12,50 11,75 29 1 2025-12 12,50/);
    expect(read("calibration", house(), "en")).toMatch(/^The first comparison is made at the end/);
  });

  it("draws prices without a plan: the forecast's hours with the tariff", () => {
    const start = new Date("2026-01-15T08:00:00Z");
    const hours = [{ start, p10: 90, p50: 100, p90: 110, source: "forecast" as const }];
    const tariff = { importCtKwh: (spot: number) => spot * 1.2, exportCtKwh: (spot: number) => spot };
    const bare = house({ plan: undefined, hours, tariff });
    expect(chartHours(bare, 48)).toMatchObject([
      { start, priceCtKwh: 12, isForecast: true, socEndPct: undefined },
    ]);
    expect(render(h("div", {}, dashboardParts(bare, "de", 48).plot))).toContain('class="price level');
  });

  it("writes the marks of its scales with the decimals that they have", () => {
    // A quarter of 1.3 kW is most of a step of 0.5, so that the scale ends at 1.5 kW; that is no "2 kW".
    const plan = samplePlan();
    const days = plan.days.map((day) => ({
      ...day,
      hours: day.hours.map((hour) => ({ ...hour, totalCtKwh: 1.2, pvKwh: 0, loadKwh: 1.3 })),
    }));
    const plot = (language: "de" | "en") =>
      render(h("div", {}, dashboardParts(house({ plan: { ...plan, days } }), language, 48).plot));
    expect(plot("de")).toContain(">1,5 kW<");
    expect(plot("en")).toContain(">1.5 kW<");
    expect(plot("en")).toMatch(/>0\.5<.*>1\.0<.*>1\.5</);
  });

  it("offers to run or skip a device, and names the override in force", () => {
    const settings = slotSettings({ slot: 2, label: "Boiler", kind: "boiler" });
    const plan = { slot: 2, settings, origin: "settings", plugged: 1, result: undefined, later: [] } as const;
    const until = new Date("2026-01-15T16:00:00Z");
    const at = (override?: { action: "skip"; until: Date }) =>
      house({ slots: [{ ...plan, override }], csrfToken: "token" });
    expect(read("slots", at(), "en")).toMatch(/Boiler : nothing planned Run now Skip today$/);
    expect(read("slots", at({ action: "skip", until }), "en")).toMatch(
      /skipped until today 17:00 \(8 hours left\).* Run now By schedule$/,
    );
    const midnight = new Date("2026-01-15T23:00:00Z");
    expect(read("slots", at({ action: "skip", until: midnight }))).toContain(
      "ausgelassen bis heute 24:00 (noch 15 Stunden)",
    );
    const html = render(h("div", {}, dashboardParts(at(), "en", 48).slots));
    // What it costs is shown before it is confirmed; only what takes an override back happens at once.
    expect(html).toContain('method="get" action="/dashboard/override"');
    expect(html).not.toContain('name="_csrf"');
    const overridden = render(h("div", {}, dashboardParts(at({ action: "skip", until }), "en", 48).slots));
    expect(overridden).toMatch(
      /method="post" .*name="_csrf" value="token".*name="slot" value="2".*name="override" value="auto"/,
    );
  });

  it("says what the sun is expected to cover of the runs of a device, where that is known", () => {
    const settings = slotSettings({ slot: 2, label: "Boiler", kind: "boiler" });
    const [start, middle, end] = ["12", "13", "14"].map((hour) => new Date(`2026-01-15T${hour}:00:00Z`));
    // What the sun covers costs the feed-in.
    const prices = { importCtKwh: 10, exportCtKwh: 4 };
    const home = (first: { surplusKwh?: number }) => {
      const slots = [
        { start, end: middle, energyKwh: 2, ...prices, ...first },
        { start: middle, end, energyKwh: 1.5, ...prices, surplusKwh: 0.5 },
      ];
      const windows = [{ start, end, averageCtKwh: 10, energyKwh: 3.5 }];
      const result = { slots, windows, unmetHours: 0 } as unknown as FlexResult;
      return house({ slots: [{ slot: 2, settings, origin: "settings", plugged: 1, result, later: [] }] });
    };
    expect(read("slots", home({ surplusKwh: 1 }))).toContain(
      "heute 13:00–15:00 · 0,26 € zu den geplanten Preisen · PV-Überschuss deckt voraussichtlich 1,5 von 3,5 kWh",
    );
    expect(read("actions", home({ surplusKwh: 1 }), "en")).toContain("expected to cover 1.5 of 3.5 kWh");
    expect(read("slots", home({}), "en")).not.toContain("PV surplus");
  });

  it("writes numbers and spans as people do", () => {
    const german = formatOf("de", "Europe/Vienna");
    expect(german.number(-0.001)).toBe("0,00");
    expect(german.number(-1234.5, 1)).toBe("−1\u00a0234,5");
    expect(german.number(null)).toBe("–");
    expect(german.minutes(1)).toBe("1 Minute");
    expect(german.minutes(220)).toBe("4 Stunden");
    const night = { start: new Date("2026-01-15T22:00:00Z"), end: new Date("2026-01-16T01:30:00Z") };
    expect(german.span(night, NOW)).toBe("heute 23:00–02:30");
    expect(formatOf("en", "Europe/Vienna").moment(new Date("2026-01-16T01:30:00Z"), NOW)).toBe(
      "tomorrow 02:30",
    );
  });

  it("serves every module that its scripts import, and nothing from elsewhere", () => {
    const assets = new Map(dashboardAssets().map(({ name, body }) => [name, String(body)]));
    for (const [name, text] of assets) {
      if (!name.startsWith("client/")) continue;
      const imported = [...text.matchAll(/^import .* from "\.\/(.+)";$/gm)].map(
        ([, file]) => `client/${file}`,
      );
      expect([...assets.keys()]).toEqual(expect.arrayContaining(imported));
      expect(text).not.toMatch(/https?:\/\//);
    }
    expect(assets.has("client/dashboard.js")).toBe(true);
  });
});
