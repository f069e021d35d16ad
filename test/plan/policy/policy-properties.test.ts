import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BATTERY_MODES, CONTROLLED_MODES } from "../../../src/core/domain/battery.js";
import { dependsOnTerminal, planPolicy } from "../../../src/plan/policy/plan-policy.js";
import type { Command, PolicyInput } from "../../../src/plan/policy/policy-input.js";
import { seeded } from "../../support/random.js";
import { runs } from "../../support/runs.js";
import { BATTERY, costOf, HOUR_MS, hours, NOW, seededProblem } from "./problems.js";

const number = (min: number, max: number) => fc.double({ min, max, noNaN: true });

const step = fc.record({
  importCtKwh: number(-20, 60),
  exportCtKwh: number(-10, 30),
  loadKwh: number(0, 6),
  pvKwh: number(0, 8),
  published: fc.boolean(),
  minutes: fc.constantFrom(15, 60, 60),
});

const problem = fc
  .record({
    steps: fc.array(step, { minLength: 1, maxLength: 12 }),
    ratios: fc.array(fc.array(number(0, 4), { maxLength: 5 }), { maxLength: 12 }),
    controls: fc.subarray([...CONTROLLED_MODES]),
    importLimitKw: fc.option(number(0, 12), { nil: undefined }),
    exportLimitKw: fc.option(number(0, 12), { nil: undefined }),
    curtailmentAllowed: fc.boolean(),
    capacityKwh: fc.constantFrom(0, 5, 10),
    powerKw: fc.constantFrom(0, 3),
    beganMinutes: fc.constantFrom(0, 10),
  })
  .map((c): PolicyInput => {
    let ms = NOW.getTime();
    return {
      now: new Date(NOW.getTime() + c.beganMinutes * 60_000),
      steps: c.steps.map((values) => {
        const start = new Date(ms);
        ms += values.minutes * 60_000;
        return { ...values, start };
      }),
      ratios: c.ratios,
      controls: c.controls,
      battery: {
        ...BATTERY,
        capacityKwh: c.capacityKwh,
        minSocKwh: c.capacityKwh / 10,
        maxSocKwh: c.capacityKwh,
        maxChargePowerKw: c.powerKw,
        maxDischargePowerKw: c.powerKw,
      },
      grid: {
        ...(c.importLimitKw === undefined ? {} : { importLimitKw: c.importLimitKw }),
        ...(c.exportLimitKw === undefined ? {} : { exportLimitKw: c.exportLimitKw }),
        curtailmentAllowed: c.curtailmentAllowed,
      },
    };
  });

const moment = fc.record({
  minute: fc.integer({ min: 0, max: 120 }),
  soc: number(0, 1.1),
  netLoadKw: fc.option(number(-8, 12), { nil: undefined }),
});

function act(input: PolicyInput, at: { minute: number; soc: number; netLoadKw: number | undefined }) {
  return planPolicy(input).act({
    now: new Date(input.now.getTime() + at.minute * 60_000),
    socKwh: at.soc * input.battery.capacityKwh,
    ...(at.netLoadKw === undefined ? {} : { netLoadKw: at.netLoadKw }),
  });
}

function stepAt(input: PolicyInput, minute: number) {
  const ms = input.now.getTime() + minute * 60_000;
  return input.steps.find((s) => s.start.getTime() <= ms && ms < s.start.getTime() + s.minutes * 60_000);
}

