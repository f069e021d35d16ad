import { beforeAll, describe, expect, it } from "vitest";
import { loadSolver } from "../../../src/plan/solver/highs.js";
import { optimise } from "../../../src/plan/solver/optimise.js";
import type { OptimizerRequest } from "../../../src/plan/solver/request.js";
import { battery, requestOf } from "./examples.js";

let highs: Awaited<ReturnType<typeof loadSolver>>;
beforeAll(async () => {
  highs = await loadSolver();
});

const answer = (request: OptimizerRequest) =>
  optimise(request, { highs, now: () => performance.now(), limitSeconds: 20 });

const near = (values: number[]) => values.map((value) => expect.closeTo(value, 2));

describe("a battery with losses and a short first step", () => {
  it("covers the dear step from the two cheap ones", () => {
    const found = answer(
      requestOf({
        dt: [450, 900, 900],
        gt: [50, 100, 400],
        p_N: [0.0002, 0.0003, 0.0005],
        p_E: 0.00007,
        eta_c: 0.9,
        eta_d: 0.9,
        strategy: {
          charging_strategy: "charge_before_export",
          discharging_strategy: "discharge_before_import",
        },
        batteries: [
          battery({
            s_capacity: 5000,
            s_max: 5000,
            s_min: 500,
            s_initial: 500,
            c_max: 2000,
            d_max: 2000,
            p_a: 0.0001782,
          }),
        ],
      }),
    );
    expect(found).toMatchObject({
      status: "Optimal",
      objective_value: expect.closeTo(-0.203243, 6),
      batteries: [
        {
          charging_power: near([250, 243.827, 0]),
          discharging_power: near([0, 0, 400]),
          state_of_charge: near([725, 944.444, 500]),
        },
      ],
      grid_import: near([300, 343.827, 0]),
      grid_export: [0, 0, 0],
      flow_direction: [0, 0, 0],
    });
    expect(found.grid_import[2]).toBe(0);
  });
});

describe("a vehicle with a least power", () => {
  const car = (fields: object) =>
    answer(
      requestOf({
        gt: [0, 0, 0],
        p_N: [0.0004, 0.0002, 0.0003],
        eta_c: 0.9,
        eta_d: 0.9,
        batteries: [battery({ s_max: 6000, s_initial: 1000, c_min: 1400, ...fields })],
      }),
    );

  it("charges for its goal in the cheap step", () => {
    expect(car({ c_max: 4000, s_goal: [0, 0, 3000] })).toMatchObject({
      status: "Optimal",
      objective_value: expect.closeTo(-0.444444, 6),
      batteries: [
        {
          charging_power: near([0, 2222.22, 0]),
          discharging_power: [0, 0, 0],
          state_of_charge: near([1000, 3000, 3000]),
        },
      ],
    });
  });

  it("comes as near as possible to a goal out of reach", () => {
    expect(car({ c_max: 1600, s_goal: [0, 4500, 0] })).toMatchObject({
      status: "Optimal",
      objective_value: expect.closeTo(-0.96, 6),
      batteries: [{ charging_power: near([1600, 1600, 0]), state_of_charge: near([2440, 3880, 3880]) }],
    });
  });

  it("charges more than it needs rather than below the least power", () => {
    const found = answer(
      requestOf({
        gt: [0, 0, 0],
        p_N: 0.0002,
        eta_c: 1,
        eta_d: 1,
        batteries: [
          battery({ s_max: 6000, s_initial: 1000, c_min: 1400, c_max: 2000, s_goal: [0, 0, 1500] }),
        ],
      }),
    );
    expect(found.batteries[0]!.charging_power.filter((energy) => energy > 0)).toEqual([1400]);
  });
});

describe("an import limit", () => {
  const limited = (grid: object) =>
    answer(
      requestOf({
        gt: [1500, 400],
        p_N: 0.0003,
        eta_c: 1,
        eta_d: 1,
        grid: { p_max_imp: 1000, ...grid },
        batteries: [battery({ s_max: 1000, c_max: 1000, s_goal: [0, 1000] })],
      }),
    );

  it("is broken by the home only", () => {
    expect(limited({})).toMatchObject({
      objective_value: expect.closeTo(-0.75, 6),
      batteries: [{ charging_power: [0, 600] }],
      grid_import: [1000, 1000],
      grid_import_overshoot: [500, 0],
      limit_violations: { grid_import_limit_exceeded: true, grid_export_limit_hit: false },
    });
  });

  it.each([
    [0.0001, -0.92],
    [1, -500.87],
  ])("with a price of %d per W costs the highest excess once", (prc_p_exc_imp, money) => {
    expect(limited({ prc_p_exc_imp })).toMatchObject({
      objective_value: expect.closeTo(money, 6),
      batteries: [{ charging_power: [0, 1000] }],
      grid_import: [1500, 1400],
      grid_import_overshoot: [500, 400],
      limit_violations: { grid_import_limit_exceeded: true },
    });
  });
});

