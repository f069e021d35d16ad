import type { Source, SourceAnswer, SourceRequest } from "../net/source-runner.js";
import type { Location } from "../solar/sun.js";
import type { WeatherSeriesHour } from "./weather-series.js";

/** What the keeper wants to know: the weather of a place from yesterday on. A source may answer more or less. */
export interface WeatherRequest extends SourceRequest {
  place: Location;
  now: Date;
}

export interface WeatherAnswer extends SourceAnswer {
  /** Hours in any order; empty when nothing changed. */
  hours: WeatherSeriesHour[];
}

/** Where weather comes from. */
export type WeatherSource = Source<WeatherRequest, WeatherAnswer>;

/** Hours as a parser reads them, with what could not be used. */
export interface ParsedWeather {
  hours: WeatherSeriesHour[];
  warnings: string[];
}
