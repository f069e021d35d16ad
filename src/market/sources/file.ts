import { unwatchFile, watchFile } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import type { Cancel } from "../../time/clock.js";
import type { PriceAnswer, PriceRequest, PriceSource } from "../source.js";
import { parsePriceFile } from "./file-format.js";

/** Prices of a CSV file on this machine; see `parsePriceFile` for the format. */
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
      const { mtimeMs, size, ino } = await stat(this.#path);
      const etag = `${mtimeMs}/${size}/${ino}`;
      const current = { url: this.#path, etag };
      if (validators?.etag === etag) return { points: [], notModified: true, validators: current };
      const { points, problems } = parsePriceFile(await readFile(this.#path, "utf8"));
      if (points.length === 0)
        throw new Error(problems[0] ?? "it holds no price; write rows of start_utc,eur_per_mwh.");
      return {
        points,
        validators: current,
        warnings: problems.map((problem) => `${this.#path}: ${problem}`),
      };
    } catch (error) {
      const message =
        (error as { code?: unknown }).code === "ENOENT"
          ? "there is no such file."
          : error instanceof Error
            ? error.message
            : String(error);
      throw new Error(`${this.#path} cannot be read: ${message}`, { cause: error });
    }
  }

  /**
   * Polls the file's state, which unlike notifications also works on network folders, on bind mounts and while there
   * is no file yet. Waits until it has been still for a moment: a price cut in half by a write in progress reads well.
   */
  watch(changed: () => void): Cancel {
    let settled: NodeJS.Timeout | undefined;
    const onChange = () => {
      clearTimeout(settled);
      settled = setTimeout(changed, this.#watchEveryMs * 1.5);
    };
    watchFile(this.#path, { interval: this.#watchEveryMs, persistent: false }, onChange);
    return () => {
      clearTimeout(settled);
      unwatchFile(this.#path, onChange);
    };
  }
}
