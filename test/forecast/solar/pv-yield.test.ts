import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HOUR_MS, QUARTER_MS } from "../../../src/core/domain/interval.js";
import { clearSkyGhi } from "../../../src/forecast/solar/irradiance.js";
import { type PvYieldInput, pvYield } from "../../../src/forecast/solar/pv-yield.js";
import { sunPosition } from "../../../src/forecast/solar/sun.js";
import { recordedText } from "../../support/recorded-data.js";

const VIENNA = { latitude: 48.2, longitude: 16.4 };

/** The hours of a UTC day with clear sky. */
function clearDay(date: string, place = VIENNA) {
  return Array.from({ length: 24 }, (_, hour) => {
    const start = new Date(Date.parse(`${date}T00:00:00Z`) + hour * HOUR_MS);
    const middle = new Date(start.getTime() + HOUR_MS / 2);
    return {
      start,
      end: new Date(start.getTime() + HOUR_MS),
      ghi: clearSkyGhi(sunPosition(middle, place).altitudeDeg),
      temperatureC: 20,
    };
  });
}

const total = (input: PvYieldInput) => pvYield(input).reduce((sum, { kwh }) => sum + kwh, 0);
const ROOF = { ...VIENNA, tiltDeg: 30, azimuthDeg: 180, peakKw: 5, steps: clearDay("2026-06-21") };

/** Rows of NREL's SERF East array (tilt 45, azimuth 158), by elapsed hour and by local day: measured and modelled kWh. */
function serfEast() {
  const rows = recordedText("household/pv_nrel_serf_east_15min_2016.csv").trim().split("\n").slice(1);
  const cells = rows.map((row) => row.split(","));
  const steps = cells.map(([start, , ghi, temperature]) => ({
    start: new Date(start!),
    end: new Date(Date.parse(start!) + QUARTER_MS),
    ghi: Number(ghi),
    temperatureC: Number(temperature),
  }));
  const modelled = pvYield({
    latitude: 39.742,
    longitude: -105.1727,
    tiltDeg: 45,
    azimuthDeg: 158,
    peakKw: 6,
    steps,
  });
  const sums = (keyOf: (at: number) => number) => {
    const groups = new Map<number, { measured: number; modelled: number; ghi: number }>();
    steps.forEach(({ start, ghi }, index) => {
      const key = keyOf(start.getTime());
      const sum = groups.get(key) ?? { measured: 0, modelled: 0, ghi: 0 };
      sum.measured += Math.max(0, Number(cells[index]![1])) / 4000;
      sum.modelled += modelled[index]!.kwh;
      sum.ghi += ghi;
      groups.set(key, sum);
    });
    return [...groups.values()];
  };
  return {
    hours: sums((at) => Math.floor(at / HOUR_MS)),
    days: sums((at) => Math.floor((at - 7 * HOUR_MS) / (24 * HOUR_MS))),
  };
}

describe("a real array (NREL SERF East, satellite irradiance)", () => {
  const { hours, days } = serfEast();
  const all = (rows: typeof hours, of: (row: (typeof hours)[number]) => number) =>
    rows.reduce((sum, row) => sum + of(row), 0);
  const scale = all(days, (day) => day.measured) / all(days, (day) => day.modelled);
  const error = (row: (typeof hours)[number]) => Math.abs(row.modelled * scale - row.measured);

  it("is modelled with a mean error below 7 % of peak in hours with sun", () => {
    const withSun = hours.filter(({ ghi }) => ghi > 0);
    const peakKwh = Math.max(...hours.map(({ measured }) => measured));
    expect(withSun.length).toBeGreaterThan(1400);
    expect(all(withSun, error) / withSun.length / peakKwh).toBeLessThan(0.07);
  });

  it("is modelled with a daily error below 8 % of the energy", () => {
    expect(all(days, error) / all(days, (day) => day.measured)).toBeLessThan(0.08);
  });
});

