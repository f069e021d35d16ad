import { basename, resolve } from "node:path";
import { fileError, readChanged, watchPath } from "../../net/watched-file.js";
import type { Cancel } from "../../time/clock.js";
import type { WeatherAnswer, WeatherRequest, WeatherSource } from "../source.js";
import { parseWeatherFile } from "./file-format.js";

/** Weather of a file on this machine, the same for every plant; see `parseWeatherFile` for the formats. */
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

  /** Read anew each time: of a long record only the days around `now` are kept, which move on. */
  async fetch(_request: WeatherRequest): Promise<WeatherAnswer> {
    try {
      const reading = await readChanged(this.#path, undefined);
      if (reading.notModified) return { hours: [], notModified: true };
      const { hours, warnings } = parseWeatherFile(reading.text);
      return { hours, warnings: warnings.map((warning) => `${this.#path}: ${warning}`) };
    } catch (error) {
      throw fileError(this.#path, error);
    }
  }

  /** Calls `changed` once the file was written anew and has been still for a moment. */
  watch(changed: () => void): Cancel {
    return watchPath(this.#path, this.#watchEveryMs, changed);
  }
}
