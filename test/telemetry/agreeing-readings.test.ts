import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  agreeingMeanings,
  type MeasuredFlows,
  type MeteredDevice,
  type PowerMeaning,
} from "../../src/telemetry/agreeing-readings.js";
import { plugStates, powerPieces } from "../../src/telemetry/quarters.js";

const QUARTERS = 24;
const IDLE: MeasuredFlows = { pvKwh: 0, chargeKwh: 0, dischargeKwh: 0 };
const MEANINGS: PowerMeaning[] = ["instant", "mean"];
const quarters = <T>(of: (quarter: number) => T) => Array.from({ length: QUARTERS }, (_, t) => of(t));
const between = (from: number, to: number, kwh: number) => quarters((t) => (t >= from && t < to ? kwh : 0));
const later = (kwh: readonly number[]) => quarters((t) => kwh[t - 1] ?? 0);
const earlier = (kwh: readonly number[]) => quarters((t) => kwh[t + 1] ?? 0);
const nothing = quarters(() => undefined);

/** What is read of true energies: under the other meaning they appear a quarter-hour late or early. */
const read = (kwh: readonly number[], meaning: PowerMeaning) =>
  meaning === "mean"
    ? { instant: later(kwh), mean: kwh, corrected: later(kwh) }
    : { instant: kwh, mean: earlier(kwh), corrected: kwh };
const device = (kwh: readonly number[], meaning: PowerMeaning): MeteredDevice => ({
  counted: nothing,
  byPower: read(kwh, meaning),
});
const imported = (kwh: readonly number[]) => kwh.map((importKwh) => ({ importKwh, exportKwh: 0 }));
const idle = { instant: quarters(() => IDLE), mean: quarters(() => IDLE), corrected: quarters(() => IDLE) };

describe("agreeingMeanings", () => {
  it("property: finds how a battery and two devices report, each by itself", () => {
    const meaning = fc.constantFrom(...MEANINGS);
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0.05, max: 0.2, noNaN: true }), {
          minLength: QUARTERS,
          maxLength: QUARTERS,
        }),
        fc.tuple(meaning, meaning, meaning),
        (household, [battery, car, boiler]) => {
          const charge = between(2, 5, 1.1);
          const [carKwh, boilerKwh] = [between(8, 14, 0.9), between(12, 18, 0.5)];
          const meter = imported(household.map((kwh, t) => kwh + charge[t]! + carKwh[t]! + boilerKwh[t]!));
          const charged = read(charge, battery);
          const flows = (of: PowerMeaning) => charged[of].map((chargeKwh) => ({ ...IDLE, chargeKwh }));
          expect(
            agreeingMeanings(
              meter,
              { instant: flows("instant"), mean: flows("mean"), corrected: flows("corrected") },
              [device(carKwh, car), device(boilerKwh, boiler)],
            ),
          ).toEqual({ flows: battery, devices: [car, boiler] });
        },
      ),
      { numRuns: 50 },
    );
  });

  it("takes the counter of the device where the meter is not known, and otherwise the first meaning", () => {
    const kwh = between(8, 14, 0.9);
    const meter = quarters(() => ({ importKwh: undefined, exportKwh: undefined }));
    for (const meaning of MEANINGS) {
      const counted = { ...device(kwh, meaning), counted: kwh };
      expect(agreeingMeanings(meter, idle, [counted]).devices).toEqual([meaning]);
      expect(agreeingMeanings(meter, idle, [device(kwh, meaning)]).devices).toEqual(["instant"]);
    }
  });
});

describe("readings that are means", () => {
  const at = (minute: number) => new Date(Date.UTC(2026, 4, 4, 0, minute));

  it("have the energy of the time before them", () => {
    const readings = [
      { at: at(0), value: 0 },
      { at: at(15), value: 4 },
    ];
    expect(powerPieces(readings, "mean")[1]).toEqual({ start: at(0), end: at(15), kwh: 1 });
    expect(powerPieces(readings)[1]).toEqual({ start: at(15), end: at(45), kwh: 2 });
  });

  it("come with states of the time before them, unless these are reported when they change", () => {
    const plug = [
      { at: at(0), value: 0 },
      { at: at(15), value: 1 },
      { at: at(200), value: 0 },
    ];
    expect(plugStates(plug, "mean").map((one) => one.at)).toEqual([at(0), at(0), at(200)]);
    expect(plugStates(plug, "instant")).toBe(plug);
  });
});
