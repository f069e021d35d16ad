/** Value `x` points above `base`: linear between points and beyond the first and last. A `last` below 0: one point alone. */
export function interpolate(values: Float64Array, base: number, last: number, x: number): number {
  if (last < 0) return values[base]!;
  const i = x <= 0 ? 0 : x >= last ? last : x | 0;
  const low = values[base + i]!;
  return low + (x - i) * (values[base + i + 1]! - low);
}
