import { basename, resolve } from "node:path";
import { readChanged, SourceFileError, watchPath } from "../../net/watched-file.js";
import type { Cancel } from "../../time/clock.js";
import type { WeatherAnswer, WeatherRequest, WeatherSource } from "../source.js";
import { parseWeatherFile } from "./file-format.js";

/** Weather of a local file, the same for every plant; see `parseWeatherFile` for the formats. */
export class WeatherFileSource implements WeatherSource {
  readonly name: string;
  readonly local = true;
  readonly #path: string;
  readonly #watchEveryMs: number;

  constructor(path: string, { watchEveryMs = 1_000 } = {}) {
    this.#path = resolve(path);
    this.#watchEveryMs = watchEveryMs;
    this.name = `file ${basename(path)}`;
  }

  /** Reads the file each time: of a long record only the days around the moving `now` are stored. */
  async fetch(_request: WeatherRequest): Promise<WeatherAnswer> {
    try {
      const reading = await readChanged(this.#path, undefined);
      if (reading.notModified) return { hours: [], notModified: true };
      const { hours, warnings } = parseWeatherFile(reading.text);
      return { hours, warnings: warnings.map((warning) => `${this.#path}: ${warning}`) };
    } catch (error) {
      throw new SourceFileError(this.#path, error);
    }
  }

  /** Calls `changed` after the file was rewritten and has not changed for a moment. */
  watch(changed: () => void): Cancel {
    return watchPath(this.#path, this.#watchEveryMs, changed);
  }
}