describe("pvYield", () => {
  it("agrees with a manual calculation: diffuse irradiance on a horizontal plane", () => {
    const steps = [
      {
        start: new Date("2026-06-21T11:00:00Z"),
        end: new Date("2026-06-21T11:30:00Z"),
        ghi: 400,
        dni: 0,
        dhi: 400,
        temperatureC: 12.5,
      },
    ];
    // Cell temperature 12.5 + 400 * 25 / 800 = 25 °C: no thermal loss. 10 kW * 0.4 * 0.9 * half an hour.
    const [step] = pvYield({ ...VIENNA, tiltDeg: 0, azimuthDeg: 180, peakKw: 10, lossesPct: 10, steps });
    expect(step!.kwh).toBeCloseTo(1.8, 9);
  });

  it("loses 0.4 % per kelvin", () => {
    const at = (temperatureC: number) =>
      pvYield({ ...ROOF, steps: [{ ...ROOF.steps[11]!, temperatureC }] })[0]!.kwh;
    const perKelvin = (at(10) - at(20)) / 10;
    expect(perKelvin / (at(20) + perKelvin * 20)).toBeGreaterThan(0.003);
    expect(at(30)).toBeLessThan(at(20));
  });

  it("yields more to the south than to the east or west, and still something to the north", () => {
    const facing = (azimuthDeg: number, date: string) =>
      total({ ...ROOF, azimuthDeg, steps: clearDay(date) });
    const [north, east, south, west] = [0, 90, 180, 270].map((azimuth) => facing(azimuth, "2026-03-21"));
    expect(south!).toBeGreaterThan(1.2 * east!);
    expect(east! / west!).toBeCloseTo(1, 1);
    expect(north!).toBeLessThan(0.6 * south!);
    expect(north!).toBeGreaterThan(0);
    // In midwinter a vertical plane facing north receives diffuse irradiance only.
    const steep = total({ ...ROOF, tiltDeg: 90, azimuthDeg: 0, steps: clearDay("2026-12-21") });
    expect(steep).toBeGreaterThan(0);
    expect(steep).toBeLessThan(0.2 * total({ ...ROOF, tiltDeg: 90, steps: clearDay("2026-12-21") }));
  });

  it("peaks at solar noon", () => {
    const yields = pvYield(ROOF).map(({ kwh }) => kwh);
    // Solar noon in Vienna on 21 June is 10:56 UTC, between the middles of hours 10 and 11.
    expect([10, 11]).toContain(yields.indexOf(Math.max(...yields)));
  });

  it("is limited by the inverter power, for any length of step", () => {
    const clipped = pvYield({ ...ROOF, inverterKw: 2 });
    expect(Math.max(...clipped.map(({ kwh }) => kwh))).toBe(2);
    const quarter = { ...ROOF.steps[11]!, end: new Date(ROOF.steps[11]!.start.getTime() + QUARTER_MS) };
    expect(pvYield({ ...ROOF, inverterKw: 2, steps: [quarter] })[0]!.kwh).toBe(0.5);
  });

  it("works at the poles in summer and winter", () => {
    for (const latitude of [-90, 90])
      for (const date of ["2026-06-21", "2026-12-21"]) {
        const place = { latitude, longitude: 0 };
        const kwh = total({ ...ROOF, ...place, steps: clearDay(date, place) });
        const isSummer = latitude > 0 === (date === "2026-06-21");
        if (isSummer) expect(kwh).toBeGreaterThan(5);
        else expect(kwh).toBe(0);
      }
  });

  it("is a number from 0 to the inverter limit", () => {
    fc.assert(
      fc.property(
        fc.record({
          latitude: fc.double({ min: -90, max: 90, noNaN: true }),
          longitude: fc.double({ min: -180, max: 180, noNaN: true }),
          tiltDeg: fc.double({ min: 0, max: 90, noNaN: true }),
          azimuthDeg: fc.double({ min: 0, max: 360, noNaN: true }),
          ghi: fc.double({ min: -5, max: 1400, noNaN: true }),
          dni: fc.option(fc.double({ min: -5, max: 1300, noNaN: true }), { nil: undefined }),
          dhi: fc.option(fc.double({ min: -5, max: 800, noNaN: true }), { nil: undefined }),
          at: fc.date({ min: new Date("2000-01-01"), max: new Date("2099-12-31"), noInvalidDate: true }),
        }),
        ({ ghi, dni, dhi, at, ...place }) => {
          const steps = [{ start: at, end: new Date(at.getTime() + HOUR_MS), ghi, dni, dhi }];
          const [step] = pvYield({ ...place, peakKw: 10, inverterKw: 8, steps });
          expect(step!.kwh).toBeGreaterThanOrEqual(0);
          expect(step!.kwh).toBeLessThanOrEqual(8);
        },
      ),
    );
  });

  it("rejects invalid inputs and names the field", () => {
    const step = ROOF.steps[0]!;
    const wrong: [string, Partial<PvYieldInput>][] = [
      ["latitude", { latitude: 91 }],
      ["longitude", { longitude: Number.NaN }],
      ["tiltDeg", { tiltDeg: -1 }],
      ["azimuthDeg", { azimuthDeg: 361 }],
      ["peakKw", { peakKw: -1 }],
      ["lossesPct", { lossesPct: 101 }],
      ["inverterKw", { inverterKw: -1 }],
      ["steps[1].ghi", { steps: [step, { ...step, ghi: Number.NaN }] }],
      ["steps[0].dni", { steps: [{ ...step, dni: Number.POSITIVE_INFINITY }] }],
      ["steps[0].end", { steps: [{ ...step, end: step.start }] }],
      ["steps[0].start", { steps: [{ ...step, start: new Date(Number.NaN) }] }],
      ["steps[0].temperatureC", { steps: [{ ...step, temperatureC: 1000 }] }],
      ["steps[0].temperatureC", { steps: [{ ...step, temperatureC: "5" as never }] }],
      ["steps[0].start", { steps: [{ ...step, start: "2026-06-21" as never }] }],
      ["steps[0].end", { steps: [{ ...step, end: undefined as never }] }],
      ["steps[0]", { steps: [null as never] }],
      ["steps must", { steps: undefined as never }],
      ["latitude", { latitude: "48" as never }],
      ["peakKw", { peakKw: null as never }],
      ["inverterKw", { inverterKw: null as never }],
    ];
    for (const [field, change] of wrong) {
      expect(() => pvYield({ ...ROOF, ...change }), field).toThrow(RangeError);
      expect(() => pvYield({ ...ROOF, ...change }), field).toThrow(field);
    }
  });
});
