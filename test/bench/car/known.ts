import { DAY_MS, QUARTER_MS } from "../../../src/core/domain/interval.js";
import { LinearModel } from "../../../src/plan/solver/linear-model.js";
import type { Highs } from "../../support/highs.js";
import { DAYS, KWH_PER_K, LOSS_KW_PER_K, ROOM_C, type SeededCarHome } from "./seeded-home.js";

/** What battery and vehicle hold, kWh, and the temperature of the tank. */
export interface HomeState {
  socKwh: number;
  carKwh: number;
  tankC: number;
}

type Term = readonly [column: number, coefficient: number];

/** Above any energy of a quarter-hour, kWh. */
const MOST_KWH = 1000;
/** Cost of what is wanted and missing, ct/kWh. */
const MISSING_CT_KWH = 1000;

/** Energies of the devices in each quarter-hour, kWh. */
export interface DeviceEnergies {
  carKwh: number[];
  boilerKwh: number[];
}

/** The least cost and how it is reached, by quarter-hour. */
export interface KnownCourse extends DeviceEnergies {
  /** Proved: no control with these powers reaches less. */
  costCt: number;
  /** Cost of this course; above the proved one where the switched boiler is not solved to the end. */
  foundCt: number;
  socKwh: number[];
}

/** How near to the least cost the switched boiler is solved, and for how long at most. */
const SWITCHED_GAP = 0.005;
const SWITCHED_SECONDS = 600;

/**
 * Least cost of a home from an instant to the end of the day after its days, everything known, ct: a linear programme in quarter-hours
 * where battery, vehicle and boiler may take any power. No control reaches less. `fixed`: what the devices take is
 * given as far as it goes, only the battery is free.
 */
