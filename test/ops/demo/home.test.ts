import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type HomeCommands, inverterCommand, SimulatedHome } from "../../../src/ops/demo/home.js";

const storage = {
  capacityKwh: 10,
  minSocKwh: 1,
  maxSocKwh: 9.5,
  maxChargePowerKw: 5,
  maxDischargePowerKw: 4,
  chargeEfficiency: 0.95,
  dischargeEfficiency: 0.94,
};
const home = (startSocKwh = 5) =>
  new SimulatedHome({
    storage,
    startSocKwh,
    wallbox: { powerKw: 11, capacityKwh: 40, startKwh: 39 },
    boiler: { powerKw: 2, litres: 200, minC: 42, maxC: 60, lossKw: 0.05, startC: 50 },
    seed: 1,
  });

describe("inverterCommand", () => {
  it.each<[string, HomeCommands, string]>([
    ["no command", {}, "free"],
    ["full caps", { chargeNow: false, dischargeCapKw: 5, chargeCapKw: 5 }, "free"],
    ["a discharge cap of 0", { dischargeCapKw: 0, chargeCapKw: 5 }, "hold"],
    ["a charge cap of 0", { dischargeCapKw: 5, chargeCapKw: 0 }, "block"],
    ["charge now", { chargeNow: true, chargePowerKw: 3, chargeStopSocPct: 80, dischargeCapKw: 0 }, "charge"],
    ["a set discharge", { dischargeSetKw: 2 }, "discharge"],
  ])("%s", (_, commands, mode) => {
    expect(inverterCommand(commands, 10).mode).toBe(mode);
  });

  it("turns the stop SOC into stored energy", () => {
    expect(inverterCommand({ chargeNow: true, chargePowerKw: 3, chargeStopSocPct: 80 }, 10)).toMatchObject({
      chargePowerKw: 3,
      stopSocKwh: 8,
    });
  });
});

describe("SimulatedHome", () => {
  const power = fc.double({ min: 0, max: 6, noNaN: true });
  const commands = fc.record(
    {
      chargeNow: fc.boolean(),
      chargePowerKw: power,
      chargeStopSocPct: fc.double({ min: 0, max: 100, noNaN: true }),
      dischargeCapKw: power,
      chargeCapKw: power,
      feedInLimitKw: power,
      dischargeSetKw: power,
      wallboxOn: fc.boolean(),
      boilerOn: fc.boolean(),
    },
    { requiredKeys: [] },
  );

  it("keeps the balance of every step and the battery inside its band", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(power, power, commands), { maxLength: 40 }), (steps) => {
        const subject = home();
        for (const [householdKw, pvKw, asked] of steps) {
          const flows = subject.advance({ minutes: 15, householdKw, pvKw, carIsHome: true }, asked);
          expect(flows.importKwh + flows.pvKwh + flows.dischargeKwh).toBeCloseTo(
            flows.exportKwh + flows.loadKwh + flows.chargeKwh,
            9,
          );
          expect(Math.min(flows.importKwh, flows.exportKwh)).toBe(0);
          expect(subject.socPct).toBeGreaterThanOrEqual(10 - 1e-9);
          expect(subject.socPct).toBeLessThanOrEqual(95 + 1e-9);
        }
      }),
    );
  });

  it("stores surplus and serves the load without any command", () => {
    const subject = home();
    const sunny = subject.advance({ minutes: 60, householdKw: 0.98, pvKw: 3 }, {});
    expect(sunny).toMatchObject({ importKwh: 0, exportKwh: 0 });
    expect(sunny.chargeKwh).toBeCloseTo(2, 9);
    expect(subject.socPct).toBeCloseTo(50 + 20 * 0.95, 9);
    const dark = subject.advance({ minutes: 60, householdKw: 0.98, pvKw: 0 }, {});
    expect(dark).toMatchObject({ importKwh: 0 });
    expect(subject.socPct).toBeCloseTo(69 - 10 / 0.94, 9);
  });

  it("charges the car only at home, when switched on, and until it is full", () => {
    const subject = home();
    const hour = { minutes: 60, householdKw: 0, pvKw: 0 };
    expect(subject.advance({ ...hour, carIsHome: false }, { wallboxOn: true }).wallboxKwh).toBe(0);
    expect(subject.advance({ ...hour, carIsHome: true }, { wallboxOn: false }).wallboxKwh).toBe(0);
    expect(subject.advance({ ...hour, carIsHome: true }, { wallboxOn: true }).wallboxKwh).toBeCloseTo(1, 9);
    expect(subject.advance({ ...hour, carIsHome: true, carUsedKwh: 8 }, { wallboxOn: true }).wallboxKwh).toBe(
      8,
    );
  });

  it("charges with the power it is asked for, up to the limit set in the car, whose state of charge is read while it is there", () => {
    const subject = new SimulatedHome({
      storage,
      startSocKwh: 5,
      wallbox: { powerKw: 11, capacityKwh: 40, startKwh: 29 },
      seed: 1,
    });
    const hour = { minutes: 60, householdKw: 0, pvKw: 0, carIsHome: true };
    const slow = { wallboxOn: true, wallboxKw: 2, carLimitPct: 80 };
    expect(subject.advance(hour, slow).wallboxKwh).toBe(2);
    expect(subject.advance(hour, slow).wallboxKwh).toBe(1);
    expect(subject.readings()).toMatchObject({ ev_connected: 1, slot_1_soc_pct: 80 });
    subject.advance({ ...hour, carIsHome: false }, slow);
    expect(subject.readings()).not.toHaveProperty("slot_1_soc_pct");
  });

  it("keeps the water above the minimum without a command and below the maximum with one", () => {
    const subject = home();
    for (let hour = 0; hour < 48; hour++)
      subject.advance({ minutes: 60, householdKw: 0, pvKw: 0, drawnLitres: 20 }, {});
    expect(subject.boilerC).toBeGreaterThan(38);
    for (let hour = 0; hour < 24; hour++)
      subject.advance({ minutes: 60, householdKw: 0, pvKw: 0 }, { boilerOn: true });
    expect(subject.boilerC).toBeGreaterThan(59);
    expect(subject.boilerC).toBeLessThanOrEqual(60);
  });

  it("advances its meters and reads powers with noise", () => {
    const subject = home(1);
    subject.advance({ minutes: 30, householdKw: 1.98, pvKw: 0 }, {});
    const readings = subject.readings();
    expect(readings.import_kwh).toBeCloseTo(1, 9);
    expect(readings.export_kwh).toBe(0);
    expect(Math.abs(readings.load_power_kw - 2)).toBeLessThan(0.1);
  });
});
