import type { ControlledMode } from "../../../src/core/domain/battery.js";
import { localTime, VIENNA } from "../../../src/core/time/zone.js";
import type { PresentDevice } from "../../../src/forecast/load/device-load.js";
import { forecastLoad } from "../../../src/forecast/load/forecast-load.js";
import { learnLoad } from "../../../src/forecast/load/learn-load.js";
import type { LoadModel } from "../../../src/forecast/load/load-model.js";
import { type InverterCommand, inverterStep } from "../../../src/plan/physics/inverter.js";
import { costToGoLayers, terminalLayers } from "../../../src/plan/policy/cost-to-go.js";
import { cheapest, optionsOf } from "../../../src/plan/policy/decide.js";
import { planPolicy } from "../../../src/plan/policy/plan-policy.js";
import type { Command, PolicyBattery, PolicyStep } from "../../../src/plan/policy/policy-input.js";
import { certainChain } from "../../../src/plan/policy/scenario-chain.js";
import type { Policy } from "../../../src/plan/policy/solved-policy.js";
import { StageCosts } from "../../../src/plan/policy/stage-costs.js";
import { NO_LIMIT } from "../../../src/plan/policy/stages.js";
import { USUAL_PV } from "../../../src/plan/policy/uncertainty.js";
import { allIn, type Cell, Course, type Known, type World } from "./course.js";
import { DAY_MS, HOUR_MS, type LoadSeries, publishedUntil, QUARTER_MS } from "./data.js";

export interface Outcome {
  savedCt: number;
  changesPerDay: number;
  worseDays: number;
  worstDayCt: number;
  solveMs: number;
  /** What the first plan of each day expects the bill of the day to save, and what was saved of the bills: wear is no part of them. */
  promisedCt: number;
  billSavedCt: number;
}

export interface CellResult {
  cell: Cell;
  perfectCt: number;
  uncontrolledCt: number;
  /** By day, stored energy counted: what the policy saves, and perfect foresight. */
  daysCt: { saved: number; perfect: number }[];
  policy: Outcome;
  /** Deterministic plan on published prices with the load of yesterday; undefined where it is left out. */
  simple: Outcome | undefined;
}

/** What is compared. */
export interface Variant {
  pvIsCertain?: boolean;
  /** PV is uncertain, and its power is not measured. */
  pvIsUnmeasured?: boolean;
  withoutSimple?: boolean;
  /** Nothing was measured before the first day. */
  newHome?: boolean;
  /** Cars and heat pumps are measured apart, with what a car still needs, and an absence is named when it begins. */
  told?: boolean;
}

const CONTROLS: readonly ControlledMode[] = ["charge", "hold", "block"];

export function batteryOf(kwh: number): PolicyBattery {
  return {
    capacityKwh: kwh,
    minSocKwh: 0.05 * kwh,
    maxSocKwh: kwh,
    maxChargePowerKw: kwh / 2,
    maxDischargePowerKw: kwh / 2,
    chargeEfficiency: 0.95,
    dischargeEfficiency: 0.95,
    wearCtKwh: 1,
  };
}

/** How often the load is learned anew, hours; how far is planned, hours; how finely perfect foresight is solved. */
const RELEARN_HOURS = 4;
const HORIZON_HOURS = 96;
const PERFECT_POINTS = 201;

interface Situation {
  k: number;
  ms: number;
  socKwh: number;
  netLoadKw: number;
  pvKw: number;
}

type Controller = (input: Situation) => InverterCommand;

