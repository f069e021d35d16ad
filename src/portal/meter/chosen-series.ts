import type { MeterSeries } from "../../core/domain/meter.js";
import { METER_QUANTITIES, type MeterQuantity } from "../../core/domain/meter.js";
import { storeAs, usualQuantity } from "../../money/meter/choose.js";
import type { DraftFile } from "../../money/meter/drafts.js";
import type { StoredSeries } from "../../store/meter-archive.js";
import type { Texts } from "../../texts/index.js";
import type { FormBody } from "../form-body.js";

/** What a series is imported as; undefined: it is left out. */
export type SeriesUse = MeterQuantity | undefined;

/** Name of the field of a series, by the numbers of file and series. */
export function useField(file: number, series: number): string {
  return `use-${file}-${series}`;
}

/** Uses of a file's series: as detected; none where the file has several meters for a quantity. */
export function usualUses(series: readonly MeterSeries[]): SeriesUse[] {
  const quantities = series.map(usualQuantity);
  return quantities.map((quantity) =>
    quantities.filter((other) => other === quantity).length > 1 ? undefined : quantity,
  );
}

/** Uses that the form states, for each file and series. */
export function usesOf(form: FormBody, files: readonly DraftFile[]): SeriesUse[][] {
  return files.map(({ reading }, file) =>
    "series" in reading
      ? reading.series.map((_, index) => {
          const text = form.text(useField(file, index));
          return METER_QUANTITIES.find((quantity) => quantity === text);
        })
      : [],
  );
}

/** The series to store for each file with at least one; a sentence if they cannot be stored together. */
export function chosenSeries(
  files: readonly DraftFile[],
  uses: readonly (readonly SeriesUse[])[],
  { check, quantities }: Texts["meterPage"],
): StoredSeries[][] | string {
  const chosen = files.map(({ reading }, file) =>
    "series" in reading
      ? reading.series.flatMap((series, index) => {
          const quantity = uses[file]?.[index];
          return quantity === undefined ? [] : [{ ...storeAs(series, quantity), quantity }];
        })
      : [],
  );
  for (const [file, series] of chosen.entries())
    for (const [index, { quantity }] of series.entries())
      if (series.slice(0, index).some((other) => other.quantity === quantity))
        return check.twice(files[file]!.name, quantities[quantity]);
  const all = chosen.flat();
  for (const [index, one] of all.entries()) {
    const other = all.slice(0, index).find((earlier) => isOtherMeter(earlier, one));
    if (other !== undefined) return check.twoMeters(quantities[one.quantity], `${other.file}, ${one.file}`);
  }
  const stored = chosen.filter((series) => series.length > 0);
  return stored.length === 0 ? check.nothing : stored;
}

/** Whether two series are of different meters for the same quantity and time: one would replace the other. */
function isOtherMeter(a: StoredSeries, b: StoredSeries): boolean {
  const areKnown = a.meterPoint !== undefined && b.meterPoint !== undefined;
  const overlap = a.starts[0]! <= b.starts.at(-1)! && b.starts[0]! <= a.starts.at(-1)!;
  return a.quantity === b.quantity && areKnown && a.meterPoint !== b.meterPoint && overlap;
}
