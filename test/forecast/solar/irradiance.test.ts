import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  clearSkyGhi,
  cloudTransmission,
  complete,
  decompose,
  extraterrestrial,
  onPlane,
} from "../../../src/forecast/solar/irradiance.js";

/** Inputs and results of pvlib-python's test_irradiance.py: Tucson, tilt 40 to the south. */
const EXTRA = 1321.1655834833093;
const PVLIB = [
  { zenith: 124.0390863, azimuth: 352.69550699, ghi: 0, dni: 0, dhi: 0, sky: 0 },
  {
    zenith: 82.85457044,
    azimuth: 66.71410338,
    ghi: 79.73860422,
    dni: 316.1949056,
    dhi: 40.46149818,
    sky: 27.1775,
  },
  {
    zenith: 10.56413562,
    azimuth: 144.76567754,
    ghi: 1042.48031487,
    dni: 939.95469881,
    dhi: 118.45831879,
    sky: 102.9949,
  },
  {
    zenith: 72.41687122,
    azimuth: 287.04104128,
    ghi: 257.20751138,
    dni: 646.22886049,
    dhi: 62.03376265,
    sky: 33.1909,
  },
];

describe("onPlane", () => {
  it("gives pvlib's Hay-Davies sky diffuse, within 0.0001 W/m2", () => {
    const plane = { tiltDeg: 40, azimuthDeg: 180 };
    for (const { zenith, azimuth, sky, ...light } of PVLIB) {
      const sun = { altitudeDeg: 90 - zenith, azimuthDeg: azimuth };
      expect(Math.abs(onPlane(plane, sun, light, EXTRA).sky - sky)).toBeLessThan(1e-4);
    }
  });

  it("gives pvlib's ground reflection: 40 degrees over 900 W/m2 with albedo 0.2", () => {
    const light = { ghi: 900, dni: 0, dhi: 0 };
    // pvlib's own value has albedo 0.25: 26.32000014911496.
    const { ground } = onPlane(
      { tiltDeg: 40, azimuthDeg: 180 },
      { altitudeDeg: 30, azimuthDeg: 0 },
      light,
      EXTRA,
    );
    expect(ground).toBeCloseTo((26.32000014911496 * 0.2) / 0.25, 6);
  });

  it("equals the global irradiance on a horizontal plane and is never negative", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 4, max: 90, noNaN: true }),
        fc.double({ min: 0, max: 360, noNaN: true }),
        fc.double({ min: 0, max: 1000, noNaN: true }),
        fc.double({ min: 0, max: 90, noNaN: true }),
        (altitudeDeg, azimuthDeg, ghi, tiltDeg) => {
          const light = decompose(ghi, altitudeDeg, 1366);
          const sun = { altitudeDeg, azimuthDeg };
          const flat = onPlane({ tiltDeg: 0, azimuthDeg: 0 }, sun, light, 1366).total;
          // Direct irradiance is limited to the extraterrestrial one, so a horizontal plane may receive less but not more.
          expect(flat).toBeLessThanOrEqual(ghi + 1e-6);
          if (light.dni < 1366) expect(flat).toBeCloseTo(ghi, 6);
          const tilted = onPlane({ tiltDeg, azimuthDeg: 0 }, sun, light, 1366);
          for (const part of Object.values(tilted)) expect(part).toBeGreaterThanOrEqual(0);
        },
      ),
    );
  });
});

describe("a low sun", () => {
  it("never gives a facade more than the beam above the atmosphere, the sky and the ground", () => {
    fc.assert(
      fc.property(
        fc.double({ min: -1, max: 5, noNaN: true }),
        fc.double({ min: 0, max: 1366, noNaN: true }),
        fc.double({ min: 0, max: 400, noNaN: true }),
        (altitudeDeg, dni, dhi) => {
          const light = { ghi: dhi, dni, dhi };
          const facade = { tiltDeg: 90, azimuthDeg: 90 };
          const { total } = onPlane(facade, { altitudeDeg, azimuthDeg: 90 }, light, 1366);
          expect(total).toBeLessThanOrEqual(1366 + 0.6 * dhi + 1e-6);
        },
      ),
    );
  });
});

describe("decompose", () => {
  it("gives pvlib's Erbs values (its test_erbs: 1 January and 20 June)", () => {
    const january = 1414.9;
    const rows = [
      { ghi: 50, altitude: 5, extra: january, dni: 96.7192672, dhi: 41.5703604 },
      { ghi: 1000, altitude: 80, extra: january, dni: 794.205651, dhi: 217.860117 },
      { ghi: 1000, altitude: 80, extra: 1322.5, dni: 842.001578, dhi: 170.790318 },
    ];
    for (const { ghi, altitude, extra, dni, dhi } of rows) {
      const parts = decompose(ghi, altitude, extra);
      expect(Math.abs(parts.dni - dni) / dni).toBeLessThan(0.01);
      expect(Math.abs(parts.dhi - dhi) / dhi).toBeLessThan(0.01);
    }
  });

  it("treats all irradiance as diffuse while the sun is below the horizon", () => {
    expect(decompose(12, -1, 1366)).toEqual({ ghi: 12, dni: 0, dhi: 12 });
    expect(decompose(-3, -30, 1366)).toEqual({ ghi: 0, dni: 0, dhi: 0 });
  });
});

describe("complete", () => {
  it("keeps given components and computes the missing one", () => {
    const direct = complete({ ghi: 500, dni: 600 }, 30, 1366);
    expect(direct.dhi).toBeCloseTo(200, 6);
    const diffuse = complete({ ghi: 500, dhi: 200 }, 30, 1366);
    expect(diffuse.dni).toBeCloseTo(600, 6);
    expect(complete({ ghi: -2, dni: -1, dhi: -1 }, 30, 1366)).toEqual({ ghi: 0, dni: 0, dhi: 0 });
  });
});

describe("clear sky", () => {
  it("matches pvlib's Haurwitz model within 0.001 W/m2", () => {
    const rows = [
      [-20, 0],
      [-0.05, 0],
      [5, 48.6298687941956],
      [10, 135.741748091813],
      [30, 487.894132885425],
      [50, 778.766689344363],
      [90, 1035.0920325345],
    ] as const;
    for (const [altitude, ghi] of rows) expect(clearSkyGhi(altitude)).toBeCloseTo(ghi, 3);
  });

  it("is reduced by clouds to a quarter", () => {
    expect([0, 50, 100, 130].map(cloudTransmission).map((share) => Math.round(share * 1000))).toEqual([
      1000, 929, 250, 250,
    ]);
  });

  it("has an extraterrestrial irradiance of 1383.6 W/m2 on 26 October (pvlib, Spencer), within 10", () => {
    expect(Math.abs(extraterrestrial(new Date("2016-10-26T00:00:00Z")) - 1383.636)).toBeLessThan(10);
  });
});