export function knownCourse(
  highs: Highs,
  home: SeededCarHome,
  from: { ms: number; fixed?: DeviceEnergies; switched?: boolean } & HomeState,
): KnownCourse {
  const { storage, car, boiler, wearCt } = home;
  const endMs = home.startMs + (DAYS + 1) * DAY_MS;
  const model = new LinearModel();
  let [soc, carStored, tank]: (number | undefined)[] = [];
  /** What the vehicle holds after what is given. */
  let { carKwh: heldKwh } = from;
  /** Whether the switched boiler is on in the quarter-hours so far. */
  const switches: number[] = [];
  const chain = (before: number | undefined, known: number, keeps: number): [number, Term[]] =>
    before === undefined ? [known * keeps, []] : [0, [[before, -keeps]]];
  const columns = { car: [] as number[], boiler: [] as number[], soc: [] as number[] };
  for (let ms = from.ms, k = 0; ms < endMs; ms += QUARTER_MS, k++) {
    const q = home.at(ms);
    const imported = model.column({ upper: MOST_KWH, cost: q.importCt, start: 0 });
    const exported = model.column({ upper: MOST_KWH, cost: -q.exportCt, start: 0 });
    const charged = model.column({ upper: storage.maxChargePowerKw / 4, start: 0 });
    const given = model.column({ upper: storage.maxDischargePowerKw / 4, cost: wearCt, start: 0 });
    const [carKwh, boilerKwh] = [from.fixed?.carKwh[k], from.fixed?.boilerKwh[k]];
    const drives = model.column({
      lower: carKwh ?? 0,
      upper: carKwh ?? (q.carIsHome ? car.maxKw / 4 : 0),
      start: 0,
    });
    const heats = model.column({
      lower: boilerKwh ?? 0,
      upper: boilerKwh ?? boiler.powerKw / 4,
      start: 0,
    });
    // The boiler runs for whole quarter-hours, two at least, but for those in which the tank is hot.
    const isSwitched = from.switched === true && ms < home.startMs + DAYS * DAY_MS;
    const [on, full] = isSwitched ? [model.binary(false), model.binary(false)] : [];
    const netKwh = q.householdKwh - q.pvKwh;
    model.row(netKwh, netKwh, [
      [imported, 1],
      [exported, -1],
      [given, 1],
      [charged, -1],
      [drives, -1],
      [heats, -1],
    ]);
    const socNext = model.column({
      lower: storage.minSocKwh - 1e-6,
      upper: storage.maxSocKwh + 1e-6,
      start: 0,
    });
    const [socKnown, socTerms] = chain(soc, from.socKwh, 1);
    model.row(socKnown, socKnown, [
      [socNext, 1],
      [charged, -storage.chargeEfficiency],
      [given, 1 / storage.dischargeEfficiency],
      ...socTerms,
    ]);
    soc = socNext;
    columns.car.push(drives);
    columns.boiler.push(heats);
    columns.soc.push(socNext);
    if (carKwh !== undefined) heldKwh += car.efficiency * carKwh - q.usedKwh;
    const carNext = model.column({
      upper: carKwh === undefined ? Math.max(car.targetKwh, heldKwh) + 0.1 : car.capacityKwh,
      start: 0,
    });
    const [carKnown, carTerms] = chain(carStored, from.carKwh, 1);
    model.row(carKnown - q.usedKwh, carKnown - q.usedKwh, [
      [carNext, 1],
      [drives, -car.efficiency],
      ...carTerms,
    ]);
    carStored = carNext;
    if (q.leavesAfter && carKwh === undefined) {
      const missing = model.column({ upper: MOST_KWH, cost: MISSING_CT_KWH, start: 0 });
      model.atLeast(car.targetKwh, [
        [carNext, 1],
        [missing, 1],
      ]);
    }
    const keeps = 1 - (LOSS_KW_PER_K * 0.25) / KWH_PER_K;
    const warm = model.column({
      upper: Math.max(boiler.maxC, from.tankC) + (boilerKwh === undefined ? 0.1 : 5),
      start: 0,
    });
    const coldCt = boilerKwh === undefined ? MISSING_CT_KWH : 0;
    const cold = model.column({ upper: MOST_KWH, cost: coldCt, start: 0 });
    const [tankKnown, tankTerms] = chain(tank, from.tankC, keeps);
    const other = tankKnown + (1 - keeps) * ROOM_C - q.drawKwh / KWH_PER_K;
    model.row(other, other, [[warm, 1], [heats, -1 / KWH_PER_K], ...tankTerms]);
    if (on !== undefined && full !== undefined) {
      const kwh = boiler.powerKw / 4;
      const [before, first] = [switches.at(-2), switches.at(-1)];
      if (first !== undefined)
        model.atLeast(0, [[on, 1], [first, -1], ...(before === undefined ? [] : [[before, 1] as const])]);
      switches.push(on);
      model.atMost(0, [
        [heats, 1],
        [on, -kwh],
      ]);
      model.atLeast(0, [
        [heats, 1],
        [on, -kwh],
        [full, kwh],
      ]);
      model.atLeast(boiler.minC, [
        [warm, 1],
        [full, boiler.minC - boiler.maxC],
      ]);
    }
    model.atLeast(boiler.minC, [
      [warm, 1],
      [cold, 1],
    ]);
    tank = warm;
  }
  const integrality = new Int32Array(model.lower.length);
  for (const column of model.integers) integrality[column] = 1;
  return highs.withModel({ ...model.relaxation, ...(from.switched && { integrality }) }, (solver) => {
    solver.options.set({ output_flag: false, mip_rel_gap: SWITCHED_GAP, time_limit: SWITCHED_SECONDS });
    solver.run();
    const { optimal, timeLimit } = highs.constants.modelStatus;
    const status = solver.getModelStatus();
    if (status !== optimal && status !== timeLimit) throw new Error("The known home has no solution.");
    const { colValue } = solver.getSolution();
    const of = (list: readonly number[]) => list.map((column) => colValue[column]!);
    return {
      costCt: from.switched ? Number(solver.info.get("mip_dual_bound")) : solver.getObjectiveValue(),
      foundCt: solver.getObjectiveValue(),
      carKwh: of(columns.car),
      boilerKwh: of(columns.boiler),
      socKwh: of(columns.soc),
    };
  });
}
