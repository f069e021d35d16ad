import type { Highs } from "highs";
import type { RunsDevice, StoreDevice } from "../../../src/plan/devices/device.js";
import type { SeededSite } from "./seeded-site.js";

/** A column's name and its coefficient. */
type Term = readonly [name: string, coefficient: number];

/** Least and greatest energy that a device may take in a step, kWh, and its columns. */
interface DeviceLoad {
  mostKwh: number[];
  terms: Term[][];
}

/** What the program proves and finds, ct. */
export interface JointOptimum {
  /** Proved lower bound of the cost. */
  boundCt: number;
  /** Best cost found; Infinity where none was. */
  foundCt: number;
}

/**
 * The same week as one mixed-integer program, written from the rules of docs/planner.md and not from the code of the planner:
 * vehicle from its least power on, boiler in quarter-hours, runs unbroken, and the battery with the physics of `free`, `hold`,
 * `block` and `charge`.
 */
export function jointOptimum(
  highs: Highs,
  home: SeededSite,
  { seconds, gap = 1e-4 }: { seconds: number; gap?: number },
): JointOptimum {
  const data = jointProgram(home);
  return highs.withModel({ format: "lp", data }, (solver) => {
    solver.options.set({ output_flag: false, time_limit: seconds, mip_rel_gap: gap });
    solver.run();
    return { boundCt: Number(solver.info.get("mip_dual_bound")), foundCt: solver.getObjectiveValue() };
  });
}

/** The program as text in the LP format. */
export function jointProgram({ site, socKwh, devices }: SeededSite): string {
  const model = new LpText();
  const loads = devices.map((device, d) =>
    device.kind === "store"
      ? addStore(model, device, d)
      : addRuns(model, device, { d, count: site.steps.length }),
  );
  const { battery } = site;
  for (const [t, { importCtKwh, exportCtKwh, loadKwh, pvKwh }] of site.steps.entries()) {
    const [imported, exported, given, charged, stored] = [`i${t}`, `e${t}`, `d${t}`, `c${t}`, `s${t}`];
    model.cost(imported, importCtKwh);
    model.cost(exported, -exportCtKwh);
    model.cost(given, battery.wearCtKwh ?? 1);
    model.row(
      [[imported, 1], [exported, -1], [given, 1], [charged, -1], ...loads.flatMap(({ terms }) => terms[t]!)],
      "=",
      loadKwh - pvKwh,
    );
    model.row(
      [
        [stored, 1],
        ...(t === 0 ? [] : [[`s${t - 1}`, -1] as const]),
        [charged, -battery.chargeEfficiency],
        [given, 1 / battery.dischargeEfficiency],
      ],
      "=",
      t === 0 ? socKwh : 0,
    );
    model.bound(stored, battery.minSocKwh, battery.maxSocKwh);
    model.bound(charged, 0, battery.maxChargePowerKw);
    const leastNetKwh = loadKwh - pvKwh;
    const mostNetKwh = leastNetKwh + loads.reduce((sum, { mostKwh }) => sum + mostKwh[t]!, 0);
    model.bound(given, 0, Math.min(battery.maxDischargePowerKw, Math.max(0, mostNetKwh)));
    addFlows(model, t, { leastNetKwh, mostNetKwh, battery });
  }
  model.cost(`s${site.steps.length - 1}`, -site.terminal![0]!.ctKwh);
  return model.text();
}

/**
 * What grid and battery may do in a step, one of: nothing is exported or given (`hold`, `charge`, `free` in a surplus that is
 * stored); the battery serves all, its full power or what is left; a surplus is exported (`block`), or what exceeds the full
 * power or the room of the battery is.
 */
function addFlows(
  model: LpText,
  t: number,
  of: { leastNetKwh: number; mostNetKwh: number; battery: SeededSite["site"]["battery"] },
): void {
  const { leastNetKwh, mostNetKwh, battery } = of;
  const { minSocKwh, maxSocKwh, maxChargePowerKw: chargeKwh, maxDischargePowerKw: giveKwh } = battery;
  const surplusKwh = Math.max(0, -leastNetKwh);
  const deficitKwh = Math.max(0, mostNetKwh);
  const choice = (name: string, isPossible: boolean): string[] => {
    if (isPossible) model.binary(`${name}${t}`);
    return isPossible ? [`${name}${t}`] : [];
  };
  const times = (names: readonly string[], coefficient: number) =>
    names.map((name): Term => [name, coefficient]);
  const idle = choice("hold", true);
  const served = choice("all", deficitKwh > 0);
  const limited = choice("give", deficitKwh > giveKwh);
  const emptied = choice("last", deficitKwh > 0);
  const blocked = choice("block", surplusKwh > 0);
  const exceeded = choice("over", surplusKwh > chargeKwh);
  const filled = choice("full", surplusKwh > 0);
  model.row(
    times([...idle, ...served, ...limited, ...emptied, ...blocked, ...exceeded, ...filled], 1),
    "=",
    1,
  );
  const partKwh = Math.min(giveKwh, deficitKwh);
  model.row(
    [[`d${t}`, 1], ...times([...served, ...emptied], -partKwh), ...times(limited, -giveKwh)],
    "<=",
    0,
  );
  model.row(
    [
      [`e${t}`, 1],
      ...times([...blocked, ...filled], -surplusKwh),
      ...times(exceeded, chargeKwh - surplusKwh),
    ],
    "<=",
    0,
  );
  model.row(
    [
      [`i${t}`, 1],
      ...times(idle, -(deficitKwh + chargeKwh)),
      ...times(emptied, -deficitKwh),
      ...times(limited, giveKwh - deficitKwh),
    ],
    "<=",
    0,
  );
  model.row(
    [
      [`c${t}`, 1],
      ...times([...idle, ...exceeded], -chargeKwh),
      ...times(filled, -Math.min(chargeKwh, surplusKwh)),
    ],
    "<=",
    0,
  );
  if (limited.length > 0) model.row([[`d${t}`, 1], ...times(limited, -giveKwh)], ">=", 0);
  if (exceeded.length > 0) model.row([[`c${t}`, 1], ...times(exceeded, -chargeKwh)], ">=", 0);
  model.row([[`s${t}`, 1], ...times(emptied, maxSocKwh - minSocKwh)], "<=", maxSocKwh);
  model.row([[`s${t}`, 1], ...times(filled, minSocKwh - maxSocKwh)], ">=", minSocKwh);
}

