/**
 * Piecewise-linear functions of one variable and the two operations that dynamic programming needs on them: infimal
 * convolution and lower envelope. Both are exact up to rounding.
 *
 * A function is a list of closed linear segments in ascending order plus isolated points. It is lower semicontinuous:
 * where two pieces meet with different values, the lower one counts. (Jumps result from a least charging power.)
 */

/** A convex function on `[x, x + sum(widths)]`: value `y` at its left end, then non-decreasing slopes. */
export interface ConvexRun {
  x: number;
  y: number;
  widths: number[];
  slopes: number[];
}

/** Lower-semicontinuous piecewise-linear function, as parallel arrays of segments and isolated points. */
export interface PiecewiseLinear {
  /** Left end, right end, value at the left end, slope; one entry per segment. */
  from: number[];
  to: number[];
  value: number[];
  slope: number[];
  /** Isolated points below the segments; rare. */
  points: { x: number; y: number }[];
}

/** Widths below this are rounding, kWh. */
const WIDTH_TOLERANCE = 1e-10;
/** Slopes this close (ct/kWh) are treated as equal, so that rounding does not add segments. */
const SLOPE_TOLERANCE = 1e-9;

/** A line by its value at the left end of a segment and its slope. */
interface Line {
  value: number;
  slope: number;
}

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

/** Positions within `[low, high]` at which slope or value changes, including the ends of the domain. */
export function breakpoints(f: PiecewiseLinear, low: number, high: number): number[] {
  const found: number[] = [];
  const add = (x: number) => {
    if (x >= low - WIDTH_TOLERANCE && x <= high + WIDTH_TOLERANCE) found.push(x);
  };
  const first = Math.max(0, segmentBefore(f, low));
  for (let index = first; index < f.from.length && f.from[index]! <= high + WIDTH_TOLERANCE; index++) {
    add(f.from[index]!);
    // Adjoining segments share this end, which the next one adds.
    if (index + 1 === f.from.length || f.from[index + 1]! - f.to[index]! > 0) add(f.to[index]!);
  }
  for (const point of f.points) add(point.x);
  return found;
}

/** Value at `x`; Infinity outside the domain (beyond the width tolerance). */
export function evaluate(f: PiecewiseLinear, x: number): number {
  let best = Infinity;
  const index = segmentBefore(f, x + WIDTH_TOLERANCE);
  // Neighbours share an end point; if the function jumps there, the lower value counts.
  for (let near = Math.max(0, index - 1); near <= index; near++) {
    if (x > f.to[near]! + WIDTH_TOLERANCE) continue;
    const inside = Math.min(Math.max(x, f.from[near]!), f.to[near]!);
    best = Math.min(best, f.value[near]! + f.slope[near]! * (inside - f.from[near]!));
  }
  for (const point of f.points) if (Math.abs(point.x - x) <= WIDTH_TOLERANCE) best = Math.min(best, point.y);
  return best;
}

/** Right-hand slope at `x`; the left-hand one at the end of the domain. */
export function slopeAt(f: PiecewiseLinear, x: number): number {
  const right = segmentBefore(f, x + WIDTH_TOLERANCE);
  return f.slope[Math.max(0, right)] ?? 0;
}

/** Left-hand slope at `x`; the right-hand one at the start of the domain. */
export function slopeBefore(f: PiecewiseLinear, x: number): number {
  const left = segmentBefore(f, x - WIDTH_TOLERANCE);
  return f.slope[Math.max(0, left)] ?? 0;
}

function append(f: PiecewiseLinear, from: number, to: number, { value, slope }: Line): void {
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

/** The part of a convex run in `[low, high]` as a function; a point if the part has no width. */
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
    // Ends within rounding of a bound are moved onto it, so that neighbouring pieces meet.
    const from = x <= low + WIDTH_TOLERANCE ? low : x;
    const to = end >= high - WIDTH_TOLERANCE ? high : end;
    if (to - from > WIDTH_TOLERANCE) append(f, from, to, { value: y + slope * (from - x), slope });
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

/** The part of a function in `[low, high]`. */
export function restrict(f: PiecewiseLinear, low: number, high: number): PiecewiseLinear {
  return leastOf(convexRuns(f).map((run) => restrictRun(run, low, high)));
}

/** Joins two functions with adjoining domains. */
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

/** Splits a function into the fewest convex runs, in ascending order. Points are runs without width. */
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
    // A slope may decrease by rounding; a convex run must not.
    run.slopes.push(Math.max(f.slope[index]!, run.slopes.at(-1) ?? -Infinity));
  }
  for (const point of f.points) runs.push({ x: point.x, y: point.y, widths: [], slopes: [] });
  return runs;
}

/** The line of a segment, with its value at `x`. */
function lineAt(f: PiecewiseLinear, index: number, x: number): Line {
  const slope = f.slope[index]!;
  return { value: f.value[index]! + slope * (x - f.from[index]!), slope };
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
      const fLine = fActive ? lineAt(f, i, x) : undefined;
      const gLine = gActive ? lineAt(g, j, x) : undefined;
      if (fLine !== undefined && gLine !== undefined) appendLower(result, { from: x, to: end }, fLine, gLine);
      else if (fLine !== undefined) append(result, x, end, fLine);
      else if (gLine !== undefined) append(result, x, end, gLine);
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
 * Lower envelope of many functions in ascending order. Merges neighbours in pairs: merging one after another would be
 * quadratic, and the value function of a battery far larger than its power has thousands of runs.
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

/** Appends the lower of two lines on `[from, to]`, split where they cross. */
function appendLower(
  result: PiecewiseLinear,
  { from, to }: { from: number; to: number },
  f: Line,
  g: Line,
): void {
  const width = to - from;
  const startGap = f.value - g.value;
  const endGap = startGap + (f.slope - g.slope) * width;
  if (startGap <= 0 && endGap <= 0) append(result, from, to, f);
  else if (startGap >= 0 && endGap >= 0) append(result, from, to, g);
  else {
    const cross = from + (width * startGap) / (startGap - endGap);
    const [first, second] = startGap < 0 ? [f, g] : [g, f];
    append(result, from, cross, first);
    append(result, cross, to, { value: second.value + second.slope * (cross - from), slope: second.slope });
  }
}
