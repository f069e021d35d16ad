import { factor, packed, solveFactored } from "./cholesky.js";

const BATCH = 4;

/**
 * Accumulated sums of a least-squares fit: rows can be added and removed at any time, and the cost of the fit does not
 * depend on their number. Several outputs share one matrix.
 */
export class NormalEquations {
  readonly features: number;
  readonly outputs: number;
  /** Sum of w x x' over rows x = (1, features), packed lower triangle. */
  readonly #gram: Float64Array;
  /** Sum of w x y, by output. */
  readonly #moments: Float64Array;

  /** Rows of the incomplete batch, with their weights. */
  readonly #rows: Float64Array;
  readonly #rowWeights = new Float64Array(BATCH);
  #waiting = 0;

  constructor(features: number, outputs: number) {
    this.features = features;
    this.outputs = outputs;
    this.#gram = new Float64Array(packed(features + 1, 0));
    this.#moments = new Float64Array(outputs * (features + 1));
    this.#rows = new Float64Array(BATCH * features);
  }

  /** Adds a row with a weight; a negative weight removes it. */
  add(features: Float64Array, targets: Float64Array, weight: number): void {
    const count = this.features;
    const slot = this.#waiting++;
    this.#rows.set(features, slot * count);
    this.#rowWeights[slot] = weight;
    for (let output = 0; output < this.outputs; output++) {
      const scaled = weight * targets[output]!;
      const base = output * (count + 1);
      this.#moments[base]! += scaled;
      for (let row = 0; row < count; row++) this.#moments[base + 1 + row]! += scaled * features[row]!;
    }
    if (this.#waiting < BATCH) return;
    this.#bringInto(this.#gram);
    this.#waiting = 0;
    this.#rowWeights.fill(0);
  }

  /**
   * The matrix with all rows. The incomplete batch remains pending: a fit between two rows must not change the rounding of
   * later rows.
   */
  #complete(): Float64Array {
    if (this.#waiting === 0) return this.#gram;
    const gram = this.#gram.slice();
    this.#bringInto(gram);
    return gram;
  }

  /** Adds the pending rows to a matrix, four in one pass through memory. */
  #bringInto(gram: Float64Array): void {
    const count = this.features;
    const rows = this.#rows;
    const [w0, w1, w2, w3] = this.#rowWeights as unknown as [number, number, number, number];
    rows.fill(0, this.#waiting * count);
    gram[0]! += w0 + w1 + w2 + w3;
    let at = 1;
    for (let row = 0; row < count; row++) {
      const a0 = w0 * rows[row]!;
      const a1 = w1 * rows[count + row]!;
      const a2 = w2 * rows[2 * count + row]!;
      const a3 = w3 * rows[3 * count + row]!;
      gram[at++]! += a0 + a1 + a2 + a3;
      for (let column = 0; column <= row; column++)
        gram[at++]! +=
          a0 * rows[column]! +
          a1 * rows[count + column]! +
          a2 * rows[2 * count + column]! +
          a3 * rows[3 * count + column]!;
    }
  }

  /**
   * Ridge regression with standardized features (mean 0, deviation 1): minimises the weighted mean of squared
   * errors plus `penalty` times the squared coefficients (Hoerl and Kennard 1970). Intercept and coefficients for the
   * original features, by output; 0 for a constant feature.
   */
  ridge(penalty: number): Float64Array {
    const count = this.features;
    const gram = this.#complete();
    const total = gram[0]!;
    const means = new Float64Array(count);
    const scales = new Float64Array(count);
    for (let row = 0; row < count; row++) {
      const mean = gram[packed(row + 1, 0)]! / total;
      const variance = gram[packed(row + 1, row + 1)]! / total - mean * mean;
      means[row] = mean;
      scales[row] = variance > 1e-8 ? 1 / Math.sqrt(variance) : 0;
    }
    const matrix = new Float64Array(packed(count, 0));
    for (let row = 0; row < count; row++) {
      const at = packed(row, 0);
      const from = packed(row + 1, 1);
      for (let column = 0; column <= row; column++)
        matrix[at + column] =
          (gram[from + column]! / total - means[row]! * means[column]!) * scales[row]! * scales[column]!;
      matrix[at + row]! += penalty;
    }
    factor(matrix, count);
    return this.#solve(matrix, { total, means, scales });
  }

  #solve(
    matrix: Float64Array,
    { total, means, scales }: { total: number; means: Float64Array; scales: Float64Array },
  ): Float64Array {
    const count = this.features;
    const found = new Float64Array(this.outputs * (count + 1));
    const right = new Float64Array(count);
    for (let output = 0; output < this.outputs; output++) {
      const base = output * (count + 1);
      const mean = this.#moments[base]! / total;
      for (let row = 0; row < count; row++)
        right[row] = (this.#moments[base + 1 + row]! / total - means[row]! * mean) * scales[row]!;
      solveFactored(matrix, count, right);
      let intercept = mean;
      for (let row = 0; row < count; row++) {
        const coefficient = right[row]! * scales[row]!;
        found[base + 1 + row] = coefficient;
        intercept -= coefficient * means[row]!;
      }
      found[base] = intercept;
    }
    return found;
  }

  /**
   * Ridge regression on the original features: minimises the weighted sum of squared errors plus `penalty` times the
   * squared coefficients, without a penalty on the intercept. Intercept and coefficients, by output.
   */
  plainRidge(penalty: number): Float64Array {
    const count = this.features;
    const gram = this.#complete();
    const total = gram[0]!;
    const means = new Float64Array(count);
    for (let row = 0; row < count; row++) means[row] = gram[packed(row + 1, 0)]! / total;
    const matrix = new Float64Array(packed(count, 0));
    for (let row = 0; row < count; row++) {
      const at = packed(row, 0);
      const from = packed(row + 1, 1);
      for (let column = 0; column <= row; column++)
        matrix[at + column] = gram[from + column]! / total - means[row]! * means[column]!;
      matrix[at + row]! += penalty / total;
    }
    factor(matrix, count);
    return this.#solve(matrix, { total, means, scales: new Float64Array(count).fill(1) });
  }
}