describe("preferences among schedules of equal money", () => {
  const sunny = (charging_strategy: "none" | "charge_before_export" | "attenuate_feedin_peaks") =>
    answer(
      requestOf({
        gt: [0, 0],
        ft: 1000,
        p_N: 0.0003,
        p_E: 0.0001,
        eta_c: 1,
        eta_d: 1,
        strategy: { charging_strategy },
        batteries: [battery({ s_max: 1000, c_max: 2000, p_a: 0.0001 })],
      }),
    );

  it("charges before it exports", () => {
    expect(sunny("charge_before_export")).toMatchObject({
      objective_value: expect.closeTo(0.1, 6),
      batteries: [{ charging_power: near([1000, 0]) }],
    });
  });

  it("levels the feed-in", () => {
    expect(sunny("attenuate_feedin_peaks").batteries[0]!.charging_power).toEqual(near([500, 500]));
  });

  it("discharges before it imports", () => {
    const found = answer(
      requestOf({
        gt: [500, 500],
        p_N: 0.0003,
        eta_c: 1,
        eta_d: 1,
        strategy: { discharging_strategy: "discharge_before_import" },
        batteries: [battery({ s_max: 500, s_initial: 500, d_max: 2000 })],
      }),
    );
    expect(found.batteries[0]!.discharging_power).toEqual([500, 0]);
    expect(found.grid_import).toEqual([0, 500]);
  });

  it("charges the unit of the higher priority first", () => {
    const found = answer(
      requestOf({
        gt: [0, 0],
        ft: [1000, 1000],
        p_N: 0.0003,
        p_E: 0.0001,
        eta_c: 1,
        eta_d: 1,
        batteries: [0, 2].map((c_priority) => battery({ s_max: 1000, c_max: 1000, p_a: 0.0002, c_priority })),
      }),
    );
    expect(found.batteries.map(({ charging_power }) => charging_power)).toEqual([
      [0, 1000],
      [1000, 0],
    ]);
  });
});

it("stores what the export limit would lose", () => {
  const found = answer(
    requestOf({
      gt: [0, 0],
      ft: [2000, 500],
      p_N: 0.0003,
      p_E: 0.0001,
      eta_c: 1,
      eta_d: 1,
      grid: { p_max_exp: 1000 },
      batteries: [battery({ s_max: 500, c_max: 2000 })],
    }),
  );
  expect(found).toMatchObject({
    batteries: [{ charging_power: [500, 0] }],
    grid_export: [1000, 500],
    grid_export_overshoot: [500, 0],
    limit_violations: { grid_export_limit_hit: true },
  });
});

it("ignores a goal at the end of the first step", () => {
  const found = answer(
    requestOf({
      gt: [0, 0],
      p_N: 0.0003,
      batteries: [battery({ s_max: 1000, c_max: 1000, s_goal: [1000, 0] })],
    }),
  );
  expect(found.batteries[0]!.charging_power).toEqual([0, 0]);
});

it("solves a request without batteries", () => {
  expect(
    answer(requestOf({ gt: [500, 0], ft: [0, 200], p_N: 0.0003, p_E: 0.0001, batteries: [] })),
  ).toMatchObject({
    status: "Optimal",
    batteries: [],
    grid_import: [500, 0],
    grid_export: [0, 200],
    flow_direction: [0, 1],
    objective_value: expect.closeTo(-0.13, 6),
  });
});

it("does not charge from the surplus of a step in which the home imports", () => {
  const found = answer(
    requestOf({
      gt: [1000, 1000],
      ft: [900, 0],
      p_N: [0.0001, 0.0009],
      batteries: [battery({ s_max: 1000, c_max: 900, d_max: 1000, charge_from_grid: false })],
    }),
  );
  expect(found.batteries[0]!.charging_power).toEqual([0, 0]);
});

it("serves a demand of each step", () => {
  const found = answer(
    requestOf({
      gt: [0, 0, 0],
      p_N: 0.0003,
      eta_c: 1,
      eta_d: 1,
      batteries: [
        battery({ s_max: 2000, s_initial: 500, c_min: 1000, c_max: 2000, p_demand: [1000, 1000, 1000] }),
      ],
    }),
  );
  const charged = found.batteries[0]!.charging_power;
  expect(found.status).toBe("Optimal");
  expect(charged.reduce((sum, energy) => sum + energy, 0)).toBeCloseTo(1500, 3);
  expect(charged[0]).toBeGreaterThanOrEqual(1000);
});

it("charges at full power while both prices are negative, though the sun shines", () => {
  const found = answer(
    requestOf({
      gt: [200],
      ft: [1000],
      p_N: -0.0001,
      p_E: -0.0002,
      batteries: [battery({ s_max: 10_000, c_max: 3000, d_max: 3000 })],
    }),
  );
  expect(found.batteries[0]).toMatchObject({ charging_power: [3000], discharging_power: [0] });
});

it("returns from below the lower bound at full power, whatever it costs", () => {
  const found = answer(
    requestOf({
      gt: [0, 0, 0],
      p_N: [0.0009, 0.0003, 0.0003],
      eta_c: 1,
      eta_d: 1,
      batteries: [battery({ s_min: 1000, s_max: 5000, s_initial: 500, c_max: 300 })],
    }),
  );
  expect(found.batteries[0]!.state_of_charge).toEqual(
    [800, 1000, 1000].map((energy) => expect.closeTo(energy, 3)),
  );
});

it("takes 0 as the upper bound of a battery with a capacity as no bound", () => {
  const found = answer(
    requestOf({
      gt: [0, 500],
      p_N: [0.0001, 0.0009],
      batteries: [battery({ s_capacity: 1000, s_max: 0, s_initial: 600, c_max: 1000, d_max: 1000 })],
    }),
  );
  expect(found.batteries[0]!.discharging_power).toEqual([0, 500]);
});

it("is infeasible with a start above the capacity", () => {
  const found = answer(
    requestOf({ gt: [0], p_N: 0.0003, batteries: [battery({ s_max: 1000, s_initial: 2000, d_max: 500 })] }),
  );
  expect(found).toEqual({
    status: "Infeasible",
    objective_value: null,
    limit_violations: { grid_import_limit_exceeded: false, grid_export_limit_hit: false },
    batteries: [],
    grid_import: [],
    grid_export: [],
    flow_direction: [],
    grid_import_overshoot: [],
    grid_export_overshoot: [],
  });
});
