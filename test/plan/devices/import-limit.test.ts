import { expect, it } from "vitest";
import { parse } from "../../../src/config/load.js";
import { HOUR_MS } from "../../../src/core/domain/interval.js";
import type { Device } from "../../../src/plan/devices/device.js";
import { type DevicePlan, planDevices } from "../../../src/plan/devices/plan-devices.js";
import { deviceOf } from "../../../src/plan/devices/site-devices.js";
import type { ChosenSlot, FlexResult } from "../../../src/plan/windows/result.js";
import { withinRoom } from "../../../src/plan/windows/slot-costs.js";
import type { SlotPlan } from "../../../src/plan/windows/slot-schedule.js";

const NOW = new Date("2026-06-14T18:00:00Z");
const HOURS = 16;
const LIMIT_KW = 5;
const LOAD_KW = 1;
const steps = Array.from({ length: HOURS }, (_, t) => ({
  start: new Date(NOW.getTime() + t * HOUR_MS),
  end: new Date(NOW.getTime() + (t + 1) * HOUR_MS),
}));

/** The plan of a vehicle at 20 % and of other devices behind a connection of 5 kW with 1 kW of load. */
function planOf(vehicle: string, others: readonly Device[] = []): DevicePlan {
  const keys = `power_kw: 11, vehicle: { capacity_kwh: 40, efficiency_pct: 100, ${vehicle} }`;
  return planOfWallbox(keys, undefined, others);
}

function planOfWallbox(
  keys: string,
  result: FlexResult | undefined,
  others: readonly Device[] = [],
): DevicePlan {
  const { settings } = parse(`plants: [{ id: home, slots: [{ slot: 1, kind: wallbox, ${keys} }] }]`);
  const slot = settings.plants[0]!.slots[0]!;
  const known = { slot: 1, settings: slot, origin: "settings", plugged: 1, later: [] };
  const plan = { ...known, result } as unknown as SlotPlan;
  const device = deviceOf(plan, {
    now: NOW,
    zone: "Europe/Vienna",
    steps,
    importCtKwh: steps.map(() => 20),
    surplusKwh: steps.map(() => -LOAD_KW),
    importLimitKw: LIMIT_KW,
    state: { socPct: 20 },
  });
  return planDevices({
    site: {
      now: NOW,
      steps: steps.map(({ start }) => ({
        start,
        minutes: 60,
        importCtKwh: 20,
        exportCtKwh: 5,
        loadKwh: LOAD_KW,
        pvKwh: 0,
        published: true,
      })),
      ratios: [],
      battery: {
        capacityKwh: 1e-6,
        minSocKwh: 0,
        maxSocKwh: 1e-6,
        maxChargePowerKw: 0,
        maxDischargePowerKw: 0,
        chargeEfficiency: 1,
        dischargeEfficiency: 1,
      },
      controls: [],
      grid: { importLimitKw: LIMIT_KW },
    },
    socKwh: 0,
    devices: [device!, ...others],
  });
}

function planned(vehicle: string): number[] {
  return planOf(vehicle).kwh[0]!;
}

it("charges a vehicle that takes only surplus up to its least in as many hours as the connection needs", () => {
  const kwh = planned("surplus: only, phases: 1, min_soc_pct: 50");
  // 12 kWh at once, 4 kW beside the load.
  for (const [t, energy] of [4, 4, 4, 0].entries()) expect(kwh[t]).toBeCloseTo(energy, 6);
  expect(kwh.reduce((sum, energy) => sum + energy, 0)).toBeCloseTo(12, 6);
});

it("leaves a vehicle uncharged whose least power the connection does not have, however long it misses its least", () => {
  const kwh = planned("phases: 3, min_soc_pct: 50");
  for (const energy of kwh) expect(energy).toBe(0);
});

it("costs a device with one power more than any price where a vehicle has the room", () => {
  const dishwasher: Device = {
    kind: "runs",
    powerKw: 1.5,
    demands: [{ from: 0, to: HOURS, kwh: 3, unbroken: true }],
  };
  const { kwh, costCtKwh } = planOf("surplus: only, phases: 1, min_soc_pct: 50", [dishwasher]);
  for (const [t, charged] of kwh[0]!.entries()) {
    const overKw = Math.max(0, LOAD_KW + 1.5 + charged - LIMIT_KW);
    expect(kwh[1]![t]! > 0 && overKw > 1e-6).toBe(false);
    expect(costCtKwh[1]![t]!).toBeCloseTo(20 + (1000 * overKw) / 1.5, 3);
  }
});

/** An answer to a demand of 7 kW in the window from 19:00 to midnight. */
const RESULT = {
  role: "consume",
  consecutive: "off",
  gridMinutes: 15,
  powerKw: 7,
  demandHours: 2,
  demandEnergyKwh: 10,
  unmetHours: 0,
  window: { phase: "open", from: steps[1]!.start, end: steps[5]!.end },
  segments: [],
  slots: [],
  windows: [],
} as unknown as FlexResult;

it("charges at a wallbox whose vehicle is not known at the power that the limit leaves, within its window", () => {
  const kwh = planOfWallbox("power_kw: 7, energy_kwh: 10", RESULT).kwh[0]!;
  for (const [t, energy] of kwh.entries()) expect(energy).toBeLessThanOrEqual(t >= 1 && t <= 5 ? 4 : 0);
  expect(kwh.reduce((sum, energy) => sum + energy, 0)).toBeCloseTo(10, 6);
});

it("leaves out the hours in which a device of one power is above the limit", () => {
  const slots = steps.slice(0, 3).map((step, t) => ({ ...step, importCtKwh: 20 + t }) as ChosenSlot);
  const windows = [{ start: steps[0]!.start, end: steps[2]!.end }] as FlexResult["windows"];
  const within = (consecutive: "off" | "required") =>
    withinRoom({ ...RESULT, consecutive, slots, windows }, { steps, ctKwh: [], roomKwh: [7, 7, 6.5] });
  expect(within("off")).toMatchObject({ unmetHours: 1, overLimitHours: 1, windows: [{ hours: 2 }] });
  expect(within("required")).toMatchObject({ unmetHours: 3, overLimitHours: 3, windows: [] });
});
