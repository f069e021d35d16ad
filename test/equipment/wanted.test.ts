import { describe, expect, it } from "vitest";
import { wantedOfBattery } from "../../src/equipment/wanted.js";

const free: Parameters<typeof wantedOfBattery>[0] = {
  chargeNow: 0,
  chargePowerKw: 0,
  chargeStopSocPct: 100,
  dischargeSetKw: 0,
  dischargePowerKw: 5,
  dischargeReason: "full",
  chargeCapKw: 5,
  chargeCapReason: "full",
  adaptiveDischarge: true,
};
const blocked = { chargeCapKw: 0, chargeCapReason: "pv_later" } as const;

describe("the wanted state of a battery", () => {
  it.each([
    ["free", {}],
    ["charge", { chargeNow: 1, chargePowerKw: 3 }],
    ["hold", { dischargePowerKw: 0, dischargeReason: "cheap_hold" }],
    ["cap", { dischargePowerKw: 2, dischargeReason: "cheap_hold" }],
    ["block", blocked],
    // At a negative import price the battery gives nothing, whatever the mode.
    ["hold", { ...blocked, dischargePowerKw: 0, dischargeReason: "cheap_hold" }],
  ] as const)("is %s for %j", (state, scalars) => {
    expect(wantedOfBattery({ ...free, ...scalars })?.state).toBe(state);
  });

  it("rests where neither the load is served nor PV stored", () => {
    const still = { dischargePowerKw: 0, dischargeReason: "cheap_hold" } as const;
    expect(wantedOfBattery({ ...free, ...still })?.isResting).toBe(false);
    for (const chargeCapReason of ["standby", "pv_later"] as const)
      expect(wantedOfBattery({ ...free, ...still, chargeCapKw: 0, chargeCapReason })).toMatchObject({
        state: "hold",
        isResting: true,
      });
  });

  it("is none while the state of charge is lost", () => {
    expect(wantedOfBattery({ ...free, dischargeReason: "telemetry_lost" })).toBeUndefined();
  });
});
