/** Weather of one hour over a country, from a handful of places weighted as its wind and sun parks lie. */
export interface CountryWeather {
  /** Wind speed at 100 m above ground, m/s: the one at which parks everywhere would yield what those of the places do together. */
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
 * the newest one included. Each should tell the hours from the beginning of its day to nine days on.
 */
export interface WeatherForFeatures {
  issues: readonly WeatherIssue[];
}
