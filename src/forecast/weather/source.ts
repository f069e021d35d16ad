import type { Source, SourceAnswer, SourceRequest } from "../../core/net/source-runner.js";
import type { Location } from "../solar/sun.js";
import type { WeatherSeriesHour } from "./weather-series.js";

/** A request for the weather of a place from yesterday on. A source may return more or less. */
export interface WeatherRequest extends SourceRequest {
  place: Location;
  now: Date;
}

export interface WeatherAnswer extends SourceAnswer {
  /** Hours in any order; empty if nothing changed. */
  hours: WeatherSeriesHour[];
}

/** A source of weather. */
export type WeatherSource = Source<WeatherRequest, WeatherAnswer>;

/** The result of a parser, with warnings about values that could not be used. */
export interface ParsedWeather {
  hours: WeatherSeriesHour[];
  warnings: string[];
}
