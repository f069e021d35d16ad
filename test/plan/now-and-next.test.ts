import { expect, it } from "vitest";
import { PriceSeries } from "../../src/forecast/market/price-series.js";
import { deviceSentences } from "../../src/plan/device-sentences.js";
import { nowAndNext } from "../../src/plan/now-and-next.js";
import type { FlexResult } from "../../src/plan/windows/result.js";
import { type SlotPlan, slotMoment } from "../../src/plan/windows/slot-schedule.js";
import { summaryOf } from "../../src/plan/windows/slot-state.js";
import { formatOf } from "../../src/texts/format.js";
import { samplePlan, slotSettings } from "../api/fake-services.js";
import { house, NOW } from "../portal/dashboard-view.js";

const plan = samplePlan();

const text = (changes: Parameters<typeof house>[0] = {}, language: "de" | "en" = "en"): string =>
  nowAndNext(house(changes), formatOf(language, "Europe/Vienna"));

const slot = (label: string, start: string, end: string): SlotPlan =>
  ({
    slot: 1,
    settings: slotSettings({ slot: 1, label }),
    plugged: 1,
    later: [],
    result: { slots: [], windows: [{ start: new Date(start), end: new Date(end), averageCtKwh: 4 }] },
  }) as unknown as SlotPlan;

it("says what is missing for a plan", () => {
  expect(text({ plan: undefined })).toBe("No charging plan yet: the state of charge is missing.");
  expect(text({ plan: undefined, hours: undefined }, "de")).toBe(
    "Noch kein Ladeplan: Es gibt noch keine Preise.",
  );
});

it("is about the devices in a home without a battery, with sun or price, and names one beside the battery", () => {
  const none = { plan: undefined, battery: null };
  expect(text(none)).toBe("No charging plan yet: no battery is entered.");
  const boiler = slot("Boiler", "2026-01-15T09:00:00Z", "2026-01-15T10:00:00Z");
  const car = slot("Auto", "2026-01-15T08:00:00Z", "2026-01-15T09:00:00Z");
  const hours = [91, 166].map((p50, index) => ({
    start: new Date(Date.UTC(2026, 0, 15, 8 + index)),
    ...{ p10: 0, p50, p90: 200, source: "forecast" as const },
  }));
  // The price is that of electricity, not what the run costs with its PV surplus.
  expect(text({ ...none, hours, slots: [boiler] })).toBe(
    "Next, Boiler runs today 10:00–11:00, because electricity then costs 16.6 ct.",
  );
  const [run] = boiler.result!.windows;
  const result = { ...boiler.result!, slots: [{ ...run!, energyKwh: 2, surplusKwh: 1.5 }] };
  expect(text({ ...none, hours, slots: [{ ...boiler, result } as unknown as SlotPlan] }, "de")).toBe(
    "Als Nächstes läuft Boiler mit Sonne heute 10:00–11:00.",
  );
  expect(text({ ...none, hours, slots: [boiler, car] }, "de")).toBe(
    "Auto läuft bis 10:00, weil Strom jetzt 9,1 ct kostet.",
  );
  expect(text({ slots: [boiler] })).toMatch(/\. Next, Boiler runs today 10:00–11:00\.$/);
});

it("names the next start of a device in a later window too, where the run of today is done", () => {
  const tomorrow = slot("Boiler", "2026-01-16T10:00:00Z", "2026-01-16T11:00:00Z");
  const window = { start: NOW, end: NOW } as FlexResult["window"];
  const none = { ...tomorrow.result!, window, windows: [], slots: [] };
  const done = { ...tomorrow, later: [{ ...tomorrow.result!, slots: [] }], result: none };
  expect(deviceSentences(done, NOW, formatOf("en", "Europe/Vienna"))).toMatchObject({
    doing: "waiting",
    state: "starts tomorrow 11:00",
  });
  // 25 h 40 min; what consumers act on has changed.
  expect(slotMoment(done, NOW)?.minutesToStart).toBe(1540);
  expect(summaryOf([done], NOW)).not.toBe(summaryOf([{ ...done, later: [] }], NOW));
});

it("has at most 255 characters, which is all that a state in Home Assistant takes", () => {
  const long = slot("A".repeat(300), "2026-01-15T08:00:00Z", "2026-01-15T09:00:00Z");
  expect(text({ slots: [long] })).toHaveLength(255);
});

it("names prices of quarter-hours: now, and at the next change", () => {
  const step = (minutes: number, action: "discharge" | "hold", importCtKwh: number) => ({
    ...plan.steps[0]!,
    start: new Date(NOW.getTime() + (minutes - 20) * 60_000),
    end: new Date(NOW.getTime() + (minutes - 5) * 60_000),
    action,
    reason: { code: "dear_import" as const, figures: { importCtKwh, valueCtKwh: 9 } },
  });
  const start = new Date("2026-01-15T08:00:00Z");
  const published = PriceSeries.of(
    [150, 163.5, 174.4, 312].map((eurPerMwh, index) => ({
      start: new Date(start.getTime() + index * 900_000),
      minutes: 15 as const,
      eurPerMwh,
    })),
  );
  const changes = {
    plan: {
      ...plan,
      days: [],
      steps: [
        step(15, "discharge", 16.35),
        step(30, "discharge", 17.44),
        step(45, "hold", 31.2),
        step(60, "hold", 20),
      ],
    },
    hours: [{ start, p10: 200, p50: 200, p90: 200, source: "day_ahead" as const }],
    published,
    stepMinutes: 15 as const,
  };
  expect(text(changes)).toBe(
    "The battery is supplying the home, because electricity costs 16 ct now. From 09:45 it keeps its energy (electricity then 31 ct).",
  );
});
