import { LocalFile, readChanged, SourceFileError } from "../../../core/net/watched-file.js";
import type { PriceAnswer, PriceRequest, PriceSource } from "../source.js";
import { parsePriceFile } from "./file-format.js";

/** Prices of a local CSV file; see `parsePriceFile` for the format. */
export class FileSource extends LocalFile implements PriceSource {
  async fetch({ validators }: PriceRequest): Promise<PriceAnswer> {
    try {
      const reading = await readChanged(this.path, validators);
      if (reading.notModified) return { points: [], notModified: true, validators: reading.validators };
      const { points, problems } = parsePriceFile(reading.text);
      if (points.length === 0)
        throw new Error(problems[0] ?? "it contains no price; add rows of start_utc,eur_per_mwh.");
      return {
        points,
        validators: reading.validators,
        warnings: problems.map((problem) => `${this.path}: ${problem}`),
      };
    } catch (error) {
      throw new SourceFileError(this.path, error);
    }
  }
}
