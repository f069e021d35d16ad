import { expect, it } from "vitest";
import { VIENNA } from "../../src/core/time/zone.js";
import { billMonth } from "../../src/tariff/bill.js";
import { compileTariff } from "../../src/tariff/compile-tariff.js";

const at = new Date("2026-07-05T11:00:00Z");
const tariff = [{ energy: { type: "spot" as const }, vat_pct: 20 }];

it.each<[string, unknown]>([
  ["tariff must be", undefined],
  ["tariff[0] must be", [null]],
  ["tariff[0].vat_pct", [{ vat_pct: Number.NaN }]],
  ["tariff[0].vat_pct", [{ vat_pct: "20" }]],
  ["tariff[0].feed_in.ct_kwh", [{ feed_in: { type: "fixed", ct_kwh: Number.POSITIVE_INFINITY } }]],
])("says of a tariff: %s", (text, wrong) => {
  const call = () => compileTariff(wrong as Parameters<typeof compileTariff>[0], VIENNA);
  expect(call).toThrow(RangeError);
  expect(call).toThrow(text);
});

it("has no price without an instant or a market price that it depends on", () => {
  const prices = compileTariff(tariff, VIENNA);
  expect(() => prices.importCtKwh(Number.NaN, at)).toThrow(/^spotCtKwh must be/);
  expect(() => prices.importCtKwh(10, "now" as never)).toThrow(/^at must be/);
  const fixed = compileTariff([{ energy: { type: "fixed", ct_kwh: 12 }, vat_pct: 20 }], VIENNA);
  expect(fixed.importCtKwh(Number.NaN, at)).toBeCloseTo(14.4, 9);
});

it.each<[string, unknown]>([
  ["zone must be", { zone: "Mars/Base" }],
  ["month must be", { month: "2026-13" }],
  ["steps must be", { steps: undefined }],
  ["steps[0].start", { steps: [{ start: "2026-07-05", importKwh: 1, spotCtKwh: 10 }] }],
  ["steps[0].importKwh", { steps: [{ start: at, spotCtKwh: 10 }] }],
  ["steps[0].exportKwh", { steps: [{ start: at, importKwh: 1, exportKwh: Number.NaN, spotCtKwh: 10 }] }],
  ["steps[0].spotCtKwh", { steps: [{ start: at, importKwh: 1 }] }],
  ["earlier.exportKwh", { earlier: { importKwh: 1 } }],
  ["tariff must be", { tariff: null }],
])("says of a question for a bill: %s", (text, wrong) => {
  const input = { tariff, zone: VIENNA, month: "2026-07", steps: [], ...(wrong as object) };
  expect(() => billMonth(input)).toThrow(RangeError);
  expect(() => billMonth(input)).toThrow(text);
});
