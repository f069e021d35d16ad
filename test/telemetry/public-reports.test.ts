import { describe, expect, it } from "vitest";
import { parsePlant } from "../../src/config/plant.js";
import type { TimedValue } from "../../src/core/domain/counter.js";
import type { Reading } from "../../src/core/domain/sample.js";
import { type GateState, judge } from "../../src/telemetry/judge-reading.js";
import { parseTelemetry } from "../../src/telemetry/parse.js";
import { counterSteps, plausibleReadings } from "../../src/telemetry/plausible-history.js";
import { isOtherUnit, readingLimits } from "../../src/telemetry/reading-limits.js";

// Situations of public reports, with values of these reports where they name any.

const parsed = parsePlant(
  {
    id: "home",
    battery: { capacity_kwh: 10, max_charge_power_kw: 5, max_discharge_power_kw: 5 },
    pv: [{ peak_kw: 5.5 }],
    slots: [{ slot: 1, kind: "heat_pump", power_kw: 3 }],
  },
  [],
);
if ("findings" in parsed) throw new Error(JSON.stringify(parsed.findings));
const limits = readingLimits(parsed.plant);
const START = Date.parse("2026-08-15T22:00:00Z");

const series = (stepSeconds: number, values: readonly number[]): TimedValue[] =>
  values.map((value, index) => ({ at: new Date(START + index * stepSeconds * 1000), value }));
const zeros = (count: number) => Array<number>(count).fill(0);
const kwhOf = (reading: Reading, readings: readonly TimedValue[]) =>
  counterSteps(readings, limits.get(reading)).reduce((sum, { kwh }) => sum + kwh, 0);
const used = (reading: Reading, readings: readonly TimedValue[]) =>
  plausibleReadings(readings, limits.get(reading)).map(({ value }) => value);

describe("a counter", () => {
  // https://github.com/home-assistant/core/issues/182493
  it("that is 0 for half a day is no new meter, and counts what it counted meanwhile", () => {
    const readings = series(300, [397.05, 397.11, ...zeros(143), 413.5, 413.55]);
    expect(kwhOf("import_kwh", readings)).toBeCloseTo(16.5);
    expect(used("import_kwh", readings)).toEqual([397.05, 397.11, 413.5, 413.55]);
  });

  // https://github.com/callifo/fronius_modbus/issues/125
  it("that is 0 every ten seconds after an update of its firmware needs no restart", () => {
    const readings = series(10, [10_971.988, ...zeros(60), 10_971.99, 10_971.992]);
    expect(used("import_kwh", readings)).toEqual([10_971.988, 10_971.99, 10_971.992]);
  });

  // https://github.com/evcc-io/evcc/pull/30592
  it("that is 0 while the meter times out is no step of 13 MWh", () => {
    const readings = series(900, [13_423.7, 0, 13_423.9, 13_424, 0, 13_424.2]);
    expect(kwhOf("import_kwh", readings)).toBeCloseTo(0.5);
  });

  // https://github.com/traktore-org/sem-community/issues/782
  it("of a device does not book its life as the energy of today", () => {
    const readings = series(10, [15_508.51, 0, 0, 15_508.51, 15_508.52]);
    expect(kwhOf("slot_1_energy_kwh", readings)).toBeCloseTo(0.01);
  });

  // https://github.com/evcc-io/evcc/issues/33365
  it("of an optical reader that stumbles once is no 158 GWh", () => {
    const readings = series(45, [4_000, 158_198_682, 4_000.02, 4_000.04]);
    expect(kwhOf("import_kwh", readings)).toBeCloseTo(0.04);
  });

  // https://github.com/shuette42/ecoflow-energy-ha/pull/162
  it("is not frozen by one reading that is far too high, even if that is the first one of all", () => {
    expect(used("export_kwh", series(60, [54_501_280, 2_639, 2_639.01, 2_639.02, 2_639.03]))).toEqual([
      54_501_280, 2_639, 2_639.01, 2_639.02, 2_639.03,
    ]);
    expect(kwhOf("export_kwh", series(60, [54_501_280, 2_639, 2_639.01, 2_639.02]))).toBeCloseTo(0.02);
  });

  // https://github.com/DrozmotiX/ioBroker.sourceanalytix/issues/1199
  it("that falls for a moment does not count twice", () => {
    const readings = series(60, [877.2, 877.21, 0.4, 877.22, 878.9]);
    expect(kwhOf("import_kwh", readings)).toBeCloseTo(1.7);
  });

  // https://github.com/djansen1987/SAJeSolar/issues/102
  it("of a day, with a reading of yesterday after midnight, counts nothing twice", () => {
    const values = [4.3, 4.33, 0, 4.34, 0.01, 0.02, 0.03, 0.5, 1];
    expect(kwhOf("import_kwh", series(300, values))).toBeCloseTo(0.04 + 0.99);
  });

  // https://github.com/snaptec/openWB/issues/1670
  it("of a wallbox that falls when a vehicle is plugged in gives no negative energy", () => {
    const steps = counterSteps(
      series(60, [21.3, 21.4, 0.4, 0.45, 0.5, 0.6]),
      limits.get("slot_1_energy_kwh"),
    );
    expect(steps.every(({ kwh }) => kwh >= 0)).toBe(true);
    expect(steps.reduce((sum, { kwh }) => sum + kwh, 0)).toBeCloseTo(0.3);
  });

  // https://github.com/xirixiz/dsmr-reader-docker/issues/120
  it("of a new meter is no consumption of minus 5 MWh", () => {
    const readings = series(900, [5_427.3, 5_427.4, 0.1, 0.2, 0.3, 0.4]);
    expect(kwhOf("import_kwh", readings)).toBeCloseTo(0.4);
  });
});

