import { describe, expect, it } from "vitest";
import { inverterStep } from "../../../src/plan/physics/inverter.js";
import { planPolicy } from "../../../src/plan/policy/plan-policy.js";
import type { PolicyInput, PolicyStep } from "../../../src/plan/policy/policy-input.js";
import { chainOf } from "../../../src/plan/policy/stages.js";
import { type Random, seeded } from "../../support/random.js";
import { hours, NOW } from "./problems.js";

const MODES = ["free", "hold", "block"] as const;
/** Energies that are multiples of the distance between two points of the value functions: nothing is interpolated. */
const STEP_KWH = 0.25;
const BATTERY = {
  capacityKwh: 10,
  minSocKwh: 0,
  maxSocKwh: 10,
  maxChargePowerKw: 3,
  maxDischargePowerKw: 2,
  chargeEfficiency: 1,
  dischargeEfficiency: 1,
  wearCtKwh: 1,
};
const END_CT = 18;

function problem(random: Random, pvKwh: readonly number[]): PolicyInput {
  return {
    now: NOW,
    steps: hours(pvKwh.length, (h) => ({
      importCtKwh: random.between(5, 45),
      exportCtKwh: random.between(2, 20),
      loadKwh: 4 * STEP_KWH * random.pick([1, 2]),
      pvKwh: pvKwh[h]!,
    })),
    ratios: pvKwh.map(() => [0.5, random.pick([1, 1.5]), 2.25]),
    shares: [0.5, 0.3, 0.2],
    persistence: random.between(0.1, 0.9),
    pv: { factors: [0.5, 1.25], shares: [0.4, 0.6], persistence: random.between(0.1, 0.95) },
    battery: BATTERY,
    controls: ["hold", "block"],
    terminal: [{ kwh: 10, ctKwh: END_CT }],
  };
}

type Node = { k: number; m: number; p: number };

/** Least expected cost by a tree of all courses: no layers, no mixing. */
function treeCt(input: PolicyInput, t: number, socKwh: number, before: Omit<Node, "p"> | undefined): number {
  const step = input.steps[t];
  if (step === undefined) return -END_CT * socKwh;
  const nodes = nodesOf(input, t, before);
  return Math.min(
    ...MODES.map((mode) =>
      nodes.reduce((sum, node) => {
        const { ct, endKwh } = carriedOut(input, step, { t, node, mode, socKwh });
        return sum + node.p * (ct + treeCt(input, t + 1, endKwh, node));
      }, 0),
    ),
  );
}

function nodesOf(input: PolicyInput, t: number, before: Omit<Node, "p"> | undefined): Node[] {
  const { pv, shares, persistence } = input;
  const isDark = t > 0 && input.steps[t - 1]!.pvKwh === 0;
  return shares!.flatMap((share, k) =>
    pv!.shares.map((pvShare, m) => {
      const load =
        before === undefined ? share : (1 - persistence!) * share + (before.k === k ? persistence! : 0);
      const sun =
        before === undefined || isDark
          ? pvShare
          : (1 - pv!.persistence) * pvShare + (before.m === m ? pv!.persistence : 0);
      return { k, m, p: load * sun };
    }),
  );
}

function carriedOut(
  input: PolicyInput,
  step: PolicyStep,
  { t, node, mode, socKwh }: { t: number; node: Node; mode: (typeof MODES)[number]; socKwh: number },
) {
  const netKwh = step.loadKwh * input.ratios[t]![node.k]! - step.pvKwh * input.pv!.factors[node.m]!;
  const flows = inverterStep({
    storage: BATTERY,
    command: { mode },
    step: { minutes: 60, loadKwh: Math.max(0, netKwh), pvKwh: Math.max(0, -netKwh) },
    socKwh,
  });
  const ct =
    flows.importKwh * step.importCtKwh -
    flows.exportKwh * step.exportCtKwh +
    flows.dischargeKwh * BATTERY.wearCtKwh;
  return { ct, endKwh: flows.socEndKwh };
}

/** Expected over the scenario before the first step. */
function expectedTreeCt(input: PolicyInput, socKwh: number): number {
  return nodesOf(input, 0, undefined).reduce((sum, node) => sum + node.p * treeCt(input, 0, socKwh, node), 0);
}

