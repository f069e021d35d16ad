import { describe, expect, it } from "vitest";
import { type BatteryPowers, EffectProof } from "../../src/equipment/effect-proof.js";
import { manualClock } from "../support/manual-clock.js";
import { bench } from "./harness.js";

const usual = { servesLoad: true, storesPv: true, setsPower: true };
const EFFECTS: Record<string, typeof usual> = {
  free: usual,
  charge: { ...usual, servesLoad: false },
  hold: { ...usual, servesLoad: false },
  standby: { servesLoad: false, storesPv: false, setsPower: true },
  cap: usual,
  block: { ...usual, storesPv: false },
  discharge: { ...usual, storesPv: false },
};

const START_MS = Date.parse("2026-01-15T02:00:00Z");

function proofOf(settleMs = 0) {
  const device = { effect: (state: string) => EFFECTS[state], isAppliedByAnother: false };
  return new EffectProof({ device, pace: { settleMs, appliedMs: 60_000 }, measured: () => undefined });
}

/** The faults that a proof sees each ten seconds while the battery does always the same. */
function faults(
  command: { state: string; powerKw?: number; socStopPct?: number },
  measured: Partial<BatteryPowers>,
  { seconds = 90, proof = proofOf() } = {},
) {
  const seen = [];
  for (let second = 0; second <= seconds; second += 10) {
    const nowMs = START_MS + second * 1000;
    const all = { powerKw: 0, socPct: 50, surplusKw: undefined, minSocPct: 10, maxSocPct: 100, ...measured };
    const miss = proof.observe(
      { powerKw: 0, socStopPct: 100, ...command },
      { ...all, at: new Date(nowMs) },
      nowMs,
    );
    seen.push(miss?.fault);
  }
  return seen;
}

const last = (...of: Parameters<typeof faults>) => faults(...of).at(-1);

describe("the measured power shows a state", () => {
  it.each<[string, { state: string; powerKw?: number; socStopPct?: number }, Partial<BatteryPowers>]>([
    ["charging with a third of the power", { state: "charge", powerKw: 3 }, { powerKw: 1 }],
    ["charging that has reached its stop", { state: "charge", powerKw: 3, socStopPct: 60 }, { socPct: 59 }],
    ["holding while PV is stored", { state: "hold" }, { powerKw: 2, surplusKw: 2 }],
    ["holding with what the inverter uses itself", { state: "hold" }, { powerKw: -0.1 }],
    ["resting", { state: "standby" }, { powerKw: 0.05 }],
    ["a recharge below the minimum", { state: "standby" }, { powerKw: 0.5, socPct: 9 }],
    ["a block that serves the load", { state: "block" }, { powerKw: -1.4 }],
    ["a cap", { state: "cap", powerKw: 1 }, { powerKw: -1.1 }],
    ["giving", { state: "discharge", powerKw: 3 }, { powerKw: -2.7 }],
    ["anything while it is free", { state: "free" }, { powerKw: -3 }],
  ])("%s", (_name, command, measured) => {
    expect(faults(command, measured).filter((fault) => fault !== undefined)).toEqual([]);
  });
});

describe("a state without effect is declined with its probable cause", () => {
  it.each<[string, { state: string; powerKw?: number }, Partial<BatteryPowers>]>([
    ["effect_grid_charge", { state: "charge", powerKw: 3 }, { powerKw: 0, surplusKw: -0.5 }],
    // It stores the surplus and takes nothing from the grid.
    ["effect_grid_charge", { state: "charge", powerKw: 4 }, { powerKw: 1, surplusKw: 1 }],
    ["effect_cold", { state: "charge", powerKw: 3 }, { powerKw: 0, surplusKw: 2 }],
    ["effect_full", { state: "charge", powerKw: 3 }, { powerKw: 0.1, socPct: 99 }],
    ["effect_other", { state: "charge", powerKw: 3 }, { powerKw: -0.8 }],
    ["effect_other", { state: "hold" }, { powerKw: -0.8 }],
    ["effect_other", { state: "standby" }, { powerKw: 1 }],
    ["effect_other", { state: "block" }, { powerKw: 1 }],
    ["effect_other", { state: "cap", powerKw: 1 }, { powerKw: -2 }],
    ["effect_empty", { state: "discharge", powerKw: 3 }, { powerKw: -0.1, socPct: 11 }],
    ["effect_other", { state: "discharge", powerKw: 3 }, { powerKw: 0.5, socPct: 60 }],
  ])("%s of %j", (fault, command, measured) => {
    expect(last(command, measured)).toBe(fault);
  });

  it("only after the battery had its time, and once readings show it for 20 seconds", () => {
    const seen = faults({ state: "hold" }, { powerKw: -1 });
    expect(seen.findIndex((fault) => fault !== undefined)).toBe(5);
    const slow = faults({ state: "hold" }, { powerKw: -1 }, { proof: proofOf(60_000) });
    expect(slow.findIndex((fault) => fault !== undefined)).toBe(8);
  });

  it("until it shows itself, or another command is given; a power that follows the house is one command", () => {
    const proof = proofOf();
    expect(last({ state: "charge", powerKw: 3 }, {}, { proof })).toBe("effect_grid_charge");
    expect(faults({ state: "charge", powerKw: 3.3 }, {}, { proof, seconds: 0 })).toEqual([
      "effect_grid_charge",
    ]);
    expect(faults({ state: "charge", powerKw: 3.3 }, { powerKw: 2 }, { proof, seconds: 90 }).at(-1)).toBe(
      undefined,
    );
    expect(last({ state: "hold" }, { powerKw: -1 }, { proof })).toBe("effect_other");
    expect(faults({ state: "free" }, { powerKw: -1 }, { proof, seconds: 0 })).toEqual([undefined]);
  });

  it("says nothing without a reading of now", () => {
    const proof = proofOf();
    const command = { state: "hold", powerKw: 0, socStopPct: 100 };
    const old = {
      powerKw: -2,
      socPct: 50,
      surplusKw: 0,
      minSocPct: 10,
      maxSocPct: 100,
      at: new Date(START_MS),
    };
    for (let minute = 0; minute < 10; minute++)
      expect(proof.observe(command, old, START_MS + minute * 60_000)).toBeUndefined();
    expect(proof.observe(command, undefined, START_MS + 600_000)).toBeUndefined();
  });
});

it("an actuator declines with the cause, keeps what was accepted, and takes it back when the battery follows", async () => {
  const clock = manualClock(new Date(START_MS));
  const measured = { powerKw: 0, socPct: 40, surplusKw: -0.5, minSocPct: 10, maxSocPct: 100 };
  const one = await bench({
    clock,
    template: "http",
    control: "battery",
    with: { urls: { free: "http://192.168.1.9/free", charge: "http://192.168.1.9/charge" } },
    transport: {},
    changes: { measured: () => ({ ...measured, at: clock.now() }) },
  });
  await one.actuator.start();
  one.want("charge", { powerKw: 3 });
  await one.reaches("accepted");
  await one.pass(60_000, 5_000);
  expect(one.actuator.status()).toMatchObject({
    phase: "declined",
    accepted: { state: "charge", powerKw: 3 },
    lastError: { fault: "effect_grid_charge", message: "charge 3.0 kW: measured 0 kW at 40 %" },
  });
  expect(one.actuator.entries().at(-1)).toMatchObject({ event: "declined", state: "charge" });
  measured.powerKw = 2.8;
  await one.pass(60_000, 5_000);
  expect(one.actuator.status()).toMatchObject({ phase: "accepted", lastError: null });
  await one.actuator.stop();
});
