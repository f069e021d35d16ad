import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BATTERY_MODES } from "../../../src/core/domain/battery.js";
import { type InverterCommand, inverterStep } from "../../../src/plan/physics/inverter.js";
import { runs } from "../../support/runs.js";

const storage = {
  minSocKwh: 1,
  maxSocKwh: 9,
  maxChargePowerKw: 4,
  maxDischargePowerKw: 3,
  chargeEfficiency: 0.9,
  dischargeEfficiency: 0.8,
};

function hour(command: InverterCommand, flows: { load: number; pv: number; soc: number }, connection = {}) {
  const step = { minutes: 60, loadKwh: flows.load, pvKwh: flows.pv };
  return inverterStep({ storage, connection, command, step, socKwh: flows.soc });
}

describe("inverterStep", () => {
  it("free stores surplus and serves the deficit", () => {
    expect(hour({ mode: "free" }, { load: 1, pv: 3, soc: 5 })).toMatchObject({
      chargeKwh: 2,
      socEndKwh: 6.8,
      exportKwh: 0,
    });
    expect(hour({ mode: "free" }, { load: 3, pv: 1, soc: 5 })).toMatchObject({
      dischargeKwh: 2,
      socEndKwh: 2.5,
      importKwh: 0,
    });
  });

  it("hold imports the deficit, block exports the surplus", () => {
    expect(hour({ mode: "hold" }, { load: 3, pv: 1, soc: 5 })).toMatchObject({ importKwh: 2, socEndKwh: 5 });
    expect(hour({ mode: "hold" }, { load: 1, pv: 3, soc: 5 })).toMatchObject({ chargeKwh: 2 });
    expect(hour({ mode: "block" }, { load: 1, pv: 3, soc: 5 })).toMatchObject({ exportKwh: 2, socEndKwh: 5 });
    expect(hour({ mode: "block" }, { load: 3, pv: 1, soc: 5 })).toMatchObject({ dischargeKwh: 2 });
  });

  it("charge runs at its power up to the stop SOC, then stores the surplus alone", () => {
    const command = { mode: "charge", chargePowerKw: 4, stopSocKwh: 6.8 } as const;
    const dark = hour(command, { load: 1, pv: 0, soc: 5 });
    expect(dark.chargeKwh).toBeCloseTo(2);
    expect(dark.importKwh).toBeCloseTo(3);
    const sunny = hour(command, { load: 0, pv: 1, soc: 5 });
    // Half an hour at 4 kW, then half an hour at 1 kW of surplus.
    expect(sunny.chargeKwh).toBeCloseTo(2.5);
    expect(sunny.importKwh).toBeCloseTo(1.5);
  });

  it("charge respects the import limit, and does not charge when the load exceeds it", () => {
    const command = { mode: "charge" } as const;
    expect(hour(command, { load: 1, pv: 0, soc: 5 }, { importLimitKw: 2.5 })).toMatchObject({
      chargeKwh: 1.5,
      importKwh: 2.5,
    });
    expect(hour(command, { load: 3, pv: 0, soc: 5 }, { importLimitKw: 2.5 })).toMatchObject({
      chargeKwh: 0,
      importKwh: 3,
    });
  });

  it("discharge supplies its power up to the feed-in limit", () => {
    const command = { mode: "discharge", dischargeCapKw: 3 } as const;
    expect(hour(command, { load: 1, pv: 0, soc: 9 })).toMatchObject({ dischargeKwh: 3, exportKwh: 2 });
    expect(hour(command, { load: 1, pv: 0, soc: 9 }, { exportLimitKw: 1.5 })).toMatchObject({
      dischargeKwh: 2.5,
      exportKwh: 1.5,
      curtailedKwh: 0,
    });
    // PV alone already exceeds the limit.
    expect(hour(command, { load: 0, pv: 2, soc: 9 }, { exportLimitKw: 1.5 })).toMatchObject({
      dischargeKwh: 0,
      exportKwh: 1.5,
      curtailedKwh: 0.5,
    });
    expect(hour(command, { load: 5, pv: 0, soc: 9 })).toMatchObject({ dischargeKwh: 3, importKwh: 2 });
  });

  it("curtails PV above the feed-in limit", () => {
    const command = { mode: "block", feedInLimitKw: 0 } as const;
    expect(hour(command, { load: 1, pv: 3, soc: 5 })).toMatchObject({ exportKwh: 0, curtailedKwh: 2 });
  });

  const energy = fc.double({ min: 0, max: 8, noNaN: true });
  const cases = fc.record({
    mode: fc.constantFrom(...BATTERY_MODES),
    minutes: fc.constantFrom(5, 15, 60),
    loadKwh: energy,
    pvKwh: energy,
    socKwh: fc.double({ min: 0, max: 10, noNaN: true }),
    chargePowerKw: energy,
    stopSocKwh: energy,
    dischargeCapKw: energy,
    chargeCapKw: energy,
    importLimitKw: fc.option(energy, { nil: undefined }),
    exportLimitKw: fc.option(energy, { nil: undefined }),
  });

  it("balances energy and respects SOC band, powers and limits in every mode", () => {
    fc.assert(
      fc.property(cases, (c) => {
        const connection = {
          ...(c.importLimitKw === undefined ? {} : { importLimitKw: c.importLimitKw }),
          ...(c.exportLimitKw === undefined ? {} : { exportLimitKw: c.exportLimitKw }),
        };
        const hours = c.minutes / 60;
        const flows = inverterStep({ storage, connection, command: c, step: c, socKwh: c.socKwh });
        const { chargeKwh, dischargeKwh, importKwh, exportKwh, curtailedKwh, socEndKwh } = flows;
        expect(c.loadKwh + chargeKwh + exportKwh).toBeCloseTo(
          c.pvKwh - curtailedKwh + dischargeKwh + importKwh,
          9,
        );
        expect(Math.min(chargeKwh, dischargeKwh)).toBe(0);
        expect(socEndKwh).toBeCloseTo(c.socKwh + chargeKwh * 0.9 - dischargeKwh / 0.8, 9);
        for (const flow of [chargeKwh, dischargeKwh, importKwh, exportKwh, curtailedKwh]) {
          expect(flow).toBeGreaterThanOrEqual(0);
        }
        expect(chargeKwh).toBeLessThanOrEqual(4 * hours + 1e-9);
        expect(dischargeKwh).toBeLessThanOrEqual(3 * hours + 1e-9);
        if (chargeKwh > 0) expect(socEndKwh).toBeLessThanOrEqual(9 + 1e-9);
        if (dischargeKwh > 0) expect(socEndKwh).toBeGreaterThanOrEqual(1 - 1e-9);
        expect(exportKwh).toBeLessThanOrEqual((c.exportLimitKw ?? Infinity) * hours + 1e-9);
        const ownImport = Math.max(0, c.loadKwh - c.pvKwh);
        expect(importKwh).toBeLessThanOrEqual(
          Math.max(ownImport, (c.importLimitKw ?? Infinity) * hours) + 1e-9,
        );
        if (c.mode === "hold" || c.mode === "charge") expect(dischargeKwh).toBe(0);
        if (c.mode === "block" || c.mode === "discharge") expect(chargeKwh).toBe(0);
      }),
      { seed: 7, numRuns: runs(1000) },
    );
  });
});