describe("planPolicy with shares, persistence and uncertain PV", () => {
  it.each([
    ["in daylight", [2, 4, 2]],
    ["over a night", [2, 0, 2]],
    ["before sunrise", [0, 0, 4]],
  ])("expects what the tree of all courses does %s", (_, pvKwh) => {
    const random = seeded(7);
    for (let run = 0; run < 2; run++) {
      const input = problem(random, pvKwh);
      const policy = planPolicy(input);
      for (const socKwh of [0, 3, 9.5])
        expect(policy.costCt(socKwh)).toBeCloseTo(expectedTreeCt(input, socKwh), 9);
    }
  });

  it("uses a persistence of at most 0.2 where no step has PV", () => {
    const used = (pvKwh: number[], persistence?: number) => {
      const { persistence: _, ...input } = problem(seeded(4), pvKwh);
      return chainOf({ ...input, ...(persistence !== undefined && { persistence }) }).load.persistence;
    };
    expect(used([0, 0, 0], 0.8)).toBe(0.2);
    expect(used([0, 0, 0], 0.1)).toBe(0.1);
    expect(used([0, 0.1, 0], 0.8)).toBe(0.8);
    expect(used([0, 0, 0])).toBe(0.5);
  });

  it("costs over many samples what it expects", () => {
    const input = problem(seeded(3), [2, 0, 4, 2]);
    const policy = planPolicy(input);
    const { objectiveCt, boundCt } = policy.bound({ socKwh: 3, samples: 1000 });
    expect(Math.abs(objectiveCt - policy.costCt(3))).toBeLessThan(0.03 * Math.abs(policy.costCt(3)));
    expect(boundCt).toBeLessThanOrEqual(objectiveCt + 1e-6);
  });

  it("is the same with one PV factor of 1, and with load ranks of which only one has a share", () => {
    const input = problem(seeded(5), [2, 4, 2]);
    const plain = { ...input, pv: undefined };
    const one = { ...input, pv: { factors: [1], shares: [1], persistence: 0.9 } };
    expect(planPolicy(one).costCt(3)).toBe(planPolicy(plain).costCt(3));
    const middle = {
      ...plain,
      ratios: input.ratios.map((row) => [row[0]!, 1, row[2]!]),
      shares: [0, 1, 0],
      persistence: 0,
    };
    // One scenario alone is solved on more points, so that prices are compared, not grids.
    expect(planPolicy(middle).costCt(3)).toBeCloseTo(planPolicy({ ...plain, ratios: [] }).costCt(3), 9);
  });

  it("takes measured PV below the forecast for a dark day: the later surplus is not waited for", () => {
    const input: PolicyInput = {
      now: NOW,
      steps: hours(6, (h) => ({
        importCtKwh: 30,
        exportCtKwh: h < 2 ? 14 : 10,
        loadKwh: 0.5,
        pvKwh: h < 2 ? 3 : 2,
      })),
      ratios: [],
      pv: { factors: [0.3, 1, 1.6], shares: [1 / 3, 1 / 3, 1 / 3], persistence: 0.97 },
      battery: { ...BATTERY, capacityKwh: 6, maxSocKwh: 6 },
      controls: ["block"],
      terminal: [{ kwh: 6, ctKwh: 29 }],
    };
    const policy = planPolicy(input);
    const now = new Date(NOW.getTime() + 30 * 60_000);
    expect(policy.act({ now, socKwh: 0, netLoadKw: -4.3, pvKw: 4.8 }).mode).toBe("block");
    expect(policy.act({ now, socKwh: 0, netLoadKw: -0.4, pvKw: 0.9 }).mode).toBe("free");
    // The net load alone says the same, less clearly.
    expect(policy.act({ now, socKwh: 0, netLoadKw: -4.3 }).mode).toBe("block");
    expect(policy.act({ now, socKwh: 0, netLoadKw: -0.4 }).mode).toBe("free");
  });

  it("has an answer where all nodes of the load and of PV are alike", () => {
    const input = { ...problem(seeded(9), [2, 2]), ratios: [[1, 1, 1]] };
    const alike = { ...input, pv: { factors: [1, 1], shares: [0.4, 0.6], persistence: 0.9 } };
    for (const measured of [{}, { netLoadKw: 1 }, { netLoadKw: 1, pvKw: 2 }])
      expect(planPolicy(alike).act({ now: NOW, socKwh: 3, ...measured }).valueCtKwh).not.toBeNaN();
  });

  it.each<[string, Partial<PolicyInput>]>([
    ["shares", { shares: [0.5, 0.2] }],
    ["shares[0]", { shares: [-0.5, 1.5] }],
    ["persistence", { persistence: 1.2 }],
    ["pv.shares", { pv: { factors: [1], shares: [0.5], persistence: 0.9 } }],
    ["pv.factors", { pv: { factors: [1, 2], shares: [1], persistence: 0.9 } }],
    ["pv.factors[0]", { pv: { factors: [-1], shares: [1], persistence: 0.9 } }],
    ["pv.persistence", { pv: { factors: [1], shares: [1], persistence: Number.NaN } }],
  ])("names the field %s that makes no sense", (field, wrong) => {
    const call = () => planPolicy({ ...problem(seeded(1), [1]), ...wrong });
    expect(call).toThrow(RangeError);
    expect(call).toThrow(field);
  });
});
