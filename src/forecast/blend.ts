/** Number of past origins that determine the weights. */
const MATURED = 60;
/** Weights are proportional to error ** -SHARPNESS. */
const SHARPNESS = 12;

/**
 * Weights of a blend's members for one lead day: proportional to the mean absolute error of the member over the last 60
 * origins with known outcomes, to the power -12. A 10 % smaller error gives about three times the weight.
 */
export class BlendWeights {
  readonly #members: number;
  readonly #errors: number[][] = [];

  constructor(members: number) {
    this.#members = members;
  }

  /** Adds the mean absolute errors, EUR/MWh, of all members for an origin whose outcome is known. */
  matured(errors: readonly number[]): void {
    this.#errors.push([...errors]);
    if (this.#errors.length > MATURED) this.#errors.shift();
  }

  /** Weights with sum 1; equal before the first outcome. */
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
