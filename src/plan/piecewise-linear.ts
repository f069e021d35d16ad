/**
 * Piecewise-linear functions of one variable and the two operations that dynamic programming needs on them: infimal
 * convolution and lower envelope. Both are exact up to rounding.
 *
 * A function is a list of closed linear segments in ascending order plus isolated points. It is lower semicontinuous:
 * where two pieces meet with different values, the lower one counts. (Jumps arise from a least charging power.)
 */

/** A convex function on `[x, x + sum(widths)]`: value `y` at its left end, then slopes that do not fall. */
export interface ConvexRun {
  x: number;
  y: number;
  widths: number[];
  slopes: number[];
}

/** Lower-semicontinuous piecewise-linear function, as parallel arrays of segments and isolated points. */
export interface PiecewiseLinear {
  /** Left end, right end, value at the left end, slope; one entry a segment. */
  from: number[];
  to: number[];
  value: number[];
  slope: number[];
  /** Isolated points that lie below the segments; hardly ever any. */
  points: { x: number; y: number }[];
}

/** Widths below this are rounding, kWh. */
const WIDTH_TOLERANCE = 1e-10;
/** Slopes this close (ct/kWh) are taken as one; keeps rounding from breeding segments. */
const SLOPE_TOLERANCE = 1e-9;

export function emptyFunction(): PiecewiseLinear {
  return { from: [], to: [], value: [], slope: [], points: [] };
}

function valueAtEnd(f: PiecewiseLinear, index: number): number {
  return f.value[index]! + f.slope[index]! * (f.to[index]! - f.from[index]!);
}

