/** Origins whose outcome the weights look back on. */
const MATURED = 60;
/** How strongly a smaller error is preferred: weights go with error ** -SHARPNESS. */
const SHARPNESS = 12;

/**
 * Weights of a blend's members for one lead day, learnt from how well each of them did lately: proportional to its mean absolute
 * error over the last 60 matured origins to the power -12. Two members a tenth apart in error share 3 to 1.
 */
export class BlendWeights {
  readonly #members: number;
  readonly #errors: number[][] = [];

  constructor(members: number) {
    this.#members = members;
  }

  /** Takes the mean absolute errors, EUR/MWh, of all members for an origin that has matured. */
  matured(errors: readonly number[]): void {
    this.#errors.push([...errors]);
    if (this.#errors.length > MATURED) this.#errors.shift();
  }

  /** Sum 1; equal before the first outcome. */
  weights(): number[] {
    const sums = Array.from({ length: this.#members }, (_, member) =>
      this.#errors.reduce((sum, row) => sum + row[member]!, 1e-9),
    );
    const least = Math.min(...sums);
    const raw = sums.map((sum) => (least / sum) ** SHARPNESS);
    const total = raw.reduce((sum, value) => sum + value, 0);
    return raw.map((value) => value / total);
  }
}

/** Weighted mean of predictions of equal length. */
export function blend(
  predictions: readonly Float64Array[],
  weightsOf: (index: number) => readonly number[],
): Float64Array {
  const first = predictions[0]!;
  return first.map((_, index) =>
    weightsOf(index).reduce((sum, weight, member) => sum + weight * predictions[member]![index]!, 0),
  );
}
