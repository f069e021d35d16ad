/** Factors on a load of which only the part `uncertainKwh` is uncertain. */
export function certainShare(
  row: readonly number[],
  uncertainKwh: number,
  totalKwh: number,
): readonly number[] {
  if (row.length === 0 || totalKwh <= uncertainKwh) return row;
  return row.map((ratio) => (uncertainKwh * ratio + totalKwh - uncertainKwh) / totalKwh);
}
