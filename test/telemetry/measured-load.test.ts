import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Reading } from "../../src/core/domain/sample.js";
import { type MeasuredSite, measuredLoad } from "../../src/telemetry/measured-load.js";
import { type MeteredEnergy, NOTHING_METERED } from "../../src/telemetry/metered-energy.js";
import { measuredFlows, type Readings } from "../../src/telemetry/reading-energies.js";
import type { MeasuredBattery } from "../../src/telemetry/soc-correction.js";

const START = Date.parse("2026-01-15T00:00:00Z");
const MINUTE_MS = 60_000;
const at = (minute: number) => new Date(START + minute * MINUTE_MS);
const hours = (count: number) => ({ start: at(0), end: at(60 * count) });

/** One reading every `step` minutes from midnight on. */
const every = (step: number, values: readonly number[]) =>
  values.map((value, index) => ({ at: at(step * index), value }));

/** Energies of the quarter-hours, by their start in minutes. */
function kwh(readings: Readings, { count = 1, battery }: { count?: number; battery?: MeasuredBattery } = {}) {
  const available = new Set(Object.keys(readings) as Reading[]);
  return measuredLoad(readings, hours(count), available, { battery }).map(
    ({ start, end, kwh }) =>
      [(start.getTime() - START) / MINUTE_MS, (end.getTime() - START) / MINUTE_MS, kwh] as const,
  );
}
const values = (...given: Parameters<typeof kwh>) => kwh(...given).map(([, , value]) => value);
const near = (numbers: readonly number[]) => numbers.map((value) => expect.closeTo(value, 9));

describe("loads that are metered on their own", () => {
  const SLOTS = [
    { slot: 1, isWallbox: true },
    { slot: 2, isWallbox: false },
  ] as const;
  const apart = (readings: Readings, more: MeasuredSite = {}) =>
    measuredLoad(readings, hours(1), new Set(Object.keys(readings) as Reading[]), {
      slots: SLOTS,
      ...more,
    }).map(({ kwh }) => kwh);

  it("are taken out of the quarter-hours in which they are known, down to 0", () => {
    const home = { import_kwh: every(15, [0, 1, 2, 3, 3.2]) };
    const boiler = [
      { at: at(15), value: 2 },
      { at: at(30), value: 6 },
      { at: at(45), value: 2 },
    ];
    // Unknown, 0.5 of 1 kWh, 1.5 of 1 kWh, 0.5 of 0.2 kWh.
    expect(apart({ ...home, slot_2_power_kw: boiler })).toEqual(near([1, 0.5, 0, 0]));
    const counter = every(15, [100, 100.25, 100.25, 101, 101.1]);
    expect(apart({ ...home, slot_2_energy_kwh: counter, slot_2_power_kw: boiler })).toEqual(
      near([0.75, 1, 0.25, 0.1]),
    );
  });

  it("count a wallbox once: by ev_power_kw, or else by its slot", () => {
    const home = { import_kwh: every(15, [0, 2, 4, 6, 8]), slot_1_power_kw: every(15, [4, 4, 4, 4]) };
    expect(apart(home)).toEqual(near([1, 1, 1, 1]));
    expect(apart({ ...home, ev_power_kw: every(15, [4.4, 4.4, 4.4, 4.4]) })).toEqual(
      near([0.9, 0.9, 0.9, 0.9]),
    );
    const load = {
      ...home,
      load_power_kw: every(15, [1, 1, 1, 1]),
      slot_2_power_kw: every(15, [0.6, 0, 0, 0]),
    };
    // As evcc's homePower, and as most inverters report it.
    const evcc = { vehicles: true, slots: [] };
    expect(apart(load, { loadWithout: evcc })).toEqual(near([0.1, 0.25, 0.25, 0.25]));
    const inverter = { ...load, load_power_kw: every(15, [5, 5, 5, 5]) };
    expect(apart(inverter)).toEqual(near([0.1, 0.25, 0.25, 0.25]));
    // The grid is the best reading.
    expect(apart({ ...load, grid_power_kw: every(15, [5, 5, 5, 5]) })).toEqual(near([0.1, 0.25, 0.25, 0.25]));
  });

  it("are part of an imported load", () => {
    const quarters = Array.from({ length: 4 }, (_, k) => ({
      start: at(15 * k),
      end: at(15 * k + 15),
      kwh: 2,
    }));
    const readings = { slot_1_power_kw: every(15, [4, 4, 0, 0]), slot_2_power_kw: every(15, [2, 2, 2, 2]) };
    expect(apart(readings, { metered: { ...NOTHING_METERED, load: quarters } })).toEqual(
      near([0.5, 0.5, 1.5, 1.5]),
    );
  });
});

