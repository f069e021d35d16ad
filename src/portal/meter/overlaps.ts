import type { MeterWarning } from "../../core/domain/meter.js";
import type { MeterArchive } from "../../store/meter-archive.js";
import { chosenOf, type SeriesUse } from "./chosen-series.js";
import type { DraftFile, ImportDraft, ImportDrafts } from "./drafts.js";

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
