/** Days of daylight hours that count, and fewest of them. */
export const NODE_DAYS = 60;
const FEWEST_DAYS = 20;
const NODES = 3;
/** Probability that a factor on the expected PV holds for an hour. */
const PERSISTENCE = 0.92;

/** Equally likely factors on the expected PV, and how likely one holds for an hour. */
export interface MeasuredPvNodes {
  factors: number[];
  shares: number[];
  persistence: number;
}

/** The factors of a home: means of thirds of its measured over expected hours; undefined with too few days. */
export function nodesOfRatios(days: readonly (readonly number[])[]): MeasuredPvNodes | undefined {
  if (days.length < FEWEST_DAYS) return undefined;
  const sorted = days.flat().sort((a, b) => a - b);
  const bound = (k: number) => Math.floor((k * sorted.length) / NODES);
  const factors = Array.from({ length: NODES }, (_, k) => {
    const third = sorted.slice(bound(k), bound(k + 1));
    return third.reduce((sum, ratio) => sum + ratio, 0) / third.length;
  });
  return { factors, shares: factors.map(() => 1 / NODES), persistence: PERSISTENCE };
}