describe("measuredLoad", () => {
  it("is the import without other readings", () => {
    expect(kwh({ import_kwh: every(15, [100, 100.1, 100.3, 100.3, 100.7]) })).toEqual([
      [0, 15, expect.closeTo(0.1)],
      [15, 30, expect.closeTo(0.2)],
      [30, 45, 0],
      [45, 60, expect.closeTo(0.4)],
    ]);
  });

  it("distributes an hour of a counter over its quarter-hours", () => {
    expect(values({ import_kwh: every(60, [7, 9]) })).toEqual(near([0.5, 0.5, 0.5, 0.5]));
  });

  it("balances import, PV, export, battery and vehicle", () => {
    // 1 kWh import, 2 kWh PV, 0.4 export, 1.2 into the battery, 0.6 into the vehicle: 0.8 of load.
    const readings: Readings = {
      import_kwh: every(60, [50, 51]),
      export_kwh: every(60, [20, 20.4]),
      pv_power_kw: every(15, [2, 2, 2, 2]),
      battery_power_kw: every(15, [1.2, 1.2, 1.2, 1.2]),
      ev_power_kw: every(15, [0.6, 0.6, 0.6, 0.6]),
    };
    expect(values(readings)).toEqual(near([0.2, 0.2, 0.2, 0.2]));
    // A discharging battery serves the load.
    expect(values({ import_kwh: every(60, [0, 1]), battery_power_kw: every(15, [-2, -2, 0, 0]) })).toEqual(
      near([0.75, 0.75, 0.25, 0.25]),
    );
  });

  it("uses load_power_kw directly", () => {
    const readings: Readings = {
      import_kwh: every(15, [0, 9, 18, 27, 36]),
      load_power_kw: every(15, [0.4, 0.4, 0.8, 0.8]),
    };
    expect(values(readings)).toEqual(near([0.1, 0.1, 0.2, 0.2]));
  });

  it("derives the battery from its SOC if its power is unknown", () => {
    const battery = { capacityKwh: 10, oneWayEfficiency: 0.9 };
    // 50 to 68 % in half an hour: 1.8 kWh stored, 2 kWh AC. Then 68 to 58 %: 1 kWh less stored, 0.9 kWh AC.
    const readings: Readings = {
      import_kwh: every(15, [0, 1.2, 2.4, 2.4, 2.4]),
      soc_pct: every(30, [50, 68, 58]),
    };
    expect(values(readings, { battery })).toEqual(near([0.2, 0.2, 0.45, 0.45]));
    // Without a battery in the settings the SOC gives no energies.
    expect(values(readings)).toEqual(near([1.2, 1.2, 0, 0]));
  });

  it("is unknown while PV is silent by day, but accepts its last 0 at night", () => {
    const imports = every(15, [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]);
    // 1 kW applies for half an hour.
    expect(values({ import_kwh: imports, pv_power_kw: every(15, [1]) }, { count: 2 })).toEqual(
      near([0.35, 0.35]),
    );
    expect(values({ import_kwh: imports, pv_power_kw: every(15, [0]) }, { count: 2 })).toHaveLength(8);
    const available = new Set<Reading>(["import_kwh", "pv_power_kw"]);
    expect(measuredLoad({ import_kwh: imports }, hours(2), available)).toEqual([]);
  });

  it("leaves out the step across a new meter", () => {
    expect(kwh({ import_kwh: every(15, [9000, 9000.1, 3, 3.2, 3.3]) }).map(([from]) => from)).toEqual([
      0, 30, 45,
    ]);
  });

  it("gives whole steps of a rarely read counter, up to a week", () => {
    const daily = measuredLoad(
      { import_kwh: [{ at: at(-1440), value: 10 }, ...every(1440, [18, 27])] },
      { start: at(0), end: at(1440) },
      new Set<Reading>(["import_kwh"]),
    );
    expect(daily).toEqual([{ start: at(0), end: at(1440), kwh: 9 }]);
    const monthly = { import_kwh: [{ at: at(-30 * 1440), value: 10 }, ...every(1440, [300])] };
    expect(measuredLoad(monthly, { start: at(-1440), end: at(0) }, new Set<Reading>(["import_kwh"]))).toEqual(
      [],
    );
  });

  it("loses no energy of a frequently read counter at any times of reading", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            minutes: fc.integer({ min: 1, max: 20 }),
            kwh: fc.double({ min: 0, max: 3, noNaN: true }),
          }),
          {
            minLength: 30,
            maxLength: 60,
          },
        ),
        (steps) => {
          let minute = -20;
          let value = 1234;
          const readings = [{ at: at(minute), value }];
          for (const step of [...steps, { minutes: 20, kwh: 0 }]) {
            minute += step.minutes;
            value += step.kwh;
            readings.push({ at: at(minute), value });
          }
          const whole = { start: at(-30), end: at(Math.ceil((minute + 15) / 15) * 15) };
          const measured = measuredLoad({ import_kwh: readings }, whole, new Set<Reading>(["import_kwh"]));
          // All but the two ends, whose quarter-hours may be hardly covered.
          const counted = readings.filter((reading) => {
            const first = measured[0]!.start;
            const last = measured.at(-1)!.end;
            return reading.at >= first && reading.at <= last;
          });
          const least = counted.at(-1)!.value - counted[0]!.value;
          const sum = measured.reduce((total, quarter) => total + quarter.kwh, 0);
          expect(sum).toBeGreaterThanOrEqual(least - 1e-9);
          expect(measured.every((quarter) => quarter.kwh >= 0)).toBe(true);
          const gaps = measured.slice(1).filter((quarter, index) => +quarter.start !== +measured[index]!.end);
          expect(gaps).toEqual([]);
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe("imported quarter-hours", () => {
  const steps = (...kwhs: number[]) =>
    kwhs.map((kwh, index) => ({ start: at(15 * index), end: at(15 * (index + 1)), kwh }));
  const metered = (given: Partial<MeteredEnergy>) => ({ ...NOTHING_METERED, ...given });
  const load = (readings: Readings, site: MeasuredSite) =>
    measuredLoad(readings, hours(1), new Set(Object.keys(readings) as Reading[]), site).map(({ kwh }) => kwh);

  it("come before the measured power and the counter, where both exist", () => {
    const readings = { load_power_kw: every(5, new Array(13).fill(4)) };
    const site = { metered: metered({ gridImport: steps(0.1, 0.2) }) };
    expect(load(readings, site)).toEqual(near([0.1, 0.2, 1, 1]));
    expect(load(readings, { metered: metered({ ...site.metered, load: steps(0.5) }) })).toEqual(
      near([0.5, 0.2, 1, 1]),
    );
  });

  it("are the load of a home without PV, also without any telemetry", () => {
    expect(load({}, { metered: metered({ gridImport: steps(0.1, 0.2) }) })).toEqual([0.1, 0.2]);
  });

  it("need PV and feed-in for the load of a home with PV", () => {
    const gridImport = steps(0.1, 0.1, 0.1, 0.1);
    const gridExport = steps(0.3, 0.3);
    const pv = { pv_power_kw: every(5, new Array(13).fill(2)) };
    expect(load({}, { hasPv: true, metered: metered({ gridImport, gridExport }) })).toEqual([]);
    expect(load(pv, { hasPv: true, metered: metered({ gridImport, gridExport }) })).toEqual(near([0.3, 0.3]));
  });
});

describe("counters of PV and battery", () => {
  const BATTERY = { capacityKwh: 10, oneWayEfficiency: 0.95 };
  const flows = (readings: Readings) => measuredFlows(readings, hours(1), BATTERY);

  it("come before their powers, which fill the quarter-hours without them", () => {
    const readings = {
      pv_power_kw: every(15, [4, 4, 4, 4]),
      // The mean between the readings of the power was 3.6 kW; the counter ends after half an hour.
      pv_kwh: every(15, [100, 100.91, 101.82]),
      battery_power_kw: every(15, [2, 2, -2, -2]),
      charge_kwh: every(15, [50, 50.51, 51.02, 51.02, 51.02]),
      discharge_kwh: every(15, [40, 40, 40, 40.51, 41.02]),
    };
    const measured = flows(readings);
    expect(measured.map(({ pvKwh }) => pvKwh)).toEqual(near([0.91, 0.91, 1, 1]));
    expect(measured.map(({ chargeKwh }) => chargeKwh)).toEqual(near([0.51, 0.51, 0, 0]));
    expect(measured.map(({ dischargeKwh }) => dischargeKwh)).toEqual(near([0, 0, 0.51, 0.51]));
    // 1 kWh imported an hour and all of the above: the load of each quarter-hour.
    const load = values({ ...readings, grid_power_kw: every(15, [1, 1, 1, 1]) });
    expect(load).toEqual(near([0.65, 0.65, 1.76, 1.76]));
  });

  it("with few digits are right when they move on", () => {
    // 0.36 kW for an hour: a counter of 0.1 kWh moves on in minutes 5, 21, 38 and 55.
    const atMinutes = Array.from({ length: 61 }, (_, minute) => ({
      at: at(minute),
      value: Number((7.1 + Math.floor((minute * 0.006 + 0.07) / 0.1) * 0.1).toFixed(1)),
    }));
    const pv = flows({ pv_kwh: atMinutes }).map(({ pvKwh }) => pvKwh);
    for (const kwh of pv.slice(1, 3)) expect(kwh).toBeGreaterThan(0.085);
    for (const kwh of pv.slice(1, 3)) expect(kwh).toBeLessThan(0.095);
  });

  it("that stand still while there is power, or count something else, are not used", () => {
    const power = every(15, [8, 8, 8, 8]);
    const stands = flows({ pv_power_kw: power, pv_kwh: every(15, [0, 0, 0, 0, 0]) });
    expect(stands.map(({ pvKwh }) => pvKwh)).toEqual(near([2, 2, 2, 2]));
    const others = flows({ pv_power_kw: power, pv_kwh: every(15, [0.01, 6.01, 12.01, 18.01, 24.01]) });
    expect(others.map(({ pvKwh }) => pvKwh)).toEqual(near([2, 2, 2, 2]));
  });
});
