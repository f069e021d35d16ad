import type { Country } from "../../price/forecast-issue-set.js";

/** A place that represents a part of its country; the weights of a country sum to 1 in each column. */
export interface MarketPoint {
  country: Country;
  latitude: number;
  longitude: number;
  /** Share of the country's wind power. */
  windWeight: number;
  /** Share of the country's PV. */
  sunWeight: number;
  /** Share of the population, for heating and cooling demand. */
  populationWeight: number;
}

/**
 * The places of the price model. Weights: installed wind power, PV and population of the states around each place, rounded
 * (registers of both countries, 2024 and 2025); offshore parks are assigned to the nearest coast.
 */
export const MARKET_POINTS: readonly MarketPoint[] = [
  // Swabian Jura: Baden-Wuerttemberg.
  point("germany", [48.4, 9.3], [0.03, 0.15, 0.17]),
  // Franconia: Bavaria.
  point("germany", [49.7, 11.3], [0.05, 0.29, 0.18]),
  // Sauerland: North Rhine-Westphalia, Hesse, Rhineland-Palatinate, Saarland.
  point("germany", [51.3, 8.6], [0.2, 0.21, 0.36]),
  // Havelland: Brandenburg, Berlin, Saxony, Saxony-Anhalt, Thuringia.
  point("germany", [52.8, 12.0], [0.24, 0.22, 0.17]),
  // Jade: Lower Saxony, Bremen, the North Sea.
  point("germany", [53.8, 8.1], [0.33, 0.08, 0.06]),
  // Wismar: Mecklenburg, Schleswig-Holstein, Hamburg, the Baltic Sea.
  point("germany", [54.1, 11.6], [0.15, 0.05, 0.06]),
  // Vienna Basin: Lower Austria, Vienna, the north of Burgenland.
  point("austria", [48.36, 16.31], [0.85, 0.36, 0.46]),
  // Innviertel: Upper Austria, Salzburg.
  point("austria", [48.27, 13.85], [0.02, 0.27, 0.23]),
  // Inn valley: Tyrol, Vorarlberg.
  point("austria", [47.32, 10.82], [0.01, 0.1, 0.13]),
  // Upper Carinthia.
  point("austria", [47.0, 13.54], [0.01, 0.07, 0.05]),
  // East Styria: Styria, the south of Burgenland.
  point("austria", [47.11, 15.8], [0.11, 0.2, 0.13]),
];

function point(
  country: Country,
  [latitude, longitude]: readonly [number, number],
  [windWeight, sunWeight, populationWeight]: readonly [number, number, number],
): MarketPoint {
  return { country, latitude, longitude, windWeight, sunWeight, populationWeight };
}
