import { expect, it } from "vitest";
import type { PlantSettings } from "../../src/config/settings.js";
import { deviceSentences } from "../../src/plan/device-sentences.js";
import { type HeadlineFacts, headlineOf, nowAndNext } from "../../src/plan/headline.js";
import type { FlexResult } from "../../src/plan/windows/result.js";
import { type SlotPlan, slotMoment } from "../../src/plan/windows/slot-schedule.js";
import { summaryOf } from "../../src/plan/windows/slot-state.js";
import { formatOf } from "../../src/texts/format.js";
import { samplePlan, slotSettings } from "../api/fake-services.js";

const NOW = new Date("2026-01-15T08:20:00Z");
const plan = samplePlan();
const battery = {} as PlantSettings["battery"];

const text = (
  facts: Partial<HeadlineFacts & { slots: readonly SlotPlan[] }>,
  language: "de" | "en" = "en",
): string =>
  nowAndNext(
    { now: NOW, plant: { battery }, plan, hasPrices: true, slots: [], ...facts },
    formatOf(language, "Europe/Vienna"),
  );

const slot = (label: string, start: string, end: string): SlotPlan =>
  ({
    slot: 1,
    settings: slotSettings({ slot: 1, label }),
    plugged: 1,
    later: [],
    result: { windows: [{ start: new Date(start), end: new Date(end) }] },
  }) as unknown as SlotPlan;

it("says what is missing for a plan", () => {
  expect(text({ plan: undefined })).toBe("No charging plan yet: the state of charge is missing.");
  expect(text({ plan: undefined, hasPrices: false }, "de")).toBe(
    "Noch kein Ladeplan: Es gibt noch keine Preise.",
  );
});

it("says what the battery does and the next charge", () => {
  const charging = { ...plan, scalars: { ...plan.scalars, chargeNow: 1 as const } };
  const run = { ...plan.chargeHours[0]!, start: NOW, end: new Date("2026-01-15T09:30:00Z") };
  expect(text({ plan: { ...charging, chargeHours: [run] } })).toBe(
    "Charging from the grid until today 10:30.",
  );
});

it("is about the devices in a home without a battery", () => {
  const none = { plan: undefined, plant: { battery: null } };
  expect(text(none)).toBe("No charging plan yet: no battery is entered.");
  const boiler = slot("Boiler", "2026-01-15T12:00:00Z", "2026-01-15T13:00:00Z");
  const car = slot("Auto", "2026-01-15T08:00:00Z", "2026-01-15T09:00:00Z");
  expect(text({ ...none, slots: [boiler] })).toBe("Next, Boiler runs today 13:00–14:00.");
  expect(text({ ...none, slots: [boiler, car] }, "de")).toBe("Auto läuft bis heute 10:00.");
  expect(text({ ...none, slots: [{ ...car, plugged: 0 }] })).toBe(
    "No charging plan yet: no battery is entered.",
  );
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

it("names the price of the present quarter-hour, not that of the busiest one of the hour", () => {
  const quarter = (n: number, importCtKwh: number) => ({
    ...plan.steps[0]!,
    start: new Date(Date.UTC(2026, 0, 15, 8, n * 15)),
    end: new Date(Date.UTC(2026, 0, 15, 8, n * 15 + 15)),
    action: "discharge" as const,
    reason: { code: "dear_import" as const, figures: { importCtKwh, valueCtKwh: 9 } },
  });
  const [hour] = plan.days[0]!.hours;
  const facts = {
    now: NOW,
    plant: { battery },
    hasPrices: true,
    plan: {
      ...plan,
      scalars: { ...plan.scalars, chargeNow: 0 as const },
      days: [
        {
          ...plan.days[0]!,
          hours: [
            { ...hour!, start: new Date("2026-01-15T08:00:00Z"), end: new Date("2026-01-15T09:00:00Z") },
          ],
        },
      ],
      steps: [quarter(0, 15), quarter(1, 16.35), quarter(2, 17.44), quarter(3, 18)],
    },
  };
  expect(headlineOf(facts, formatOf("en", "Europe/Vienna")).reason?.figures.importCtKwh).toBe(16.35);
});