describe("a power", () => {
  // https://github.com/davidrapan/ha-solarman/issues/581
  it("of 64 kW is not that of a connection for 5.5 kW", () => {
    expect(used("pv_power_kw", series(60, [2.1, 64.2, 2.2, 65.1, 64.9, 64.7, 2.3]))).toEqual([2.1, 2.2, 2.3]);
  });

  // https://github.com/davidusb-geek/emhass/pull/292
  it("in W in place of kW is never believed, however long it lasts", () => {
    expect(used("load_power_kw", series(60, [0.4, ...Array<number>(600).fill(412), 0.4]))).toEqual([
      0.4, 0.4,
    ]);
  });
});

// https://github.com/evcc-io/evcc/issues/14885, https://github.com/evcc-io/evcc/issues/17236
it.each([
  ["slot_1_soc_pct", 65_535],
  ["soc_pct", -828],
])("a state of charge %s of %d % is rejected and shown", (reading, value) => {
  const now = new Date(START);
  expect(parseTelemetry({ [reading]: value, import_kwh: 1 }, { now, zone: "UTC" })).toMatchObject({
    samples: [{ sample: { values: { import_kwh: 1 } } }],
    outside: [{ reading, value, at: now }],
  });
});

describe("another unit", () => {
  // https://github.com/psylsph/home-energy-manager/issues/294
  it("is a thousand times the last value, and asked about", () => {
    const [before, after] = series(60, [24.4, 24_400]) as [TimedValue, TimedValue];
    expect(isOtherUnit(before, after, limits.get("import_kwh")!)).toBe(true);
  });

  it("from the first reading on is not believed either, however often the counter is read", () => {
    // 700 W counted in Wh: 1.94 Wh in ten seconds would be 700 kW.
    const readings = series(
      10,
      Array.from({ length: 360 }, (_, n) => 40_134_400 + n * 1.944),
    );
    expect(kwhOf("import_kwh", readings)).toBeLessThan(2);
  });

  it("keeps no more than the readings that it takes to believe", () => {
    let state: GateState = {};
    const [first, ...others] = series(1, [100, ...Array.from({ length: 50 }, (_, n) => 100_000 + n)]);
    for (const next of [first!, ...others]) state = judge(state, next, limits.get("import_kwh")!).state;
    expect(state.held!.length).toBeLessThanOrEqual(3);
  });
});
