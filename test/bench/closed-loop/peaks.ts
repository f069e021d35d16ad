import { VIENNA } from "../../../src/core/time/zone.js";
import { forecastLoad } from "../../../src/forecast/load/forecast-load.js";
import { learnLoad } from "../../../src/forecast/load/learn-load.js";
import { inverterStep } from "../../../src/plan/physics/inverter.js";
import { chooseImportTarget } from "../../../src/plan/policy/import-target.js";
import { planPolicy } from "../../../src/plan/policy/plan-policy.js";
import type { Command, PolicyInput, PolicyStep } from "../../../src/plan/policy/policy-input.js";
import type { Policy } from "../../../src/plan/policy/solved-policy.js";
import { cellsOf } from "./cells.js";
import { allIn, type Cell, Course, type World } from "./course.js";
import { DAY_MS, HOUR_MS, Homes, publishedUntil, QUARTER_MS, readPrices, Sun } from "./data.js";
import { batteryOf } from "./run-cell.js";

/** Energy cost of a month less the worth of what is stored at its end, its highest quarter-hour, and both priced; ct and kW. */
export interface PeakOutcome {
  energyCt: number;
  peakKw: number;
  totalCt: number;
}

/** A month with a price on its highest quarter-hour: ignored, planned for, and with everything known in advance. */
export interface PeakMonth {
  ignored: PeakOutcome;
  planned: PeakOutcome;
  perfect: PeakOutcome;
  /** Part of the difference between ignored and perfect that the plan saves. */
  avoidedShare: number;
}

const CONTROLS: PolicyInput["controls"] = ["charge", "hold", "block"];
const HORIZON_HOURS = 96;
const LEAST_KW = 1;
/** Worth of the energy left at the end, ct/kWh. */
const STORED_CT = 20;

/** Runs a home-month with `ctPerKw` on the month's highest quarter-hour. */
export function runPeakMonth(cell: Cell, world: World, ctPerKw: number): PeakMonth {
  const course = new Course(cell, world);
  const ignored = drive(course, cell, ctPerKw, false);
  const planned = drive(course, cell, ctPerKw, true);
  const perfect = foresight(course, cell, ctPerKw, Math.max(planned.peakKw, ignored.peakKw));
  const best = [perfect, planned, ignored].reduce((a, b) => (b.totalCt < a.totalCt ? b : a));
  return {
    ignored,
    planned,
    perfect: best,
    avoidedShare: (ignored.totalCt - planned.totalCt) / (ignored.totalCt - best.totalCt),
  };
}

function drive(course: Course, cell: Cell, ctPerKw: number, withPrice: boolean): PeakOutcome {
  const battery = batteryOf(cell.batteryKwh);
  const endMs = course.startMs + course.count * QUARTER_MS;
  let socKwh = battery.minSocKwh + 0.3 * (battery.maxSocKwh - battery.minSocKwh);
  let energyCt = 0;
  let peakKw = LEAST_KW;
  let policy: Policy | undefined;
  let previous: Command | undefined;
  let targetKw: number | undefined;
  let model: ReturnType<typeof learnLoad> | undefined;
  const history = [...course.series]
    .map(([ms, kwh]) => ({ start: new Date(ms), kwh }))
    .filter(({ start }) => start.getTime() >= course.startMs - 70 * DAY_MS && start.getTime() < endMs);
  for (let k = 0; k < course.count; k++) {
    const ms = course.startMs + k * QUARTER_MS;
    const now = new Date(ms);
    if (model === undefined || k % 16 === 0) {
      const known = history.filter(({ start }) => start.getTime() < ms);
      model = learnLoad({ history: known, timeZone: VIENNA, now });
    }
    if (policy === undefined || k % 4 === 0) {
      const { loadKwh, ratios } = forecastLoad(model, { start: now, hours: HORIZON_HOURS });
      const until = publishedUntil(ms);
      const steps = loadKwh.map((kwh, h): PolicyStep => {
        const at = ms + h * HOUR_MS;
        const importCtKwh = allIn(course.spotForecast(at, until));
        return {
          start: new Date(at),
          minutes: 60,
          importCtKwh,
          exportCtKwh: 7,
          loadKwh: kwh,
          pvKwh: course.pvForecast(at, ms),
          published: at < until,
        };
      });
      const site: PolicyInput = { now, steps, ratios, battery, controls: CONTROLS };
      const target = withPrice
        ? chooseImportTarget({
            site,
            socKwh,
            price: { floorKw: peakKw, tiers: [{ overKw: 0, ctPerKw }], end: new Date(endMs) },
            previousKw: targetKw,
          })
        : undefined;
      targetKw = target?.kw;
      policy = planPolicy({ ...site, grid: target === undefined ? {} : { importTarget: target } });
    }
    const before = Math.max(0, k - 1);
    const netLoadKw = (course.load[before]! - course.pv[before]!) * 4;
    previous = policy.act({ now, socKwh, netLoadKw, ...(previous && { previous }) });
    const step = { minutes: 15, loadKwh: course.load[k]!, pvKwh: course.pv[k]! };
    const flows = inverterStep({ storage: battery, command: previous, step, socKwh });
    peakKw = Math.max(peakKw, flows.importKwh * 4);
    energyCt += flows.importKwh * course.importCt[k]! - flows.exportKwh * 7 + flows.dischargeKwh;
    socKwh = flows.socEndKwh;
  }
  energyCt -= STORED_CT * socKwh;
  return { energyCt, peakKw, totalCt: energyCt + peakKw * ctPerKw };
}

