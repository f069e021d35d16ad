/** Weather of one hour over a country, mean of a handful of places weighted as its wind and sun parks lie. */
export interface CountryWeather {
  /** Wind speed at 100 m above ground, m/s. */
  windMs: number;
  /** Global horizontal irradiance, W/m2. */
  irradianceWm2: number;
  /** Air temperature at 2 m, degrees Celsius. */
  temperatureC: number;
}

/** One forecast hour, UTC. A country whose weather is not known is left out. */
export interface WeatherHour {
  start: Date;
  germany?: CountryWeather | undefined;
  austria?: CountryWeather | undefined;
}

/** A weather forecast as it was issued: never an analysis, never a later forecast. */
export interface WeatherIssue {
  /** When the forecast became available; one issued after the forecast's `now` is not looked at. */
  issuedAt: Date;
  hours: readonly WeatherHour[];
}

/**
 * Weather for the features of a price forecast: all issues held, so that a model can learn from what was known on each past day,
 * the newest one included. No model of this version reads it: its forecasts are the same with and without.
 */
export interface WeatherForFeatures {
  issues: readonly WeatherIssue[];
}
