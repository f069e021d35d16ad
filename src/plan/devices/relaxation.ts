import type { Highs } from "highs";
import type { PolicyInput } from "../policy/policy-input.js";
import { defaultTerminal, rulesOf } from "../policy/rules.js";
import { type Stage, stagesOf } from "../policy/stages.js";
import { type LinearModel, LinearModel as Model } from "../solver/linear-model.js";
import type { Device, RunDemand, StoreDevice } from "./device.js";
import { runFrom } from "./place-runs.js";

type Term = readonly [column: number, coefficient: number];

/** Columns whose sum is the energy of a device in each step. */
type DeviceColumns = Term[][];

/** Above any energy of a step, kWh. */
const MOST_KWH = 1e6;
/** Cost of a wanted kWh that is missing, ct. */
const MISSING_CT_KWH = 1000;
/** Export earns less than import costs in the model, or it would do both at once, ct/kWh. */
const LEAST_SPREAD_CT = 0.01;

/**
 * Energies of devices, kWh a step, of the joint problem of site, battery and devices at expected load, as a linear programme:
 * any power, any battery action. A bound and a start for `planDevices`; undefined without a solution.
 */
export function relaxedEnergies(
  highs: Highs,
  { site, socKwh, devices }: { site: PolicyInput; socKwh: number; devices: readonly Device[] },
): number[][] | undefined {
  const stages = stagesOf(site);
  const model = new Model();
  const columns = devices.map((device) =>
    device.kind === "store" ? storeColumns(model, device, stages) : runColumns(model, device, stages),
  );
  const isServed = devices.map(({ batteryServes = true }) => batteryServes);
  siteColumns(model, { site, socKwh, stages, columns, isServed });
  const values = solved(highs, model);
  return (
    values &&
    columns.map((steps) =>
      steps.map((terms) =>
        Math.max(
          0,
          terms.reduce((sum, [column, kwh]) => sum + kwh * values[column]!, 0),
        ),
      ),
    )
  );
}

function solved(highs: Highs, model: LinearModel): Float64Array | undefined {
  return highs.withModel(model.relaxation, (solver) => {
    solver.options.set({ output_flag: false, time_limit: LIMIT_SECONDS });
    solver.run();
    if (solver.getModelStatus() !== highs.constants.modelStatus.optimal) return undefined;
    return solver.getSolution().colValue;
  });
}

const LIMIT_SECONDS = 5;

/** Grid and battery of each step. */
function siteColumns(
  model: LinearModel,
  input: {
    site: PolicyInput;
    socKwh: number;
    stages: readonly Stage[];
    columns: readonly DeviceColumns[];
    isServed: readonly boolean[];
  },
): void {
  const { site, socKwh, stages, columns } = input;
  const rules = rulesOf(site);
  const { battery } = rules;
  const hasBattery = battery.maxSocKwh > battery.minSocKwh;
  const canCharge = rules.controls.has("charge");
  let before: number | undefined;
  for (const [t, stage] of stages.entries()) {
    const { hours, importCt, exportCt, loadKwh, pvKwh } = stage;
    const imported = model.column({ upper: MOST_KWH, cost: importCt, start: 0 });
    const exported = model.column({
      upper: Math.min(rules.exportLimitKw * hours, MOST_KWH),
      cost: -Math.min(exportCt, importCt - LEAST_SPREAD_CT),
      start: 0,
    });
    const curtailed = model.column({ upper: pvKwh, start: 0 });
    const balance: Term[] = [
      [imported, 1],
      [exported, -1],
      [curtailed, -1],
      ...columns.flatMap((steps) => steps[t]!.map(([column, kwh]): Term => [column, -kwh])),
    ];
    if (rules.importLimitKw * hours < MOST_KWH) {
      const over = model.column({ upper: MOST_KWH, cost: MISSING_CT_KWH, start: 0 });
      model.atMost(rules.importLimitKw * hours, [
        [imported, 1],
        [over, -1],
      ]);
    }
    if (stage.overCtKw > 0) {
      const over = model.column({ upper: MOST_KWH, cost: stage.overCtKw / hours, start: 0 });
      model.atMost(stage.targetKw * hours, [
        [imported, 1],
        [over, -1],
      ]);
    }
    if (hasBattery) {
      const charged = model.column({
        upper: canCharge
          ? battery.maxChargePowerKw * hours
          : Math.min(battery.maxChargePowerKw * hours, pvKwh),
        start: 0,
      });
      const given = model.column({
        upper: importCt < 0 ? 0 : battery.maxDischargePowerKw * hours,
        cost: rules.wearCt,
        start: 0,
      });
      const stored = model.column({
        // One below its minimum may not be able to charge.
        lower: Math.min(battery.minSocKwh, socKwh),
        upper: Math.max(battery.maxSocKwh, socKwh),
        start: 0,
      });
      const change: Term[] = [
        [stored, 1],
        [charged, -battery.chargeEfficiency],
        [given, 1 / battery.dischargeEfficiency],
      ];
      const known = before === undefined ? socKwh : 0;
      model.row(known, known, before === undefined ? change : [...change, [before, -1]]);
      before = stored;
      balance.push([charged, -1], [given, 1]);
      const unserved = columns.flatMap((steps, d) => (input.isServed[d] ? [] : steps[t]!));
      if (unserved.length > 0) {
        // The battery gives no more than the other loads.
        const served = columns.flatMap((steps, d) => (input.isServed[d] ? steps[t]! : []));
        model.atMost(loadKwh, [[given, 1], ...served.map(([column, kwh]): Term => [column, -kwh])]);
      }
    }
    model.row(loadKwh - pvKwh, loadKwh - pvKwh, balance);
  }
  if (before === undefined) return;
  const tranches = site.terminal ?? defaultTerminal(stages, rules);
  const left = tranches.map(({ kwh, ctKwh }) =>
    model.column({ upper: Math.min(kwh, MOST_KWH), cost: -ctKwh, start: 0 }),
  );
  model.atMost(0, [...left.map((column): Term => [column, 1]), [before, -1]]);
}