function addStore(model: LpText, { store }: StoreDevice, d: number): DeviceLoad {
  const load: DeviceLoad = { mostKwh: [], terms: [] };
  for (const [t, { available, drawKwh, leastKwh }] of store.stages.entries()) {
    const [x, s] = [`x${d}_${t}`, `q${d}_${t}`];
    const keeps = 1 - store.lossPerHour;
    model.row(
      [[s, 1], ...(t === 0 ? [] : [[`q${d}_${t - 1}`, -keeps] as const]), [x, -store.efficiency]],
      "=",
      (t === 0 ? store.storedKwh * keeps : 0) - drawKwh,
    );
    model.bound(s, leastKwh, store.maxKwh);
    load.mostKwh.push(available ? store.maxPowerKw : 0);
    load.terms.push([[x, -1]]);
    if (!available) model.bound(x, 0, 0);
    else if (store.minPowerKw === store.maxPowerKw) {
      model.row(
        [
          [x, 1],
          [`n${d}_${t}`, -store.maxPowerKw / 4],
        ],
        "=",
        0,
      );
      model.bound(`n${d}_${t}`, 0, 4);
      model.integer(`n${d}_${t}`);
    } else {
      // A quarter-hour at the least power is the least energy of an hour.
      model.row(
        [
          [x, 1],
          [`b${d}_${t}`, -store.maxPowerKw],
        ],
        "<=",
        0,
      );
      model.row(
        [
          [x, 1],
          [`b${d}_${t}`, -store.minPowerKw / 4],
        ],
        ">=",
        0,
      );
      model.binary(`b${d}_${t}`);
    }
  }
  model.cost(`q${d}_${store.stages.length - 1}`, -store.worthCtKwh);
  return load;
}

function addRuns(
  model: LpText,
  { powerKw, demands }: RunsDevice,
  { d, count }: { d: number; count: number },
): DeviceLoad {
  const load: DeviceLoad = {
    mostKwh: new Array<number>(count).fill(0),
    terms: Array.from({ length: count }, () => []),
  };
  for (const { from, to, kwh } of demands) {
    const hours = Math.round(kwh / powerKw);
    const starts: Term[] = [];
    for (let first = from; first + hours <= to; first++) {
      const start = `y${d}_${first}`;
      starts.push([start, 1]);
      model.binary(start);
      for (let t = first; t < first + hours; t++) {
        load.terms[t]!.push([start, -powerKw]);
        load.mostKwh[t] = powerKw;
      }
    }
    model.row(starts, "=", 1);
  }
  return load;
}

/** A program in the LP format, line by line. */
class LpText {
  readonly #cost: Term[] = [];
  readonly #rows: string[] = [];
  readonly #bounds: string[] = [];
  readonly #binaries: string[] = [];
  readonly #integers: string[] = [];

  cost(name: string, coefficient: number): void {
    this.#cost.push([name, coefficient]);
  }

  row(terms: readonly Term[], relation: "=" | "<=" | ">=", right: number): void {
    this.#rows.push(`r${this.#rows.length}: ${sum(terms)} ${relation} ${right}`);
  }

  bound(name: string, lower: number, upper: number): void {
    this.#bounds.push(`${lower} <= ${name} <= ${upper}`);
  }

  binary(name: string): void {
    this.#binaries.push(name);
  }

  integer(name: string): void {
    this.#integers.push(name);
  }

  text(): string {
    return [
      "Minimize",
      `obj: ${sum(this.#cost)}`,
      "Subject To",
      ...this.#rows,
      "Bounds",
      ...this.#bounds,
      "Binary",
      this.#binaries.join(" "),
      "General",
      this.#integers.join(" "),
      "End",
    ].join("\n");
  }
}

function sum(terms: readonly Term[]): string {
  return terms
    .map(([name, coefficient]) => `${coefficient < 0 ? "-" : "+"} ${Math.abs(coefficient)} ${name}`)
    .join(" ");
}