describe("planPolicy, whatever the problem", () => {
  it("commands only what the installation, the prices and the band allow", () => {
    fc.assert(
      fc.property(problem, moment, (input, at) => {
        const command = act(input, at);
        const priced = stepAt(input, at.minute);
        const { maxChargePowerKw, maxDischargePowerKw, maxSocKwh } = input.battery;
        expect(BATTERY_MODES).toContain(command.mode);
        if (command.mode !== "free") expect(input.controls).toContain(command.mode);
        for (const value of [command.stopSocKwh, command.valueCtKwh]) expect(value).not.toBeNaN();
        if (command.mode === "charge") {
          expect(priced?.published).toBe(true);
          expect(command.chargePowerKw).toBeGreaterThan(0);
          expect(command.chargePowerKw).toBeLessThanOrEqual(maxChargePowerKw);
          expect(command.stopSocKwh).toBeGreaterThan(at.soc * input.battery.capacityKwh);
          expect(command.stopSocKwh).toBeLessThanOrEqual(maxSocKwh + 1e-9);
          // Charging never exceeds the import limit with the measured load, nor adds to a breach where the battery can be held.
          if (input.controls.includes("hold") || input.controls.includes("standby"))
            expect(command.chargePowerKw + (at.netLoadKw ?? Number.NEGATIVE_INFINITY)).toBeLessThanOrEqual(
              (input.grid?.importLimitKw ?? Number.POSITIVE_INFINITY) + 1e-9,
            );
        } else {
          expect(command.chargePowerKw).toBe(0);
        }
        const isKept = (priced?.importCtKwh ?? 0) < 0 && input.controls.includes("hold");
        const gives = !["hold", "standby", "charge"].includes(command.mode) && !isKept;
        if (!gives) expect(command.dischargeCapKw).toBe(0);
        else if (command.mode !== "discharge") expect(command.dischargeCapKw).toBe(maxDischargePowerKw);
        expect(command.chargeCapKw).toBe(
          ["block", "standby", "discharge"].includes(command.mode) ? 0 : maxChargePowerKw,
        );
        expect(command.dischargeCapKw).toBeLessThanOrEqual(maxDischargePowerKw + 1e-9);
        expect(command.reason === "negative_price").toBe(
          (priced?.importCtKwh ?? 0) < 0 && command.dischargeCapKw === 0,
        );
      }),
      { seed: 3, numRuns: runs(400) },
    );
  });

  it("answers the same question the same way, and keeps a mode that costs next to nothing more", () => {
    fc.assert(
      fc.property(problem, moment, fc.constantFrom(...BATTERY_MODES), (input, at, mode) => {
        const command = act(input, at);
        expect(act(input, at)).toEqual(command);
        const now = new Date(input.now.getTime() + at.minute * 60_000);
        const socKwh = at.soc * input.battery.capacityKwh;
        const netLoadKw = at.netLoadKw ?? 0;
        const previous: Command = { ...command, mode };
        const kept = planPolicy(input).act({ now, socKwh, netLoadKw, previous });
        // What was kept once is kept again: no flapping at one instant.
        expect(planPolicy(input).act({ now, socKwh, netLoadKw, previous: kept }).mode).toBe(kept.mode);
      }),
      { seed: 4, numRuns: runs(200) },
    );
  });

  it("is never cheaper than its bound, nor is a battery left alone, also from outside of the band", () => {
    fc.assert(
      fc.property(problem, number(0, 1.1), (input, soc) => {
        const bound = planPolicy(input).bound({
          socKwh: soc * input.battery.capacityKwh,
          samples: input.steps.length % 3,
        });
        expect(bound.boundCt).toBeLessThanOrEqual(bound.objectiveCt + 1e-9);
        expect(bound.boundCt).toBeLessThanOrEqual(bound.uncontrolledCt + 1e-9);
      }),
      { seed: 7, numRuns: runs(60) },
    );
  });

  it("simulates within the band, from the controls alone", () => {
    fc.assert(
      fc.property(problem, number(0.1, 1), (input, soc) => {
        const socKwh = soc * input.battery.capacityKwh;
        const run = planPolicy(input).simulate({ socKwh, samples: 12, seed: 5 });
        expect(run.bandCt[0]).toBeLessThanOrEqual(run.bandCt[1]);
        expect(Number.isFinite(run.expectedCostCt + run.expectedSavingCt)).toBe(true);
        const { importLimitKw = Number.POSITIVE_INFINITY, exportLimitKw = Number.POSITIVE_INFINITY } =
          input.grid ?? {};
        const offset = input.steps.length - run.path.length;
        const isRight = ({ mode, socKwh: stored, expected }: (typeof run.path)[number], t: number) => {
          const { minutes, loadKwh } = input.steps[t + offset]!;
          return (
            // Only load that the battery cannot serve exceeds the import limit; the rest of PV is curtailed.
            expected.importKwh <= Math.max((importLimitKw * minutes) / 60, loadKwh) + 1e-9 &&
            expected.exportKwh <= (exportLimitKw * minutes) / 60 + 1e-9 &&
            (mode === "free" || input.controls.includes(mode)) &&
            stored.p10 >= input.battery.minSocKwh - 1e-9 &&
            stored.p90 <= input.battery.maxSocKwh + 1e-9 &&
            stored.p10 <= stored.p90
          );
        };
        expect(run.path.filter((step, t) => !isRight(step, t))).toEqual([]);
      }),
      { seed: 6, numRuns: runs(150) },
    );
  });
});

