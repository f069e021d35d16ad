import {
  METER_QUANTITIES,
  type MeterQuantity,
  type MeterSeriesFacts,
  type MeterWarning,
} from "../../core/domain/meter.js";
import { storeAs, usualQuantity } from "../../money/meter/choose.js";
import type { MeterArchive } from "../../store/meter-archive.js";
import type { ReadSeries } from "../../store/meter-values.js";
import type { Texts } from "../../texts/index.js";
import type { FormBody } from "../form-body.js";
import type { DraftFile, ImportDraft, ImportDrafts } from "./drafts.js";

/** What a series is imported as; undefined: it is left out. */
export type SeriesUse = MeterQuantity | undefined;

/** Name of the field of a series, by the numbers of file and series. */
export function useField(file: number, series: number): string {
  return `use-${file}-${series}`;
}

/** Name of the field for the community of a share. */
export function communityField(file: number, series: number): string {
  return `community-${file}-${series}`;
}

/** Whether a use is about the share of a community. */
export function isShare(use: SeriesUse): boolean {
  return use === "community" || use === "delivered";
}

/** Uses of a file's series: as detected; none where the file has several meters for a quantity. */
export function usualUses(series: readonly MeterSeriesFacts[]): SeriesUse[] {
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

/** A series of an uploaded file and what it is stored as. */
export interface ChosenSeries {
  series: ReadSeries;
  /** Its number in the file. */
  index: number;
  quantity: MeterQuantity;
}

/** The series of a file that have a use. */
export function chosenOf({ reading }: DraftFile, uses: readonly SeriesUse[]): ChosenSeries[] {
  if (!("series" in reading)) return [];
  return reading.series.flatMap((series, index) => {
    const quantity = uses[index];
    return quantity === undefined ? [] : [{ series: storeAs(series, quantity), index, quantity }];
  });
}

/** The series to store of each file, none of some; a sentence if they cannot be stored together. */
export function chosenSeries(
  files: readonly DraftFile[],
  uses: readonly (readonly SeriesUse[])[],
  { check, quantities }: Texts["meterPage"],
): ChosenSeries[][] | string {
  const chosen = files.map((one, file) => chosenOf(one, uses[file] ?? []));
  for (const [file, series] of chosen.entries())
    for (const [index, { quantity }] of series.entries())
      if (series.slice(0, index).some((other) => other.quantity === quantity))
        return check.twice(files[file]!.name, quantities[quantity]);
  const all = chosen.flat();
  for (const [index, one] of all.entries()) {
    const other = all.slice(0, index).find((earlier) => isOtherMeter(earlier, one));
    if (other !== undefined)
      return check.twoMeters(quantities[one.quantity], `${other.series.file}, ${one.series.file}`);
  }
  return all.length === 0 ? check.nothing : chosen;
}

/** The chosen series with the communities that the form names, separated by commas. */
export function withCommunities(chosen: readonly ChosenSeries[][], form: FormBody): ChosenSeries[][] {
  return chosen.map((ofFile, file) =>
    ofFile.map((one) => {
      const typed = form.text(communityField(file, one.index)).split(",");
      const communities = typed.map((name) => name.trim()).filter((name) => name !== "");
      if (!isShare(one.quantity) || communities.length === 0) return one;
      return { ...one, series: { ...one.series, communities } };
    }),
  );
}

/** Whether two series are of different meters for the same quantity and time: one would replace the other. */
function isOtherMeter({ series: a, quantity }: ChosenSeries, { series: b, ...other }: ChosenSeries): boolean {
  const areKnown = a.meterPoint !== undefined && b.meterPoint !== undefined;
  const overlap = a.firstStartMs <= b.lastStartMs && b.firstStartMs <= a.lastStartMs;
  return quantity === other.quantity && areKnown && a.meterPoint !== b.meterPoint && overlap;
}

interface OverlapsOptions {
  archive: Pick<MeterArchive, "list" | "warningsOf">;
  drafts: Pick<ImportDrafts, "values">;
}

/** What the imports of uploaded files would replace, by file and series; the last answer of each file is kept. */
export class Overlaps {
  readonly #options: OverlapsOptions;
  readonly #known = new WeakMap<DraftFile, { key: string; warnings: MeterWarning[][] }>();

  constructor(options: OverlapsOptions) {
    this.#options = options;
  }

  async of(
    siteId: string,
    { files }: ImportDraft,
    uses: readonly (readonly SeriesUse[])[],
  ): Promise<MeterWarning[][][]> {
    const imports = this.#options.archive.list(siteId).map(({ id }) => id);
    const warnings: MeterWarning[][][] = [];
    for (const [index, file] of files.entries()) {
      const ofFile = uses[index] ?? [];
      const key = JSON.stringify([siteId, imports, ofFile]);
      const known = this.#known.get(file);
      const found = known?.key === key ? known.warnings : await this.#ofFile(siteId, file, ofFile);
      this.#known.set(file, { key, warnings: found });
      warnings.push(found);
    }
    return warnings;
  }

  async #ofFile(siteId: string, file: DraftFile, uses: readonly SeriesUse[]): Promise<MeterWarning[][]> {
    const chosen = chosenOf(file, uses);
    if (chosen.length === 0) return uses.map(() => []);
    const values = await this.#options.drafts.values(file, chosen);
    const warnings = await this.#options.archive.warningsOf(siteId, values);
    return uses.map((_, index) => warnings[chosen.findIndex((one) => one.index === index)] ?? []);
  }
}
