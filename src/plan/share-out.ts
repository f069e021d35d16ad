/**
 * Splits `total` in proportion to `weights`, with no share above its limit; what a limit takes away goes to the others.
 * Shares of weight 0 are 0. Their sum is `total`, or the sum of the limits of the others if that is less.
 */
export function shareOut(total: number, weights: readonly number[], limits: readonly number[]): number[] {
  const shares = weights.map(() => 0);
  let rest = Math.max(0, total);
  let open = weights.map((_, index) => index).filter((index) => weights[index]! > 0 && limits[index]! > 0);
  while (open.length > 0 && rest > 0) {
    const sum = open.reduce((all, index) => all + weights[index]!, 0);
    const perWeight = rest / sum;
    const limited = open.filter((index) => weights[index]! * perWeight >= limits[index]!);
    if (limited.length === 0) {
      for (const index of open) shares[index] = weights[index]! * perWeight;
      return shares;
    }
    for (const index of limited) {
      shares[index] = limits[index]!;
      rest -= limits[index]!;
    }
    open = open.filter((index) => !limited.includes(index));
  }
  return shares;
}