function storeColumns(model: LinearModel, { store }: StoreDevice, stages: readonly Stage[]): DeviceColumns {
  let before: number | undefined;
  // A tank that is hotter than it may be cools down.
  let idleKwh = store.storedKwh;
  return store.stages.map(({ hours, available, drawKwh, leastKwh, mostKwh = MOST_KWH }, t) => {
    const upper = available ? Math.min(mostKwh, store.maxPowerKw * stages[t]!.hours) : 0;
    const taken = model.column({ upper, start: 0 });
    const isLast = t === store.stages.length - 1;
    const keeps = (1 - store.lossPerHour) ** hours;
    idleKwh = idleKwh * keeps - drawKwh;
    const stored = model.column({
      upper: Math.max(store.maxKwh, idleKwh),
      ...(isLast && { cost: -store.worthCtKwh }),
      start: 0,
    });
    const missing = model.column({ upper: MOST_KWH, cost: MISSING_CT_KWH, start: 0 });
    const known = before === undefined ? store.storedKwh * keeps : 0;
    // What a draw takes without being stored is missing.
    const change: Term[] = [
      [stored, 1],
      [taken, -store.efficiency],
      [missing, -1],
    ];
    model.row(
      known - drawKwh,
      known - drawKwh,
      before === undefined ? change : [...change, [before, -keeps]],
    );
    if (leastKwh > 0) {
      const short = model.column({ upper: MOST_KWH, cost: MISSING_CT_KWH, start: 0 });
      model.atLeast(Math.min(leastKwh, store.maxKwh), [
        [stored, 1],
        [short, 1],
      ]);
    }
    before = stored;
    return [[taken, 1]];
  });
}

function runColumns(
  model: LinearModel,
  { powerKw, demands }: { powerKw: number; demands: readonly RunDemand[] },
  stages: readonly Stage[],
): DeviceColumns {
  const columns: DeviceColumns = stages.map(() => []);
  const hours = (t: number) => stages[t]!.hours;
  for (const demand of demands) {
    const starts: Term[] = [];
    if (demand.unbroken) {
      for (let first = demand.from; first < demand.to; first++) {
        const run = runFrom(first, demand, { powerKw, hours });
        if (run === undefined) break;
        const column = model.column({ upper: 1, start: 0 });
        starts.push([column, 1]);
        for (const [k, kwh] of run.entries()) columns[first + k]!.push([column, kwh]);
      }
    }
    if (starts.length > 0) {
      model.row(1, 1, starts);
      continue;
    }
    const taken: Term[] = [];
    let mostKwh = 0;
    for (let t = demand.from; t < demand.to; t++) {
      const upper = powerKw * hours(t);
      const column = model.column({ upper, start: 0 });
      mostKwh += upper;
      taken.push([column, 1]);
      columns[t]!.push([column, 1]);
    }
    const kwh = Math.min(demand.kwh, mostKwh);
    if (taken.length > 0) model.row(kwh, kwh, taken);
  }
  return columns;
}
