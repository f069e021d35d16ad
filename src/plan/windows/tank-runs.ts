import { interpolate } from "../interpolate.js";

/** A quarter-hour, or what is left of one, in which a tank may be heated. */
export interface TankQuarter {
  hours: number;
  /** Cost of a kWh, ct. */
  ctKwh: number;
  /** Heat that is expected to be drawn and lost, kWh. */
  drawKwh: number;
  /** Least heat at its end, kWh. */
  leastKwh: number;
  /** Whether the tank may be heated. */
  available: boolean;
}

export interface TankRunsProblem {
  quarters: readonly TankQuarter[];
  /** Heat above the least temperature now and at most, kWh. */
  storedKwh: number;
  maxKwh: number;
  powerKw: number;
  /** Least length of a run, quarter-hours. */
  leastRun: number;
  /** Quarter-hours that the run in progress has lasted; undefined: the tank is not heated. */
  running: number | undefined;
  /** What a kWh that is left at the end is worth, ct. */
  worthCtKwh: number;
}

/** Draws as factors on the expected one, with their shares: when hot water is used is not known. */
const DRAWS: readonly (readonly [factor: number, share: number])[] = [
  [0.5, 0.3],
  [1, 0.4],
  [1.5, 0.3],
];
const CERTAIN: typeof DRAWS = [[1, 1]];
/** Cost of missing a kWh for a quarter-hour, of a run that is cut short and of a start, ct. */
const MISSING_CT_KWH = 100;
const SHORT_CT_QUARTER = 100;
const START_CT = 0.2;
const POINTS = 48;
/** Differences of heat below this share of the greatest are ignored. */
const BELOW = 0.15;

/**
 * Energies of quarter-hours in which a tank is heated at its power, in runs of their least length; where the tank gets hot,
 * its thermostat ends the heating. What is heated now is decided over uncertain draws; later energies are those at the expected ones.
 *
 * Dynamic programming over (quarter-hour, quarter-hours that the run still needs or off, heat). Pure.
 */
export function tankRuns({ quarters, ...tank }: TankRunsProblem): number[] {
  const { maxKwh, powerKw, leastRun, worthCtKwh } = tank;
  const lowKwh = -BELOW * maxKwh;
  const spacing = (maxKwh - lowKwh) / (POINTS - 1);
  // A run that has just begun still needs its least length.
  const off = leastRun + 1;
  const phases = off + 1;
  const heldAt = (i: number) => lowKwh + i * spacing;
  /** Expected cost of what follows, by phase and heat: before the draw of each quarter-hour and, in `after`, after it. */
  const befores = new Array<Float64Array>(quarters.length);
  const pointOf = (heldKwh: number) => Math.max(0, Math.min(POINTS - 1, (heldKwh - lowKwh) / spacing));
  const valueAt = (values: Float64Array, phase: number, point: number): number =>
    interpolate(values, phase * POINTS, POINTS - 2, point);
  const heatKwh = ({ hours }: TankQuarter, heldKwh: number) =>
    Math.max(0, Math.min(powerKw * hours, maxKwh - heldKwh));
  /** The phase after a quarter-hour in which the tank is heated. */
  const heatedPhase = (phase: number) => (phase < off ? Math.max(0, phase - 1) : leastRun - 1);
  const idleCt = (phase: number) => (phase < off ? phase * SHORT_CT_QUARTER : 0);
  const startCt = (phase: number) => (phase === off ? START_CT : 0);
  let after = Float64Array.from(
    { length: phases * POINTS },
    (_, k) => -worthCtKwh * heldAt(k % POINTS) + idleCt(Math.floor(k / POINTS)),
  );
  for (let t = quarters.length - 1; t >= 0; t--) {
    const { drawKwh, leastKwh, ctKwh, available } = quarters[t]!;
    const before = new Float64Array(phases * POINTS);
    const draws = drawKwh > 0 ? DRAWS : CERTAIN;
    // The phases are in the inner loops: they have the heat in common.
    for (let i = 0; i < POINTS; i++)
      for (const [factor, share] of draws) {
        const heldKwh = heldAt(i) - factor * drawKwh;
        const missingCt = Math.max(0, leastKwh - heldKwh) * MISSING_CT_KWH;
        const point = pointOf(heldKwh);
        for (let phase = 0; phase < phases; phase++)
          before[phase * POINTS + i]! += share * (valueAt(after, phase, point) + missingCt);
      }
    befores[t] = before;
    after = new Float64Array(phases * POINTS);
    for (let i = 0; i < POINTS; i++) {
      const kwh = heatKwh(quarters[t]!, heldAt(i));
      const point = pointOf(heldAt(i) + kwh);
      for (let phase = 0; phase < phases; phase++) {
        const idle = before[off * POINTS + i]! + idleCt(phase);
        const heated = kwh * ctKwh + startCt(phase) + valueAt(before, heatedPhase(phase), point);
        after[phase * POINTS + i] = available ? Math.min(idle, heated) : idle;
      }
    }
  }
  let heldKwh = tank.storedKwh;
  const owed = leastRun > 1 ? Math.max(0, leastRun - (tank.running ?? 0)) : 0;
  let phase = tank.running === undefined ? off : owed;
  return quarters.map((quarter, t) => {
    const mostKwh = heatKwh(quarter, heldKwh);
    const idle = valueAt(befores[t]!, off, pointOf(heldKwh)) + idleCt(phase);
    const heated =
      mostKwh * quarter.ctKwh +
      startCt(phase) +
      valueAt(befores[t]!, heatedPhase(phase), pointOf(heldKwh + mostKwh));
    const isOn = quarter.available && heated < idle;
    const kwh = isOn ? mostKwh : 0;
    heldKwh = Math.max(lowKwh, Math.min(maxKwh, heldKwh + kwh) - quarter.drawKwh);
    phase = isOn ? heatedPhase(phase) : off;
    return kwh;
  });
}
