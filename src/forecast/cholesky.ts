/** Place of element (row, column) with column <= row in a lower triangle stored row by row. */
export function packed(row: number, column: number): number {
  return (row * (row + 1)) / 2 + column;
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
      // Four independent sums allow the processor to add in parallel.
      let sum0 = 0;
      let sum1 = 0;
      let sum2 = 0;
      let sum3 = 0;
      let k = 0;
      for (; k + 3 < column; k += 4) {
        sum0 += matrix[rowAt + k]! * matrix[columnAt + k]!;
        sum1 += matrix[rowAt + k + 1]! * matrix[columnAt + k + 1]!;
        sum2 += matrix[rowAt + k + 2]! * matrix[columnAt + k + 2]!;
        sum3 += matrix[rowAt + k + 3]! * matrix[columnAt + k + 3]!;
      }
      for (; k < column; k++) sum0 += matrix[rowAt + k]! * matrix[columnAt + k]!;
      const sum = matrix[rowAt + column]! - (sum0 + sum1 + sum2 + sum3);
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
