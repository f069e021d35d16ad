import fc from "fast-check";
import { expect, test } from "vitest";
import { forecastDocument } from "../../../src/api/documents/forecast.js";
import { scalarsFirst } from "../../../src/api/documents/format.js";
import { hoursDemandDocument } from "../../../src/api/documents/hours-demand.js";
import { VIENNA } from "../../../src/core/time/zone.js";
import { fakeServices, samplePlan } from "../fake-services.js";

test("documents without access, as for MQTT, differ only in the access object", () => {
  const view = { zone: VIENNA, baseUrl: "http://x", language: "en" } as const;
  const { access, ...rest } = hoursDemandDocument(samplePlan(), { ...view, access: { tier: "basic" } });
  expect(access).toEqual({ tier: "basic" });
  expect(hoursDemandDocument(samplePlan(), view)).toEqual(rest);
  const run = fakeServices().run!;
  const forecast = forecastDocument({
    run,
    hours: run.hours.slice(0, 10),
    zone: "UTC",
    tariff: undefined,
    intervals: true,
  });
  expect(forecast).not.toHaveProperty("access");
  // All ten hours are published prices.
  expect(forecast.first_forecast_start).toBeNull();
});

test("writes NaN and infinities as null", () => {
  const plan = samplePlan();
  plan.scalars.energyChargeKwh = Number.NaN;
  const document = hoursDemandDocument(plan, { zone: VIENNA, baseUrl: "", language: "de" });
  expect(document.energy_charge_kwh).toBeNull();
  expect(document.outputs).toMatchObject({ O5: null });
});

test("scalarsFirst keeps every member, and the order within scalars and within the others", () => {
  const value = fc.oneof(fc.integer(), fc.constant(null), fc.constant([1]), fc.constant({ a: 1 }));
  fc.assert(
    fc.property(fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), value), (document) => {
      const ordered = scalarsFirst(document);
      expect(ordered).toEqual(document);
      const isObject = (name: string) => typeof document[name] === "object" && document[name] !== null;
      const names = Object.keys(document);
      expect(Object.keys(ordered)).toEqual([
        ...names.filter((name) => !isObject(name)),
        ...names.filter(isObject),
      ]);
    }),
  );
});