function drive(course: Course, cell: Cell, controller: Controller) {
  const battery = batteryOf(cell.batteryKwh);
  let socKwh = battery.minSocKwh + 0.3 * (battery.maxSocKwh - battery.minSocKwh);
  const days = new Float64Array(cell.days);
  const soc = new Float64Array(cell.days);
  let mode = "free";
  let changes = 0;
  let wearCt = 0;
  for (let k = 0; k < course.count; k++) {
    const before = Math.max(0, k - 1);
    const command = controller({
      k,
      ms: course.startMs + k * QUARTER_MS,
      socKwh,
      netLoadKw: (course.load[before]! - course.pv[before]!) * 4,
      pvKw: course.pv[before]! * 4,
    });
    if (command.mode !== mode) changes++;
    mode = command.mode;
    const flows = inverterStep({
      storage: battery,
      command,
      step: { minutes: 15, loadKwh: course.load[k]!, pvKwh: course.pv[k]! },
      socKwh,
    });
    const d = Math.floor(k / 96);
    days[d]! +=
      flows.importKwh * course.importCt[k]! -
      flows.exportKwh * course.exportCt[k]! +
      flows.dischargeKwh * battery.wearCtKwh!;
    wearCt += flows.dischargeKwh * battery.wearCtKwh!;
    soc[d]! += flows.socEndKwh - socKwh;
    socKwh = flows.socEndKwh;
  }
  return { days, soc, costCt: days.reduce((a, b) => a + b, 0), wearCt, changes, socKwh };
}

/** Perfect foresight with the same modes, quarter-hour by quarter-hour, and what stored energy is worth to it at the end. */
function perfect(course: Course, cell: Cell, priceCt: number) {
  const battery = batteryOf(cell.batteryKwh);
  const points = PERFECT_POINTS;
  const rules = {
    battery,
    wearCt: 1,
    importLimitKw: 1e9,
    exportLimitKw: 1e9,
    controls: new Set(CONTROLS),
    chain: certainChain(),
    points,
    spacingKwh: (battery.maxSocKwh - battery.minSocKwh) / (points - 1),
  };
  // Four days more, so that the last days are planned as all others.
  const stages = Array.from({ length: course.count + 4 * 96 }, (_, k) => {
    const ms = course.startMs + k * QUARTER_MS;
    const loadKwh = course.series.get(ms) ?? course.load[k % course.count]!;
    const pvKwh = course.pvAt(ms);
    return {
      startMs: 0,
      endMs: 0,
      hours: 0.25,
      importCt: course.importAt(ms),
      exportCt: course.exportAt(ms),
      loadKwh,
      pvKwh,
      published: true,
      loadsKwh: Float64Array.of(loadKwh),
      netKwh: Float64Array.of(loadKwh - pvKwh),
      targetKw: NO_LIMIT,
      overCtKw: 0,
      dark: false,
      stay: 0,
      pvStay: 0,
    };
  });
  const values = costToGoLayers(
    stages,
    rules,
    terminalLayers(rules, (soc) => -priceCt * soc),
  );
  const costs = new StageCosts(rules);
  const weights = Float64Array.of(1);
  const endCt = Array.from(values[course.count]!);
  const run = drive(course, cell, ({ k, socKwh }) => {
    costs.of(stages[k]!, values[k + 1]!);
    costs.at(socKwh);
    const options = optionsOf({ costs, stage: stages[k]!, rules, socKwh, weights });
    const { mode, stopSocKwh } = cheapest(options);
    return { mode, stopSocKwh, ...(course.importCt[k]! < 0 ? { dischargeCapKw: 0 } : {}) };
  });
  return { run, costCt: run.costCt + endOf(run.socKwh, endCt, cell), endCt };
}

/** Cost to go of perfect foresight with `socKwh` stored at the end. */
function endOf(socKwh: number, endCt: readonly number[], cell: Cell): number {
  const battery = batteryOf(cell.batteryKwh);
  const x = ((socKwh - battery.minSocKwh) / (battery.maxSocKwh - battery.minSocKwh)) * (endCt.length - 1);
  const i = Math.max(0, Math.min(endCt.length - 2, Math.floor(x)));
  return endCt[i]! + (x - i) * (endCt[i + 1]! - endCt[i]!);
}

