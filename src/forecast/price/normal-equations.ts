/** Rows added to the sums in one pass through memory. */
const BATCH = 4;

/** Place of element (row, column) with column <= row in a lower triangle stored row by row. */
export function packed(row: number, column: number): number {
  return (row * (row + 1)) / 2 + column;
}

/** The first `count` features of a fit have the same values as those of another one, which receives the same rows first. */
interface CommonFeatures {
  count: number;
  of: NormalEquations;
}

/** Accumulated sums of a weighted least-squares fit: the cost of a fit does not depend on the number of rows. */
export class NormalEquations {
  readonly features: number;
  readonly #common: CommonFeatures | undefined;
  /** Sum of w x x' over rows x = (1, features, target), packed lower triangle. */
  readonly #gram: Float64Array;
  /** Rows (features, target) of the incomplete batch, with their weights. */
  readonly #rows: Float64Array;
  readonly #rowWeights = new Float64Array(BATCH);
  #waiting = 0;

  /** `common`: saves the sums of these features. */
  constructor(features: number, common?: CommonFeatures) {
    this.features = features;
    this.#common = common;
    this.#gram = new Float64Array(packed(features + 2, 0));
    this.#rows = new Float64Array(BATCH * (features + 1));
  }

  /** Adds a row: the first features from `first`, the others from index `from` of `others`. */
  add(
    row: { first: Float64Array; others: Float64Array; from: number },
    target: number,
    weight: number,
  ): void {
    const { first, others, from } = row;
    const slot = this.#waiting++;
    const to = slot * (this.features + 1);
    const known = first.length;
    for (let index = 0; index < known; index++) this.#rows[to + index] = first[index]!;
    for (let index = known; index < this.features; index++)
      this.#rows[to + index] = others[from + index - known]!;
    this.#rows[to + this.features] = target;
    this.#rowWeights[slot] = weight;
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
    const gram = this.#gram.slice();
    if (this.#waiting > 0) this.#bringInto(gram);
    // In the packed triangle the sums of the first features are a prefix.
    const common = this.#common;
    if (common !== undefined) gram.set(common.of.#complete().subarray(0, packed(common.count + 1, 0)));
    return gram;
  }

  #bringInto(gram: Float64Array): void {
    const width = this.features + 1;
    const rows = this.#rows;
    const [w0, w1, w2, w3] = this.#rowWeights as unknown as [number, number, number, number];
    rows.fill(0, this.#waiting * width);
    if (this.#common === undefined) gram[0]! += w0 + w1 + w2 + w3;
    const first = this.#common?.count ?? 0;
    let at = packed(first + 1, 0);
    for (let row = first; row < width; row++) {
      const a0 = w0 * rows[row]!;
      const a1 = w1 * rows[width + row]!;
      const a2 = w2 * rows[2 * width + row]!;
      const a3 = w3 * rows[3 * width + row]!;
      // Calendar flags are mostly 0, and so are the features of weather before it was collected.
      if (a0 === 0 && a1 === 0 && a2 === 0 && a3 === 0) {
        at += row + 2;
        continue;
      }
      gram[at++]! += a0 + a1 + a2 + a3;
      for (let column = 0; column <= row; column++)
        gram[at++]! +=
          a0 * rows[column]! +
          a1 * rows[width + column]! +
          a2 * rows[2 * width + column]! +
          a3 * rows[3 * width + column]!;
    }
  }

  /**
   * Ridge regression on the first `count` features, standardized (mean 0, deviation 1): minimises the weighted mean of squared
   * errors plus `penalty` times the squared coefficients (Hoerl and Kennard 1970). Intercept and coefficients for the
   * original features; 0 for a constant feature.
   */
  ridge(penalty: number, count = this.features): Float64Array {
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
    const moments = gram.subarray(packed(this.features + 1, 0));
    const mean = moments[0]! / total;
    const found = new Float64Array(count + 1);
    const right = found.subarray(1);
    for (let row = 0; row < count; row++)
      right[row] = (moments[1 + row]! / total - means[row]! * mean) * scales[row]!;
    solveFactored(matrix, count, right);
    found[0] = mean;
    for (let row = 0; row < count; row++) {
      right[row]! *= scales[row]!;
      found[0]! -= right[row]! * means[row]!;
    }
    return found;
  }
}

/**
 * Factors a symmetric positive definite matrix, given as its packed lower triangle, into L L' in place (Golub and Van Loan,
 * Matrix Computations, 4.2). A pivot that is not positive due to rounding marks a missing direction: its column and its
 * coefficient become zero.
 */
export function factor(matrix: Float64Array, size: number): void {
  for (let row = 0; row < size; row++) {
    const rowAt = packed(row, 0);
    for (let column = 0; column <= row; column++) {
      const columnAt = packed(column, 0);
      let sum = matrix[rowAt + column]!;
      for (let k = 0; k < column; k++) sum -= matrix[rowAt + k]! * matrix[columnAt + k]!;
      if (column === row) matrix[rowAt + row] = sum > 1e-12 ? Math.sqrt(sum) : 0;
      else {
        const pivot = matrix[columnAt + column]!;
        matrix[rowAt + column] = pivot > 0 ? sum / pivot : 0;
      }
    }
  }
}

/** Solves L L' x = b in place, with the factor of `factor`. */
export function solveFactored(factored: Float64Array, size: number, b: Float64Array): void {
  for (let row = 0; row < size; row++) {
    const at = packed(row, 0);
    let sum = b[row]!;
    for (let k = 0; k < row; k++) sum -= factored[at + k]! * b[k]!;
    const pivot = factored[at + row]!;
    b[row] = pivot > 0 ? sum / pivot : 0;
  }
  for (let row = size - 1; row >= 0; row--) {
    const pivot = factored[packed(row, row)]!;
    const value = pivot > 0 ? b[row]! / pivot : 0;
    b[row] = value;
    const at = packed(row, 0);
    for (let k = 0; k < row; k++) b[k]! -= factored[at + k]! * value;
  }
}