/** The best target of a fine list, with load, PV and prices of the month known. */
function foresight(course: Course, cell: Cell, ctPerKw: number, highestKw: number): PeakOutcome {
  const battery = batteryOf(cell.batteryKwh);
  const start = battery.minSocKwh + 0.3 * (battery.maxSocKwh - battery.minSocKwh);
  const steps = Array.from(
    { length: course.count },
    (_, k): PolicyStep => ({
      start: new Date(course.startMs + k * QUARTER_MS),
      minutes: 15,
      importCtKwh: course.importCt[k]!,
      exportCtKwh: 7,
      loadKwh: course.load[k]!,
      pvKwh: course.pv[k]!,
      published: true,
    }),
  );
  let best: PeakOutcome | undefined;
  for (let kw = LEAST_KW; kw <= highestKw; kw += 0.2) {
    const { path } = planPolicy({
      now: steps[0]!.start,
      steps,
      ratios: [],
      battery,
      controls: CONTROLS,
      grid: { importTarget: { kw, ctPerKw } },
      terminal: [{ kwh: battery.maxSocKwh, ctKwh: STORED_CT }],
    }).simulate({ socKwh: start, samples: 0 });
    let energyCt = 0;
    let peakKw = LEAST_KW;
    for (const [k, { expected }] of path.entries()) {
      peakKw = Math.max(peakKw, expected.importKwh * 4);
      energyCt += expected.importKwh * course.importCt[k]! - expected.exportKwh * 7 + expected.dischargeKwh;
    }
    energyCt -= STORED_CT * (path.at(-1)?.expected.socEndKwh ?? start);
    const totalCt = energyCt + peakKw * ctPerKw;
    if (best === undefined || totalCt < best.totalCt) best = { energyCt, peakKw, totalCt };
  }
  return best!;
}

/** `npm run bench -- peaks --data FOLDER [--every n] [--first k] [--eur-kw-year n]`: one line a home-month, then the sum. */
export function benchPeaks(args: readonly string[]): void {
  const option = (name: string, otherwise: number) => {
    const at = args.indexOf(`--${name}`);
    return at < 0 ? otherwise : Number(args[at + 1]);
  };
  const ctPerKw = (option("eur-kw-year", 45) / 12) * 100 * 1.2;
  const every = option("every", 8);
  const first = option("first", 0);
  const world = { homes: new Homes(), sun: new Sun(), prices: readPrices() };
  const cells = [...cellsOf("tuning"), ...cellsOf("unseen")].filter((_, k) => k % every === first);
  const text = ({ energyCt, peakKw, totalCt }: PeakOutcome) =>
    `${(energyCt / 100).toFixed(2)} EUR ${peakKw.toFixed(2)} kW ${(totalCt / 100).toFixed(2)} EUR`;
  let avoidedCt = 0;
  let avoidableCt = 0;
  for (const cell of cells) {
    const { ignored, planned, perfect, avoidedShare } = runPeakMonth(cell, world, ctPerKw);
    avoidedCt += ignored.totalCt - planned.totalCt;
    avoidableCt += ignored.totalCt - perfect.totalCt;
    console.log(
      [
        `${cell.home} ${cell.start} ${cell.peakKw} kWp ${cell.batteryKwh} kWh`,
        text(ignored),
        text(planned),
        text(perfect),
        `${(100 * avoidedShare).toFixed(0)} %`,
      ].join(" | "),
    );
  }
  console.log(
    `avoided ${((100 * avoidedCt) / avoidableCt).toFixed(1)} % of ${(avoidableCt / 100).toFixed(2)} EUR`,
  );
}
