/** A column of a model. */
export interface Column {
  lower?: number;
  upper: number;
  /** Cost of one unit: money and penalties. */
  cost?: number;
  /** Cost of one unit among schedules of equal money and penalties. */
  tie?: number;
  /** Value in the starting schedule. */
  start: number;
}

/** A column that is 0 or 1. */
export interface Binary {
  column: number;
  isFirst: boolean;
  round(values: Float64Array): boolean;
}

type Term = readonly [column: number, coefficient: number];

/** A mixed-integer linear programme with two objectives, built column by column and row by row; minimised. */
export class LinearModel {
  readonly lower: number[] = [];
  readonly upper: number[] = [];
  readonly cost: number[] = [];
  readonly tie: number[] = [];
  readonly binaries: Binary[] = [];
  /** Whether binaries that are added may have any value from 0 to 1. */
  isRelaxed = false;
  readonly start: number[] = [];
  readonly rowLower: number[] = [];
  readonly rowUpper: number[] = [];
  readonly #starts: number[] = [0];
  readonly #indices: number[] = [];
  readonly #values: number[] = [];

  /** Adds a column; returns its index. */
  column({ lower = 0, upper, cost = 0, tie = 0, start }: Column): number {
    const index = this.lower.push(lower) - 1;
    this.upper.push(upper);
    this.cost.push(cost);
    this.tie.push(tie);
    this.start.push(start);
    return index;
  }

  /**
   * Adds a column that is 0 or 1. `round` decides which, from a solution without whole numbers; default: the nearest.
   * Binaries with `isFirst` are rounded before the others.
   */
  binary(
    start: boolean,
    { round, isFirst = false }: { round?: (values: Float64Array) => boolean; isFirst?: boolean } = {},
  ): number {
    const column = this.column({ upper: 1, start: start ? 1 : 0 });
    if (this.isRelaxed) return column;
    this.binaries.push({ column, isFirst, round: round ?? ((values) => values[column]! >= 0.5) });
    return column;
  }

  /** The columns that are 0 or 1. */
  get integers(): number[] {
    return this.binaries.map(({ column }) => column);
  }

  /** Adds the row `lower` <= sum of terms <= `upper`. */
  row(lower: number, upper: number, terms: readonly Term[]): void {
    this.rowLower.push(lower);
    this.rowUpper.push(upper);
    for (const [column, coefficient] of terms) {
      if (coefficient === 0) continue;
      this.#indices.push(column);
      this.#values.push(coefficient);
    }
    this.#starts.push(this.#indices.length);
  }

  /** Adds sum of terms >= `lower`. */
  atLeast(lower: number, terms: readonly Term[]): void {
    this.row(lower, Number.POSITIVE_INFINITY, terms);
  }

  /** Adds sum of terms <= `upper`. */
  atMost(upper: number, terms: readonly Term[]): void {
    this.row(Number.NEGATIVE_INFINITY, upper, terms);
  }

  /** The model for HiGHS with money and penalties as its objective, without the condition of whole numbers. */
  get relaxation() {
    return {
      numCols: this.lower.length,
      numRows: this.rowLower.length,
      colCost: this.cost,
      colLower: this.lower,
      colUpper: this.upper,
      rowLower: this.rowLower,
      rowUpper: this.rowUpper,
      matrix: this.matrix,
    };
  }

  /** The coefficients by rows. */
  get matrix() {
    return {
      format: "csr" as const,
      numRows: this.rowLower.length,
      numCols: this.lower.length,
      starts: Int32Array.from(this.#starts),
      indices: Int32Array.from(this.#indices),
      values: Float64Array.from(this.#values),
    };
  }
}
