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
  {
    country: "germany",
    latitude: 48.4,
    longitude: 9.3,
    windWeight: 0.03,
    sunWeight: 0.15,
    populationWeight: 0.17,
  },
  // Franconia: Bavaria.
  {
    country: "germany",
    latitude: 49.7,
    longitude: 11.3,
    windWeight: 0.05,
    sunWeight: 0.29,
    populationWeight: 0.18,
  },
  // Sauerland: North Rhine-Westphalia, Hesse, Rhineland-Palatinate, Saarland.
  {
    country: "germany",
    latitude: 51.3,
    longitude: 8.6,
    windWeight: 0.2,
    sunWeight: 0.21,
    populationWeight: 0.36,
  },
  // Havelland: Brandenburg, Berlin, Saxony, Saxony-Anhalt, Thuringia.
  {
    country: "germany",
    latitude: 52.8,
    longitude: 12.0,
    windWeight: 0.24,
    sunWeight: 0.22,
    populationWeight: 0.17,
  },
  // Jade: Lower Saxony, Bremen, the North Sea.
  {
    country: "germany",
    latitude: 53.8,
    longitude: 8.1,
    windWeight: 0.33,
    sunWeight: 0.08,
    populationWeight: 0.06,
  },
  // Wismar: Mecklenburg, Schleswig-Holstein, Hamburg, the Baltic Sea.
  {
    country: "germany",
    latitude: 54.1,
    longitude: 11.6,
    windWeight: 0.15,
    sunWeight: 0.05,
    populationWeight: 0.06,
  },
  // Vienna Basin: Lower Austria, Vienna, the north of Burgenland.
  {
    country: "austria",
    latitude: 48.36,
    longitude: 16.31,
    windWeight: 0.85,
    sunWeight: 0.36,
    populationWeight: 0.46,
  },
  // Innviertel: Upper Austria, Salzburg.
  {
    country: "austria",
    latitude: 48.27,
    longitude: 13.85,
    windWeight: 0.02,
    sunWeight: 0.27,
    populationWeight: 0.23,
  },
  // Inn valley: Tyrol, Vorarlberg.
  {
    country: "austria",
    latitude: 47.32,
    longitude: 10.82,
    windWeight: 0.01,
    sunWeight: 0.1,
    populationWeight: 0.13,
  },
  // Upper Carinthia.
  {
    country: "austria",
    latitude: 47.0,
    longitude: 13.54,
    windWeight: 0.01,
    sunWeight: 0.07,
    populationWeight: 0.05,
  },
  // East Styria: Styria, the south of Burgenland.
  {
    country: "austria",
    latitude: 47.11,
    longitude: 15.8,
    windWeight: 0.11,
    sunWeight: 0.2,
    populationWeight: 0.13,
  },
];
