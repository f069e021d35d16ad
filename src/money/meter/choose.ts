import type {
  MeterDirection,
  MeterQuantity,
  MeterSeries,
  MeterSeriesFacts,
} from "../../core/domain/meter.js";

/** What the user says about a file. */
export interface MeterChoice {
  direction?: "import" | "export" | undefined;
  as?: "load" | "community" | undefined;
  meterPoint?: string | undefined;
  /** The community of the shares. */
  community?: string | undefined;
}

/** A choice that does not fit the file; the message says what to do. */
export class MeterChoiceError extends Error {
  override readonly name = "MeterChoiceError";
}

/**
 * Applies the user's choice to the series of a file. A stated direction selects its series; a file with one series gets that
 * direction. Throws MeterChoiceError.
 */
export function chooseSeries(
  series: readonly MeterSeries[],
  { direction, as, meterPoint, community }: MeterChoice,
): { series: MeterSeries; quantity: MeterQuantity }[] {
  const file = series[0]?.file ?? "The file";
  const ofPoint = series.filter((one) => meterPoint === undefined || one.meterPoint === meterPoint);
  if (ofPoint.length === 0) {
    const points = [...new Set(series.map((one) => one.meterPoint ?? "one without a number"))].join(", ");
    throw new MeterChoiceError(`${file} has no meter point ${meterPoint}; it has ${points}.`);
  }
  const chosen = direction === undefined ? ofPoint : ofDirection(ofPoint, direction, file);
  if (as !== undefined && chosen.length > 1)
    throw new MeterChoiceError(
      `${file} has ${chosen.length} series (${describe(chosen)}); choose one with --direction or --meter-point to import it as ${as}.`,
    );
  return chosen.map((one) => {
    const stated = as === "community" ? { ...one, direction: "community" as const } : one;
    const quantity = as ?? usualQuantity(one);
    const isShare = quantity === "community" || quantity === "delivered";
    return {
      series: isShare && community !== undefined ? { ...stated, communities: [community] } : stated,
      quantity,
    };
  });
}

/** A series as it is stored under a quantity that the user has chosen. */
export function storeAs<Series extends MeterSeriesFacts>(series: Series, quantity: MeterQuantity): Series {
  if (quantity === "load") return series;
  const isDelivered = quantity === "delivered";
  const direction = isDelivered ? "community" : quantity;
  const warnings = series.warnings.filter(({ code }) => code !== "direction_assumed");
  return { ...series, direction, isDelivered, warnings };
}

/** The quantity that a series is stored under without a choice of the user. */
export function usualQuantity({ direction, isDelivered }: MeterSeriesFacts): MeterQuantity {
  return isDelivered ? "delivered" : direction;
}

/** Refuses several series of one quantity: one value per quarter-hour can be stored. Throws MeterChoiceError. */
export function checkDistinct(chosen: readonly { series: MeterSeries; quantity: MeterQuantity }[]): void {
  for (const [index, { quantity, series }] of chosen.entries()) {
    if (!chosen.slice(0, index).some((other) => other.quantity === quantity)) continue;
    const several = chosen.filter((other) => other.quantity === quantity).map((other) => other.series);
    throw new MeterChoiceError(
      `${series.file} has several meters for the same quantity (${describe(several)}); choose one with --meter-point NUMBER.`,
    );
  }
}

function ofDirection(series: readonly MeterSeries[], direction: MeterDirection, file: string): MeterSeries[] {
  const same = series.filter((one) => one.direction === direction);
  if (same.length > 0) return same;
  const [only, ...others] = series;
  if (only === undefined || others.length > 0)
    throw new MeterChoiceError(`${file} has no series for ${direction}; it has ${describe(series)}.`);
  return [{ ...only, direction, warnings: only.warnings.filter(({ code }) => code !== "direction_assumed") }];
}

function describe(series: readonly MeterSeries[]): string {
  return series
    .map(({ direction, meterPoint }) =>
      meterPoint === undefined ? direction : `${direction} of ${meterPoint}`,
    )
    .join(", ");
}
