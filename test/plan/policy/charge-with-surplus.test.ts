import { expect, it } from "vitest";
import { planBattery } from "../../../src/plan/exact/plan-battery.js";
import { planPolicy } from "../../../src/plan/policy/plan-policy.js";
import { seeded } from "../../support/random.js";
import { BATTERY, costOf, hours, NOW } from "./problems.js";

const controls = ["charge", "hold"] as const;
const battery = { ...BATTERY, minSocKwh: 0, chargeEfficiency: 1, dischargeEfficiency: 1, wearCtKwh: 0 };

it("buys only what the sun of the same hour does not bring", () => {
  const input = {
    now: NOW,
    steps: hours(2, (h) =>
      h === 0
        ? { importCtKwh: 10, exportCtKwh: 5, loadKwh: 0, pvKwh: 2 }
        : { importCtKwh: 40, exportCtKwh: 5, loadKwh: 5, pvKwh: 0 },
    ),
    ratios: [],
    battery,
    controls,
    terminal: [{ kwh: 10, ctKwh: 0 }],
  };
  const policy = planPolicy(input);
  // 1 kWh is stored and 5 are needed: 2 of the sun and 2 of the grid, at 5 kW in 40 minutes with 2 kW of the sun among them.
  const command = policy.act({ now: NOW, socKwh: 1 });
  expect(command.mode).toBe("charge");
  expect(command.stopSocKwh).toBeCloseTo(1 + (5 * 2) / 3, 9);
  expect(costOf(input, 1, (step, socKwh) => policy.act({ now: step.start, socKwh }))).toBeCloseTo(20, 9);
  // The stop does not move while the charge proceeds as planned.
  const later = { now: new Date(NOW.getTime() + 15 * 60_000), socKwh: 1 + 5 / 4 };
  expect(policy.act(later).stopSocKwh).toBeCloseTo(command.stopSocKwh, 9);
  // The plan that is shown does the same.
  expect(policy.simulate({ socKwh: 1, samples: 0 }).path[0]!.expected.importKwh).toBeCloseTo(2, 9);
});

it("charges to the full where the grid is cheaper than the feed-in of the surplus", () => {
  const input = {
    now: NOW,
    steps: hours(2, (h) =>
      h === 0
        ? { importCtKwh: 2, exportCtKwh: 8, loadKwh: 0, pvKwh: 2 }
        : { importCtKwh: 40, exportCtKwh: 5, loadKwh: 5, pvKwh: 0 },
    ),
    ratios: [],
    battery: { ...battery, capacityKwh: 5, maxSocKwh: 5 },
    controls,
    terminal: [{ kwh: 5, ctKwh: 0 }],
  };
  // 4 kWh in 48 minutes, with 2.4 kWh of the grid; then 0.4 kWh of the sun are sold.
  expect(planPolicy(input).act({ now: NOW, socKwh: 1 }).stopSocKwh).toBeCloseTo(5, 9);
});

it("costs what the exact plan costs in sunny hours with cheap prices", () => {
  const random = seeded(7);
  for (let k = 0; k < 20; k++) {
    const input = {
      now: NOW,
      // Storing pays more than feeding in, so that holding surplus back never pays.
      steps: hours(6, (h) => ({
        importCtKwh: h < 3 ? random.between(8, 14) : random.between(20, 40),
        exportCtKwh: 1,
        loadKwh: h < 3 ? 0.2 : random.between(1, 3),
        pvKwh: h < 3 ? random.between(0, 3) : 0,
      })),
      ratios: [],
      battery: { ...battery, wearCtKwh: 1 },
      controls,
      terminal: [{ kwh: 10, ctKwh: 1.5 }],
    };
    const policy = planPolicy(input);
    const ours = costOf(input, 1, (step, socKwh) => policy.act({ now: step.start, socKwh }));
    const exact = planBattery({
      start: NOW,
      stepMinutes: 60,
      importPriceCtKwh: input.steps.map((step) => step.importCtKwh),
      exportPriceCtKwh: input.steps.map((step) => step.exportCtKwh),
      loadKwh: input.steps.map((step) => step.loadKwh),
      pvKwh: input.steps.map((step) => step.pvKwh),
      battery: { ...input.battery, socKwh: 1, exportAllowed: false },
      terminalValueCtKwh: input.terminal,
    });
    expect(ours - exact.objectiveCt).toBeLessThan(1.5);
  }
});
