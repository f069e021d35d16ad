/**
 * Scenarios as a Markov chain: over `hours` the rank of the load among its scenarios stays with probability
 * `persistence ^ hours`, else it is drawn anew.
 */
export function staying(persistence: number, hours: number): number {
  return persistence <= 0 ? 0 : persistence ** hours;
}

/** Distribution of the next stage's scenario, given that of the present one. */
export function spread(weights: Float64Array, stay: number, into: Float64Array): void {
  const even = (1 - stay) / weights.length;
  for (let w = 0; w < weights.length; w++) into[w] = stay * weights[w]! + even;
}

/** How likely each scenario is, given the net load measured: the two nearest share it by distance. */
export function likeness(netKwh: number, scenarios: Float64Array, into: Float64Array): void {
  into.fill(0);
  let below = -1;
  let above = -1;
  for (let w = 0; w < scenarios.length; w++) {
    const value = scenarios[w]!;
    if (value <= netKwh && (below < 0 || value > scenarios[below]!)) below = w;
    if (value >= netKwh && (above < 0 || value < scenarios[above]!)) above = w;
  }
  if (below < 0 || above < 0) {
    shareAmong(below < 0 ? scenarios[above]! : scenarios[below]!, scenarios, into);
    return;
  }
  const width = scenarios[above]! - scenarios[below]!;
  if (width <= 0) {
    shareAmong(scenarios[above]!, scenarios, into);
    return;
  }
  into[above] = (netKwh - scenarios[below]!) / width;
  into[below] = 1 - into[above]!;
}

/** Equal scenarios are equally likely. */
function shareAmong(value: number, scenarios: Float64Array, into: Float64Array): void {
  let count = 0;
  for (const scenario of scenarios) if (scenario === value) count++;
  for (let w = 0; w < scenarios.length; w++) into[w] = scenarios[w] === value ? 1 / count : 0;
}