describe("planPolicy", () => {
  const night = hours(24, (h) => ({ importCtKwh: h < 6 ? 10 + h : 35 }));
  const input: PolicyInput = {
    now: NOW,
    steps: night,
    ratios: [],
    battery: BATTERY,
    controls: ["charge", "hold"],
  };

  it.each([
    { cheap: 1, mode: "free" },
    { cheap: 6, mode: "hold" },
  ])(
    "holds for $cheap hours that gain 0.3 ct each, less two changes of the mode: $mode",
    ({ cheap, mode }) => {
      const policy = planPolicy({
        ...input,
        steps: hours(24, (h) => ({ importCtKwh: h < cheap ? 39.7 : h < cheap + 3 ? 40 : 20, loadKwh: 1 })),
        controls: ["hold"],
        terminal: [{ kwh: 10, ctKwh: 0 }],
      });
      const at = { now: NOW, socKwh: 4 };
      const first = policy.act(at);
      expect(first.mode).toBe("hold");
      expect(policy.act({ ...at, previous: { ...first, mode: "free" } }).mode).toBe(mode);
    },
  );

  it("costs, with 0.2 ct for each change of the mode, nearly what the best of all sequences costs at prices that go up and down", () => {
    const random = seeded(21);
    const modes = ["free", "hold", "block"] as const;
    for (let k = 0; k < 6; k++) {
      const problem: PolicyInput = {
        ...input,
        steps: hours(7, () => ({
          importCtKwh: 24 + random.between(0, 3),
          exportCtKwh: random.between(20, 24),
          loadKwh: random.between(0, 2),
          pvKwh: random.between(0, 2),
        })),
        controls: ["hold", "block"],
        terminal: [{ kwh: 10, ctKwh: 23 }],
      };
      const totalCt = (
        modeOf: (step: PolicyInput["steps"][number], socKwh: number) => (typeof modes)[number],
      ) => {
        let changesCt = 0;
        let before = "free";
        const ct = costOf(problem, 5, (step, socKwh) => {
          const mode = modeOf(step, socKwh);
          if (mode !== before) changesCt += 0.2;
          before = mode;
          return { mode };
        });
        return ct + changesCt;
      };
      const policy = planPolicy(problem);
      let previous: Command = { ...policy.act({ now: NOW, socKwh: 5 }), mode: "free" };
      const ours = totalCt((step, socKwh) => {
        previous = policy.act({ now: step.start, socKwh, previous });
        return previous.mode as (typeof modes)[number];
      });
      let best = Number.POSITIVE_INFINITY;
      for (let code = 0; code < modes.length ** 7; code++) {
        let rest = code;
        const ct = totalCt(() => {
          const mode = modes[rest % modes.length]!;
          rest = Math.floor(rest / modes.length);
          return mode;
        });
        best = Math.min(best, ct);
      }
      expect(ours - best).toBeLessThan(0.01);
    }
  });

  it("keeps the mode in force or takes the cheapest one where far less is stored than the least", () => {
    const random = seeded(4);
    for (let k = 0; k < 12; k++) {
      const policy = planPolicy({ ...seededProblem(random), battery: { ...BATTERY, minSocKwh: 5 } });
      const at = { now: NOW, socKwh: 0.5 };
      const cheapest = policy.act(at);
      for (const mode of ["free", "hold", "charge"] as const)
        expect([mode, cheapest.mode]).toContain(policy.act({ ...at, previous: { ...cheapest, mode } }).mode);
    }
  });

  it("charges in cheap hours once their price is published", () => {
    expect(planPolicy(input).act({ now: NOW, socKwh: 2 })).toMatchObject({
      mode: "charge",
      reason: "cheap_price",
      chargePowerKw: 5,
    });
    const guessed = planPolicy({ ...input, steps: night.map((step) => ({ ...step, published: false })) });
    expect(guessed.act({ now: NOW, socKwh: 2 }).mode).not.toBe("charge");
  });

  it("goes on without a price beyond the horizon and in a gap", () => {
    const policy = planPolicy({ ...input, steps: night.filter((_, h) => h !== 3) });
    for (const hour of [3.5, 30]) {
      const now = new Date(NOW.getTime() + hour * HOUR_MS);
      expect(policy.act({ now, socKwh: 5 })).toMatchObject({ mode: "free", reason: "no_price" });
    }
    expect(planPolicy({ ...input, steps: [] }).act({ now: NOW, socKwh: 5 }).mode).toBe("free");
    expect(planPolicy({ ...input, steps: [] }).simulate({ socKwh: 5 }).path).toEqual([]);
  });

  it.each<[string, (valid: PolicyInput) => unknown]>([
    ["now", (v) => ({ ...v, now: new Date(Number.NaN) })],
    ["steps", (v) => ({ ...v, steps: undefined })],
    ["steps[0].loadKwh", (v) => ({ ...v, steps: [{ ...v.steps[0], loadKwh: -1 }] })],
    ["steps[0].minutes", (v) => ({ ...v, steps: [{ ...v.steps[0], minutes: 0 }] })],
    ["steps[0].published", (v) => ({ ...v, steps: [{ ...v.steps[0], published: undefined }] })],
    ["steps[1].start", (v) => ({ ...v, steps: [v.steps[1], v.steps[0]] })],
    ["ratios[0][1]", (v) => ({ ...v, ratios: [[1, -1]] })],
    ["battery.minSocKwh", (v) => ({ ...v, battery: { ...BATTERY, minSocKwh: 11 } })],
    ["battery.chargeEfficiency", (v) => ({ ...v, battery: { ...BATTERY, chargeEfficiency: 0 } })],
    ["controls", (v) => ({ ...v, controls: ["free"] })],
    ["grid.importLimitKw", (v) => ({ ...v, grid: { importLimitKw: -1 } })],
    ["terminal[0].ctKwh", (v) => ({ ...v, terminal: [{ kwh: 1, ctKwh: Number.NaN }] })],
  ])("names the field %s that makes no sense", (field, spoil) => {
    const call = () => planPolicy(spoil(input) as PolicyInput);
    expect(call).toThrow(RangeError);
    expect(call).toThrow(field);
  });

  it("names what makes no sense in a question to it", () => {
    const policy = planPolicy(input);
    expect(() => policy.act(undefined as never)).toThrow(new RangeError("input must be an object."));
    expect(() => policy.simulate(undefined as never)).toThrow(new RangeError("input must be an object."));
    expect(() => policy.simulate({ socKwh: 5, unservedKwh: [Number.NaN] })).toThrow(/unservedKwh\[0\]/);
  });
});

it("depends on what is left at the end of the horizon where the courses of its lowest and highest worth differ", () => {
  const answers: boolean[] = [];
  for (let seed = 1; seed <= 12; seed++) {
    const input = seededProblem(seeded(seed));
    const course = (ctKwh: number) =>
      planPolicy({ ...input, terminal: [{ kwh: input.battery.maxSocKwh, ctKwh }] }).simulate({
        socKwh: 4,
        samples: 0,
      }).path;
    const [low, high] = [course(10), course(40)];
    for (const hour of [1, 8, 16, 24, 40, 48]) {
      const until = new Date(NOW.getTime() + hour * HOUR_MS);
      const differs = low.some(
        ({ start, expected }, t) =>
          start < until && Math.abs(expected.socEndKwh - high[t]!.expected.socEndKwh) > 1e-6,
      );
      answers.push(differs);
      expect(dependsOnTerminal(input, [40, 20, 10], { socKwh: 4, until }), `${seed}, ${hour} h`).toBe(
        differs,
      );
    }
  }
  expect(new Set(answers)).toEqual(new Set([true, false]));
});