/** Runs a cell: an uncontrolled battery, perfect foresight, the policy, and a plan on published prices for comparison. */
export function runCell(
  cell: Cell,
  world: World,
  { known = {}, variant = {} }: { known?: Known; variant?: Variant } = {},
): CellResult {
  const course = new Course(cell, world, known);
  const priceCt = 0.9 * (course.importCt.reduce((a, b) => a + b, 0) / course.count);
  const best = perfect(course, cell, priceCt);
  const free = drive(course, cell, () => ({ mode: "free" }));
  const freeCt = free.costCt + endOf(free.socKwh, best.endCt, cell);
  // A day counts what it stores at a price near that of the next evening.
  const dailyCt = (run: ReturnType<typeof drive>) =>
    Array.from(run.days, (ct, d) => free.days[d]! - ct + 0.6 * priceCt * (run.soc[d]! - free.soc[d]!));
  const outcome = (simple: boolean): Outcome & { daily: number[] } => {
    const controller = new Rolling({ course, cell, simple, known, variant });
    const run = drive(course, cell, (input) => controller.command(input));
    const daily = dailyCt(run);
    const savedCt = freeCt - run.costCt - endOf(run.socKwh, best.endCt, cell);
    return {
      daily,
      savedCt,
      billSavedCt: savedCt + run.wearCt - free.wearCt,
      changesPerDay: run.changes / cell.days,
      worseDays: daily.filter((ct) => ct < -5).length,
      worstDayCt: Math.min(...daily),
      solveMs: controller.solveMs / Math.max(1, controller.solves),
      promisedCt: controller.promisedCt,
    };
  };
  const policy = outcome(false);
  const perfectDays = dailyCt(best.run);
  return {
    cell,
    perfectCt: freeCt - best.costCt,
    uncontrolledCt: freeCt,
    daysCt: policy.daily.map((saved, day) => ({ saved, perfect: perfectDays[day]! })),
    policy,
    simple: variant.withoutSimple ? undefined : outcome(true),
  };
}

/** hourgate as the gateway runs it: load learned every few hours, solved hourly, acting each quarter-hour. */
class Rolling {
  readonly #course: Course;
  readonly #cell: Cell;
  readonly #simple: boolean;
  readonly #known: Known;
  readonly #variant: Variant;
  readonly #history: { start: Date; kwh: number }[];
  #from = 0;
  #model: ReturnType<typeof learnLoad> | undefined;
  #policy: Policy | undefined;
  #previous: Command | undefined;
  solveMs = 0;
  solves = 0;
  promisedCt = 0;

  constructor(options: { course: Course; cell: Cell; simple: boolean; known: Known; variant: Variant }) {
    this.#course = options.course;
    this.#cell = options.cell;
    this.#simple = options.simple;
    this.#known = options.known;
    this.#variant = options.variant;
    this.#history = [...options.course.series]
      .filter(([ms]) => !options.variant.newHome || ms >= options.course.startMs)
      .map(([ms, kwh]) => ({ start: new Date(ms), kwh }))
      .sort((a, b) => a.start.getTime() - b.start.getTime());
  }

