/** The sum of numbers; 0 for none. */
export function sumOfAll(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** The sum of a value of each item; 0 for none. */
export function sumBy<Item>(items: readonly Item[], value: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + value(item), 0);
}

/** Rank of each value among all, 1 for the lowest; ties to the earlier one. */
export function ranksOf(values: readonly number[]): number[] {
  const ranks = values.map(() => 0);
  const order = values.map((_, index) => index).sort((a, b) => values[a]! - values[b]! || a - b);
  for (const [place, index] of order.entries()) ranks[index] = place + 1;
  return ranks;
}
