/** Durations of `rounds` calls, ms, after up to three warm-up calls. */
export function timed(rounds: number, work: () => void): number[] {
  for (let round = 0; round < Math.min(3, rounds); round++) work();
  return Array.from({ length: rounds }, () => {
    const started = performance.now();
    work();
    return performance.now() - started;
  });
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