  command({ k, ms, socKwh, netLoadKw, pvKw }: Situation): Command {
    const now = new Date(ms);
    if (k % (RELEARN_HOURS * 4) === 0) {
      while (this.#history[this.#from] && this.#history[this.#from]!.start.getTime() < ms - 90 * DAY_MS)
        this.#from++;
      let to = this.#from;
      while (this.#history[to] && this.#history[to]!.start.getTime() < ms) to++;
      this.#model = this.#learn(this.#history.slice(this.#from, to), now);
    }
    if (k % 4 === 0) this.#solve(now, socKwh);
    const command = this.#policy!.act({
      now,
      socKwh,
      ...(this.#simple ? {} : { netLoadKw }),
      ...(this.#simple || this.#variant.pvIsUnmeasured ? {} : { pvKw }),
      ...(this.#previous === undefined || this.#simple ? {} : { previous: this.#previous }),
    });
    this.#previous = command;
    return command;
  }

  /** The load of the home, with what is told of it. */
  #learn(history: { start: Date; kwh: number }[], now: Date): LoadModel {
    const { away, base, device } = this.#course.parts;
    if (!this.#variant.told) return learnLoad({ history, timeZone: VIENNA, now });
    const model = learnLoad({
      history: device === undefined ? history : seriesOf(base, history),
      devices: device === undefined ? [] : [{ slot: 1, history: seriesOf(device, history) }],
      timeZone: VIENNA,
      now,
    });
    const isKnown = away !== undefined && now.getTime() >= away.fromMs;
    return isKnown ? { ...model, periods: [{ kind: "away", ...away }] } : model;
  }

  /** The state of the device that is measured apart; of a car that charges with what it still needs. */
  #devices(nowMs: number): PresentDevice[] | undefined {
    const { device } = this.#course.parts;
    if (device === undefined || !this.#variant.told) return undefined;
    const recentKwh = Array.from({ length: 48 }, (_, k) => device.get(nowMs - (k + 1) * QUARTER_MS) ?? 0);
    const isOn = device.has(nowMs - QUARTER_MS);
    const aheadKwh: number[] = [];
    const isCar = this.#cell.home.includes("+ev:");
    const hourKwh = Array.from({ length: 24 }, (_, k) => this.#partOf(device, nowMs - (k + 1) * HOUR_MS));
    for (let ms = nowMs; isCar && isOn && device.has(ms); ms += QUARTER_MS) {
      const hour = Math.floor((ms - nowMs) / HOUR_MS);
      aheadKwh[hour] = (aheadKwh[hour] ?? 0) + device.get(ms)!;
    }
    return [
      {
        slot: 1,
        state: { recentKwh: recentKwh.reduce((sum, kwh) => sum + kwh, 0), isOn },
        ...(aheadKwh.length > 0 && { aheadKwh }),
        ...(!isCar && { recent: { atMs: nowMs, hourKwh } }),
      },
    ];
  }

  #solve(now: Date, socKwh: number): void {
    const course = this.#course;
    const until = publishedUntil(now.getTime());
    const { loadKwh, ratios, shares, persistence } = forecastLoad(this.#model!, {
      start: now,
      hours: HORIZON_HOURS,
      devices: this.#devices(now.getTime()),
    });
    const { load = false } = this.#known;
    const knownHours = load === true ? HORIZON_HOURS : Number(load);
    const hasPv = this.#cell.peakKw > 0;
    const isPvCertain = this.#simple || this.#known.pv || this.#variant.pvIsCertain || !hasPv;
    const steps: PolicyStep[] = [];
    for (let h = 0; h < HORIZON_HOURS; h++) {
      const ms = now.getTime() + h * HOUR_MS;
      const published = ms < until;
      if (this.#simple && !published) break;
      const spot = course.spotForecast(ms, until);
      steps.push({
        start: new Date(ms),
        minutes: 60,
        importCtKwh: allIn(spot),
        exportCtKwh: this.#cell.feedIn === "fixed" ? 7 : spot - 0.6,
        loadKwh:
          h < knownHours ? this.#actual(ms) : this.#simple ? this.#yesterday(ms, now.getTime()) : loadKwh[h]!,
        pvKwh: course.pvForecast(ms, now.getTime()),
        published,
      });
    }
    // Time of the processor: the machine may be busy with other work.
    const began = process.cpuUsage();
    this.#policy = planPolicy({
      now,
      steps,
      ratios:
        this.#simple || knownHours >= HORIZON_HOURS
          ? []
          : ratios.map((row, h) => (h < knownHours ? [] : row)),
      shares,
      persistence,
      pv: isPvCertain ? undefined : USUAL_PV,
      battery: batteryOf(this.#cell.batteryKwh),
      controls: CONTROLS,
    });
    const { user, system } = process.cpuUsage(began);
    this.solveMs += (user + system) / 1000;
    this.solves++;
    if (!this.#simple && localTime(now, VIENNA).hour === 0) {
      const { savingCt } = this.#policy.simulate({ socKwh, samples: 40 }).bill;
      this.promisedCt += savingCt.subarray(0, 24).reduce((sum, ct) => sum + ct, 0);
    }
  }

  #yesterday(ms: number, nowMs: number): number {
    let at = ms - DAY_MS;
    while (at + HOUR_MS > nowMs) at -= DAY_MS;
    return this.#actual(at);
  }

  #actual(at: number): number {
    return this.#partOf(this.#course.series, at);
  }

  #partOf(part: LoadSeries, at: number): number {
    let sum = 0;
    for (let q = 0; q < 4; q++) sum += part.get(at + q * QUARTER_MS) ?? 0;
    return sum;
  }
}

/** A part of the load in the quarter-hours of a history; 0 where it uses nothing. */
function seriesOf(part: LoadSeries, history: readonly { start: Date }[]) {
  return history.map(({ start }) => ({ start, kwh: part.get(start.getTime()) ?? 0 }));
}