/** Index of the last segment that starts at or before `x`; -1 when none does. */
function segmentBefore(f: PiecewiseLinear, x: number): number {
  let low = 0;
  let high = f.from.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (f.from[middle]! <= x) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Where slope or value of the function changes within `[low, high]`, the ends of its domain included. */
export function breakpoints(f: PiecewiseLinear, low: number, high: number): number[] {
  const found: number[] = [];
  const add = (x: number) => {
    if (x >= low - WIDTH_TOLERANCE && x <= high + WIDTH_TOLERANCE) found.push(x);
  };
  const first = Math.max(0, segmentBefore(f, low));
  for (let index = first; index < f.from.length && f.from[index]! <= high + WIDTH_TOLERANCE; index++) {
    add(f.from[index]!);
    // Where segments adjoin, the next one begins at this end.
    if (index + 1 === f.from.length || f.from[index + 1]! - f.to[index]! > 0) add(f.to[index]!);
  }
  for (const point of f.points) add(point.x);
  return found;
}

/** Value at `x`; Infinity outside the domain (beyond the width tolerance). */
export function evaluate(f: PiecewiseLinear, x: number): number {
  let best = Infinity;
  const index = segmentBefore(f, x + WIDTH_TOLERANCE);
  // The neighbours share the end point; with a jump there, the lower value counts.
  for (let near = Math.max(0, index - 1); near <= index; near++) {
    if (x > f.to[near]! + WIDTH_TOLERANCE) continue;
    const inside = Math.min(Math.max(x, f.from[near]!), f.to[near]!);
    best = Math.min(best, f.value[near]! + f.slope[near]! * (inside - f.from[near]!));
  }
  for (const point of f.points) if (Math.abs(point.x - x) <= WIDTH_TOLERANCE) best = Math.min(best, point.y);
  return best;
}

/** Slope just right of `x`, or just left where the domain ends there. */
export function slopeAt(f: PiecewiseLinear, x: number): number {
  const right = segmentBefore(f, x + WIDTH_TOLERANCE);
  return f.slope[Math.max(0, right)] ?? 0;
}

/** Slope just left of `x`, or just right where the domain begins there. */
export function slopeBefore(f: PiecewiseLinear, x: number): number {
  const left = segmentBefore(f, x - WIDTH_TOLERANCE);
  return f.slope[Math.max(0, left)] ?? 0;
}

function append(f: PiecewiseLinear, from: number, to: number, value: number, slope: number): void {
  if (to - from <= 1e-13) return;
  const last = f.from.length - 1;
  if (last >= 0 && Math.abs(f.to[last]! - from) <= WIDTH_TOLERANCE) {
    const sameLine =
      Math.abs(f.slope[last]! - slope) <= SLOPE_TOLERANCE &&
      Math.abs(valueAtEnd(f, last) - value) <= 1e-12 * Math.max(1, Math.abs(value));
    if (sameLine) {
      f.to[last] = to;
      return;
    }
  }
  f.from.push(from);
  f.to.push(to);
  f.value.push(value);
  f.slope.push(slope);
}

/** The part of a convex run that lies in `[low, high]` as a function; a single point where just that is left. */
export function restrictRun(run: ConvexRun, low: number, high: number): PiecewiseLinear {
  const f = emptyFunction();
  if (high - low <= WIDTH_TOLERANCE) {
    const y = valueOfRun(run, low);
    if (y !== undefined) f.points.push({ x: low, y });
    return f;
  }
  let x = run.x;
  let y = run.y;
  for (let index = 0; index < run.widths.length; index++) {
    const slope = run.slopes[index]!;
    const end = x + run.widths[index]!;
    // Ends that miss a bound by rounding are put on it, so that neighbouring pieces meet.
    const from = x <= low + WIDTH_TOLERANCE ? low : x;
    const to = end >= high - WIDTH_TOLERANCE ? high : end;
    if (to - from > WIDTH_TOLERANCE) append(f, from, to, y + slope * (from - x), slope);
    y += slope * (end - x);
    x = end;
    if (x >= high) break;
  }
  if (f.from.length > 0) return f;
  const touches = (at: number) => at >= low - WIDTH_TOLERANCE && at <= high + WIDTH_TOLERANCE;
  if (touches(run.x)) f.points.push({ x: Math.min(Math.max(run.x, low), high), y: run.y });
  else if (touches(x)) f.points.push({ x: low, y });
  return f;
}

/** Value of a convex run at `x`; undefined outside its domain. */
function valueOfRun(run: ConvexRun, x: number): number | undefined {
  if (x < run.x - WIDTH_TOLERANCE) return undefined;
  let { x: left, y } = run;
  for (const [index, width] of run.widths.entries()) {
    if (x <= left + width) return y + run.slopes[index]! * (Math.max(x, left) - left);
    y += run.slopes[index]! * width;
    left += width;
  }
  return x <= left + WIDTH_TOLERANCE ? y : undefined;
}

/** The part of a function that lies in `[low, high]`. */
export function restrict(f: PiecewiseLinear, low: number, high: number): PiecewiseLinear {
  return leastOf(convexRuns(f).map((run) => restrictRun(run, low, high)));
}

/** Two functions whose domains adjoin, as one. */
export function join(left: PiecewiseLinear, right: PiecewiseLinear): PiecewiseLinear {
  return {
    from: [...left.from, ...right.from],
    to: [...left.to, ...right.to],
    value: [...left.value, ...right.value],
    slope: [...left.slope, ...right.slope],
    points: [...left.points, ...right.points],
  };
}

/**
 * Infimal convolution of two convex runs, `h(x) = min f(u) + g(x - u)`: the segments of both in ascending order of
 * slope (Rockafellar, Convex Analysis, section 5).
 */
export function convolve(f: ConvexRun, g: ConvexRun): ConvexRun {
  const widths: number[] = [];
  const slopes: number[] = [];
  let i = 0;
  let j = 0;
  while (i < f.widths.length || j < g.widths.length) {
    const takeF = j >= g.widths.length || (i < f.widths.length && f.slopes[i]! <= g.slopes[j]!);
    widths.push(takeF ? f.widths[i]! : g.widths[j]!);
    slopes.push(takeF ? f.slopes[i++]! : g.slopes[j++]!);
  }
  return { x: f.x + g.x, y: f.y + g.y, widths, slopes };
}

/** A function cut into the fewest convex runs, in ascending order. Points are runs without width. */
export function convexRuns(f: PiecewiseLinear): ConvexRun[] {
  const runs: ConvexRun[] = [];
  let run: ConvexRun | undefined;
  for (let index = 0; index < f.from.length; index++) {
    const continues =
      run !== undefined &&
      Math.abs(f.to[index - 1]! - f.from[index]!) <= WIDTH_TOLERANCE &&
      Math.abs(valueAtEnd(f, index - 1) - f.value[index]!) <=
        1e-11 * Math.max(1, Math.abs(f.value[index]!)) &&
      f.slope[index]! >= f.slope[index - 1]! - SLOPE_TOLERANCE;
    if (run === undefined || !continues) {
      run = { x: f.from[index]!, y: f.value[index]!, widths: [], slopes: [] };
      runs.push(run);
    }
    run.widths.push(f.to[index]! - f.from[index]!);
    // Within the tolerance a slope may fall by rounding; a convex run must not.
    run.slopes.push(Math.max(f.slope[index]!, run.slopes.at(-1) ?? -Infinity));
  }
  for (const point of f.points) runs.push({ x: point.x, y: point.y, widths: [], slopes: [] });
  return runs;
}

/** Lower envelope `min(f, g)` on the union of the two domains. */
function lowerEnvelope(f: PiecewiseLinear, g: PiecewiseLinear): PiecewiseLinear {
  const result = emptyFunction();
  let i = 0;
  let j = 0;
  let x = Math.min(f.from[0] ?? Infinity, g.from[0] ?? Infinity);
  while (i < f.from.length || j < g.from.length) {
    const fActive = i < f.from.length && f.from[i]! <= x;
    const gActive = j < g.from.length && g.from[j]! <= x;
    const fNext = i < f.from.length ? (fActive ? f.to[i]! : f.from[i]!) : Infinity;
    const gNext = j < g.from.length ? (gActive ? g.to[j]! : g.from[j]!) : Infinity;
    const end = Math.min(fNext, gNext);
    if (end - x > 0) {
      const fValue = fActive ? f.value[i]! + f.slope[i]! * (x - f.from[i]!) : Infinity;
      const gValue = gActive ? g.value[j]! + g.slope[j]! * (x - g.from[j]!) : Infinity;
      if (fActive && gActive) {
        appendLower(result, x, end, fValue, f.slope[i]!, gValue, g.slope[j]!);
      } else if (fActive) {
        append(result, x, end, fValue, f.slope[i]!);
      } else if (gActive) {
        append(result, x, end, gValue, g.slope[j]!);
      }
    }
    x = end;
    if (fActive && f.to[i]! <= x) i++;
    if (gActive && g.to[j]! <= x) j++;
  }
  for (const point of [...f.points, ...g.points]) {
    const tolerance = 1e-12 * Math.max(1, Math.abs(point.y));
    if (evaluate(result, point.x) > point.y + tolerance) {
      result.points = result.points.filter((other) => Math.abs(other.x - point.x) > WIDTH_TOLERANCE);
      result.points.push(point);
    }
  }
  return result;
}

/**
 * Lower envelope of many functions in ascending order, neighbours first: one after the other each would walk through all
 * that is there already, and the worth of a store far larger than its power has thousands of runs.
 */
export function leastOf(functions: readonly PiecewiseLinear[]): PiecewiseLinear {
  let round = functions;
  while (round.length > 1) {
    const merged: PiecewiseLinear[] = [];
    for (let index = 0; index < round.length; index += 2) {
      const right = round[index + 1];
      merged.push(right === undefined ? round[index]! : lowerEnvelope(round[index]!, right));
    }
    round = merged;
  }
  return round[0] ?? emptyFunction();
}

/** The lower of two lines on `[from, to]`, split where they cross. */
function appendLower(
  result: PiecewiseLinear,
  from: number,
  to: number,
  fValue: number,
  fSlope: number,
  gValue: number,
  gSlope: number,
): void {
  const width = to - from;
  const startGap = fValue - gValue;
  const endGap = startGap + (fSlope - gSlope) * width;
  if (startGap <= 0 && endGap <= 0) append(result, from, to, fValue, fSlope);
  else if (startGap >= 0 && endGap >= 0) append(result, from, to, gValue, gSlope);
  else {
    const cross = from + (width * startGap) / (startGap - endGap);
    const fFirst = startGap < 0;
    append(result, from, cross, fFirst ? fValue : gValue, fFirst ? fSlope : gSlope);
    const [value, slope] = fFirst ? [gValue, gSlope] : [fValue, fSlope];
    append(result, cross, to, value + slope * (cross - from), slope);
  }
}
