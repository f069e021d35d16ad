import { basename, resolve } from "node:path";
import { readChanged, SourceFileError, watchPath } from "../../net/watched-file.js";
import type { Cancel } from "../../time/clock.js";
import type { PriceAnswer, PriceRequest, PriceSource } from "../source.js";
import { parsePriceFile } from "./file-format.js";

/** Prices of a local CSV file; see `parsePriceFile` for the format. */
export class FileSource implements PriceSource {
  readonly name: string;
  readonly local = true;
  readonly #path: string;
  readonly #watchEveryMs: number;

  constructor(path: string, { watchEveryMs = 1_000 } = {}) {
    this.#path = resolve(path);
    this.#watchEveryMs = watchEveryMs;
    this.name = `file ${basename(path)}`;
  }

  async fetch({ validators }: PriceRequest): Promise<PriceAnswer> {
    try {
      const reading = await readChanged(this.#path, validators);
      if (reading.notModified) return { points: [], notModified: true, validators: reading.validators };
      const { points, problems } = parsePriceFile(reading.text);
      if (points.length === 0)
        throw new Error(problems[0] ?? "it contains no price; add rows of start_utc,eur_per_mwh.");
      return {
        points,
        validators: reading.validators,
        warnings: problems.map((problem) => `${this.#path}: ${problem}`),
      };
    } catch (error) {
      throw new SourceFileError(this.#path, error);
    }
  }

  /** Calls `changed` after the file was rewritten and has not changed for a moment. */
  watch(changed: () => void): Cancel {
    return watchPath(this.#path, this.#watchEveryMs, changed);
  }
}
