import { describe, expect, it } from "vitest";
import { sunPosition, sunTimes } from "../../../src/forecast/solar/sun.js";

describe("sunPosition", () => {
  it("is within 0.01 degrees of the example of the reference algorithm (NREL SPA, Reda and Andreas 2003)", () => {
    const golden = { latitude: 39.742476, longitude: -105.1786 };
    const sun = sunPosition(new Date("2003-10-17T12:30:30-07:00"), golden);
    expect(Math.abs(90 - sun.altitudeDeg - 50.11162)).toBeLessThan(0.01);
    expect(Math.abs(sun.azimuthDeg - 194.34024)).toBeLessThan(0.01);
  });

  it("agrees with pvlib's SPA at Tucson, 2014-06-24 06:00, 12:00 and 18:00 local, within 0.05 degrees", () => {
    // Apparent zenith and azimuth of pvlib-python's test_irradiance.py, which assumes a lower air pressure (refraction).
    const tucson = { latitude: 32.2, longitude: -111 };
    const expected = [
      ["2014-06-24T13:00:00Z", 82.85457, 66.7141],
      ["2014-06-24T19:00:00Z", 10.56414, 144.76568],
      ["2014-06-25T01:00:00Z", 72.41687, 287.04104],
    ] as const;
    for (const [at, zenith, azimuth] of expected) {
      const sun = sunPosition(new Date(at), tucson);
      expect(Math.abs(90 - sun.altitudeDeg - zenith)).toBeLessThan(0.05);
      expect(Math.abs(sun.azimuthDeg - azimuth)).toBeLessThan(0.05);
    }
  });

  it("has a constant altitude at the pole", () => {
    const pole = { latitude: 90, longitude: 0 };
    const heights = [0, 6, 12, 18].map(
      (hour) => sunPosition(new Date(Date.UTC(2026, 5, 21, hour)), pole).altitudeDeg,
    );
    for (const height of heights) expect(height).toBeCloseTo(23.45, 0);
  });
});

describe("sunTimes", () => {
  it("matches the almanac on Vienna's longest day (04:54 to 20:59)", () => {
    const { sunrise, sunset } = sunTimes(new Date("2026-06-21T10:00:00Z"), {
      latitude: 48.21,
      longitude: 16.37,
    });
    expect(Math.abs(sunrise!.getTime() - Date.parse("2026-06-21T04:54:00+02:00"))).toBeLessThan(2 * 60_000);
    expect(Math.abs(sunset!.getTime() - Date.parse("2026-06-21T20:59:00+02:00"))).toBeLessThan(2 * 60_000);
  });

  it("has neither sunrise nor sunset when the sun does not cross the horizon", () => {
    const svalbard = { latitude: 78.2, longitude: 15.6 };
    for (const at of ["2026-06-21T11:00:00Z", "2026-12-21T11:00:00Z"])
      expect(sunTimes(new Date(at), svalbard)).toEqual({ sunrise: undefined, sunset: undefined });
  });
});
