import { LocalFile, readChanged, SourceFileError } from "../../../core/net/watched-file.js";
import type { WeatherAnswer, WeatherRequest, WeatherSource } from "../source.js";
import { parseWeatherFile } from "./file-format.js";

/** Weather of a local file, the same for every plant; see `parseWeatherFile` for the formats. */
export class WeatherFileSource extends LocalFile implements WeatherSource {
  /** Reads the file each time: of a long record only the days around the moving `now` are stored. */
  async fetch(_request: WeatherRequest): Promise<WeatherAnswer> {
    try {
      const reading = await readChanged(this.path, undefined);
      if (reading.notModified) return { hours: [], notModified: true };
      const { hours, warnings } = parseWeatherFile(reading.text);
      return { hours, warnings: warnings.map((warning) => `${this.path}: ${warning}`) };
    } catch (error) {
      throw new SourceFileError(this.path, error);
    }
  }
}
