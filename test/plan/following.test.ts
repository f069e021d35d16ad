import { beforeEach, describe, expect, it } from "vitest";
import type { LiveState } from "../../src/core/domain/sample.js";
import { FollowingMonitor } from "../../src/plan/following.js";
import type { Command } from "../../src/plan/policy/policy-input.js";
import type { SitePlan } from "../../src/plan/site-plan.js";
import { samplePlan } from "../api/fake-services.js";

const MINUTE_MS = 60_000;
const START = new Date("2026-05-04T08:00:00Z");
const at = (minute: number) => new Date(START.getTime() + minute * MINUTE_MS);
const BATTERY = { capacityKwh: 10, minSocPct: 10, maxSocPct: 100 };
const LIMITS = { staleMinutes: 15, lostMinutes: 120 };

/** A plan whose command is in force since START: 5 kW each way, capped as given. */
function plan(
  command: Partial<Command>,
  caps: { dischargePowerKw?: number; chargeCapKw?: number; chargeStopSocPct?: number } = {},
): SitePlan {
  const sample = samplePlan();
  return {
    ...sample,
    command: { ...sample.command, mode: "free", chargePowerKw: 0, dischargeCapKw: 5, ...command },
    commandSince: START,
    scalars: { ...sample.scalars, dischargePowerKw: 5, chargeCapKw: 5, chargeStopSocPct: 90, ...caps },
  };
}
const CHARGE = plan({ mode: "charge", chargePowerKw: 4 });
const HOLD = plan({ mode: "hold" }, { dischargePowerKw: 0 });
const BLOCK = plan({ mode: "block" }, { chargeCapKw: 0 });

let monitor: FollowingMonitor;
beforeEach(() => {
  monitor = new FollowingMonitor({ state: "unknown", cause: "no_telemetry", since: START });
});

/** State after a reading at a minute. */
function observe(minute: number, of: SitePlan, readings: Readonly<Record<string, number>>) {
  const live: LiveState = Object.fromEntries(
    Object.entries(readings).map(([name, value]) => [name, { value, at: at(minute) }]),
  );
  const { pv_power_kw: pv, load_power_kw: load } = readings;
  const surplusKw = pv === undefined || load === undefined ? undefined : pv - load;
  return monitor.observe({ now: at(minute), plan: of, live, surplusKw, battery: BATTERY, limits: LIMITS });
}

describe("FollowingMonitor", () => {
  it("leaves a new command five minutes", () => {
    expect(observe(4, CHARGE, { battery_power_kw: 0 }).state).toBe("unknown");
    expect(observe(5, CHARGE, { battery_power_kw: 4 })).toEqual({
      state: "yes",
      cause: "none",
      since: at(5),
    });
  });

  it.each([
    ["15 % of the power", CHARGE, 3.41, 3.39, "not_charging"],
    ["200 W where that is more", HOLD, -0.19, -0.21, "discharges_despite_cap"],
    ["200 W of a PV charge cap", BLOCK, 0.19, 0.21, "charges_despite_cap"],
    [
      "15 % of a set discharge",
      plan({ mode: "discharge", dischargeCapKw: 2 }, { dischargePowerKw: 2 }),
      -1.71,
      -1.69,
      "not_discharging",
    ],
  ] as const)("tolerates %s", (_, of, withinKw, beyondKw, cause) => {
    expect(observe(10, of, { battery_power_kw: withinKw }).state).toBe("yes");
    observe(11, of, { battery_power_kw: beyondKw });
    expect(observe(13, of, { battery_power_kw: beyondKw })).toEqual({ state: "no", cause, since: at(13) });
  });

  it("reports a deviation after two minutes, and its end at once", () => {
    observe(6, HOLD, { battery_power_kw: 0 });
    observe(7, HOLD, { battery_power_kw: -1 });
    expect(observe(8, HOLD, { battery_power_kw: -1 }).state).toBe("yes");
    expect(observe(9, HOLD, { battery_power_kw: -1 })).toMatchObject({ state: "no", since: at(9) });
    expect(observe(20, HOLD, { battery_power_kw: -1 }).since).toEqual(at(9));
    expect(observe(21, HOLD, { battery_power_kw: 0 })).toEqual({
      state: "yes",
      cause: "none",
      since: at(21),
    });
  });

  it("restarts after a pause of the deviation", () => {
    observe(6, HOLD, { battery_power_kw: -1 });
    observe(7, HOLD, { battery_power_kw: 0 });
    expect(observe(8, HOLD, { battery_power_kw: -1 }).state).toBe("yes");
    expect(observe(9, HOLD, { battery_power_kw: -1 }).state).toBe("yes");
  });

  it("does not expect a full battery to charge, nor an empty one to discharge", () => {
    expect(observe(10, CHARGE, { battery_power_kw: 0, soc_pct: 89.5 }).state).toBe("yes");
    const discharge = plan({ mode: "discharge", dischargeCapKw: 2 });
    expect(observe(11, discharge, { battery_power_kw: 0, soc_pct: 10.5 }).state).toBe("yes");
  });

  it("finds a charge from the grid without a command, but not one from PV", () => {
    const free = plan({});
    const surplus = { load_power_kw: 0.5, pv_power_kw: 3 };
    expect(observe(10, free, { battery_power_kw: 2.5, ...surplus }).state).toBe("yes");
    observe(11, free, { battery_power_kw: 4, ...surplus });
    expect(observe(13, free, { battery_power_kw: 4, ...surplus }).cause).toBe("charges_from_grid");
  });

  it("is unknown without a reading, and when the last one is too old", () => {
    expect(observe(10, HOLD, {})).toMatchObject({ state: "unknown", cause: "no_telemetry" });
    expect(observe(11, HOLD, { battery_power_kw: 0 }).state).toBe("yes");
    const live: LiveState = { battery_power_kw: { value: 0, at: at(11) } };
    const later = { now: at(27), plan: HOLD, live, battery: BATTERY, limits: LIMITS };
    expect(monitor.observe(later)).toEqual({ state: "unknown", cause: "no_telemetry", since: at(27) });
  });

  it("takes the trend of the SOC where no power is measured, with its resolution", () => {
    expect(observe(6, HOLD, { soc_pct: 60 }).state).toBe("unknown");
    // 1 % in a quarter-hour may be rounding.
    expect(observe(21, HOLD, { soc_pct: 59 }).state).toBe("yes");
    // 20 % in half an hour are 4 kW.
    observe(36, HOLD, { soc_pct: 40 });
    expect(observe(38, HOLD, { soc_pct: 39 })).toMatchObject({
      state: "no",
      cause: "discharges_despite_cap",
    });
  });
});
