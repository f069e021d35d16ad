import { describe, expect, it } from "vitest";
import { isInAustria } from "../../src/config/austria.js";
import { postcodeRegions, regionOf } from "../../src/config/postcodes.js";
import { tariffPresets } from "../../src/tariff/presets.js";

/** Distance of two places, km; flat, which is enough for such short ones. */
function distanceKm(a: { latitude: number; longitude: number }, latitude: number, longitude: number) {
  const north = (a.latitude - latitude) * 111.2;
  const east = (a.longitude - longitude) * 111.2 * Math.cos((latitude * Math.PI) / 180);
  return Math.hypot(north, east);
}

describe("regions of postcodes", () => {
  it("lie in Austria and name a preset of a grid operator", () => {
    const areas = tariffPresets().areas.map(({ id }) => id);
    const wrong = [...postcodeRegions()].filter(
      ([, { latitude, longitude, gridArea, name }]) =>
        !isInAustria(latitude, longitude) || !areas.includes(gridArea) || name === "",
    );
    expect(wrong).toEqual([]);
  });

  it.each([
    ["1010", 48.21, 16.37, 3],
    ["1220", 48.22, 16.48, 3],
    ["2700", 47.81, 16.24, 25],
    ["3100", 48.2, 15.63, 25],
    ["3910", 48.61, 15.17, 25],
    ["4020", 48.31, 14.29, 10],
    ["4810", 47.92, 13.8, 25],
    ["5020", 47.8, 13.04, 10],
    ["5700", 47.32, 12.8, 25],
    ["6020", 47.27, 11.39, 10],
    ["6370", 47.45, 12.39, 25],
    ["6780", 47.08, 9.92, 25],
    ["6991", 47.36, 10.19, 10],
    ["7540", 47.06, 16.32, 25],
    ["8010", 47.07, 15.44, 10],
    ["8990", 47.61, 13.78, 30],
    ["9020", 46.62, 14.31, 10],
    ["9900", 46.83, 12.77, 25],
  ])("gives the place of %s", (postcode, latitude, longitude, withinKm) => {
    expect(distanceKm(regionOf(postcode)!, latitude, longitude)).toBeLessThan(withinKm);
  });

  it.each(["", "101", "10115", "0100", "7600", "abcd"])("knows no region of %j", (postcode) => {
    expect(regionOf(postcode)).toBeUndefined();
  });
});
