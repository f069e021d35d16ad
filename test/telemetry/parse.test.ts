import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { READING_NAMES, READINGS } from "../../src/core/domain/sample.js";
import { MAX_SAMPLES, parseTelemetry } from "../../src/telemetry/parse.js";
import { runs } from "../support/runs.js";

const now = new Date("2026-01-15T12:00:00Z");
const parse = (body: unknown) => parseTelemetry(body, { now, zone: "Europe/Vienna" });
/** The only sample of a valid body. */
const only = (body: unknown) => {
  const { samples, rejected } = parse(body);
  expect(rejected).toEqual([]);
  expect(samples).toHaveLength(1);
  return samples[0]!.sample;
};
const fieldsOf = (body: unknown) => parse(body).rejected.map(({ field }) => field);

describe("parseTelemetry", () => {
  it("reads a flat sample with the current time", () => {
    const body = {
      soc_pct: 55.5,
      import_kwh: 1e9,
      export_kwh: 0,
      pv_power_kw: -1,
      load_power_kw: 0.4,
      battery_power_kw: -3,
      ev_power_kw: 11,
      ev_connected: 1,
    };
    expect(only(body)).toEqual({ at: now, values: body });
  });

  it("reads devices by slot, nested or flat", () => {
    expect(
      only({ slots: { "1": { power_kw: 7.4, soc_pct: "55,5" }, "8": { energy_kwh: 12 } } }).values,
    ).toEqual({
      slot_1_power_kw: 7.4,
      slot_1_soc_pct: 55.5,
      slot_8_energy_kwh: 12,
    });
    expect(only({ slot_2_temperature_c: 48.5 }).values).toEqual({ slot_2_temperature_c: 48.5 });
    expect(
      fieldsOf({ slots: { "1": { power_kw: "on", soc_pct: 101, temperature_c: 300 }, "9": {}, "2": 5 } }),
    ).toEqual(["slots.2", "slots.9", "slots.1.power_kw", "slots.1.soc_pct", "slots.1.temperature_c"]);
    expect(fieldsOf({ slots: [1] })).toEqual(["slots"]);
  });

  it("reads the nested form", () => {
    const body = {
      mode: "telemetry",
      battery: { soc_pct: 20, power_kw: 2, capacity_kwh: 10 },
      meter: { import_kwh: 12.5, export_kwh: 3 },
      pv: { power_kw: 1.5, daily_kwh: [4] },
      load: { power_kw: 0.5, ev_power_kw: 7 },
      ev: { connected: true },
    };
    expect(only(body).values).toEqual({
      soc_pct: 20,
      battery_power_kw: 2,
      import_kwh: 12.5,
      export_kwh: 3,
      pv_power_kw: 1.5,
      load_power_kw: 0.5,
      ev_power_kw: 7,
      ev_connected: 1,
    });
  });

  it("prefers the flat form if both are given", () => {
    expect(only({ soc_pct: 1, battery: { soc_pct: 2 } }).values).toEqual({ soc_pct: 1 });
  });

  it.each([
    ["3", 3],
    ["2,5", 2.5],
    ["2.5", 2.5],
    [" 7 ", 7],
    ["+1", 1],
    [",5", 0.5],
    ["1e1", 10],
    ["-0", 0],
    [-0, 0],
  ])("reads the number %j as %d", (sent, value) => {
    expect(only({ soc_pct: sent }).values.soc_pct).toBe(value);
  });

  it.each([
    "",
    " ",
    "NaN",
    "Infinity",
    "1.234,5",
    "0x10",
    "12 kW",
    "1e999",
    null,
    true,
    [1],
    {},
    Number.NaN,
    Infinity,
  ])("rejects %j as SOC", (sent) => {
    const { samples, rejected } = parse({ soc_pct: sent });
    expect(samples).toEqual([]);
    expect(rejected).toEqual([
      { index: 0, field: "soc_pct", message: "soc_pct must be a number from 0 to 100." },
    ]);
  });

  it.each([
    [true, 1],
    [false, 0],
    ["true", 1],
    ["false", 0],
    ["1", 1],
    [0, 0],
  ])("reads ev_connected %j as %d", (sent, value) => {
    expect(only({ ev_connected: sent }).values.ev_connected).toBe(value);
  });

  it.each([0.5, 2, -1, "yes", null, ""])("rejects ev_connected %j", (sent) => {
    expect(fieldsOf({ ev_connected: sent })).toEqual(["ev_connected"]);
  });

  it("accepts both ends of every range and nothing beyond", () => {
    for (const reading of READING_NAMES) {
      const { min, max } = READINGS[reading];
      expect(only({ [reading]: min }).values[reading]).toBe(min);
      expect(only({ [reading]: max }).values[reading]).toBe(max);
      expect(fieldsOf({ [reading]: min - 1e-6 })).toEqual([reading]);
      expect(fieldsOf({ [reading]: max + 1e-6 })).toEqual([reading]);
    }
  });

  it("keeps the valid fields of a sample, and names the invalid ones as sent", () => {
    const { samples, rejected } = parse({
      soc_pct: 101,
      load_power_kw: 2,
      meter: { import_kwh: "x" },
      pv: 3,
    });
    expect(samples).toEqual([{ index: 0, sample: { at: now, values: { load_power_kw: 2 } } }]);
    expect(rejected.map(({ field }) => field)).toEqual(["pv", "soc_pct", "meter.import_kwh"]);
  });

  // https://github.com/evcc-io/evcc/issues/8560
  it("rejects the state of charge of a register that was not read", () => {
    const body = { soc_pct: -3.4028234663852886e38, pv_power_kw: 4.9 };
    const { samples, rejected } = parse(body);
    expect(samples.map(({ sample }) => sample.values)).toEqual([{ pv_power_kw: 4.9 }]);
    expect(rejected.map(({ field }) => field)).toEqual(["soc_pct"]);
  });

  it("rejects a sample without any reading and lists the readings", () => {
    for (const body of [{}, { soc: 5 }, { timestamp: "2026-01-15T12:00:00Z" }, { battery: {} }]) {
      const { samples, rejected } = parse(body);
      expect(samples).toEqual([]);
      expect(rejected).toHaveLength(1);
      expect(rejected[0]?.message).toContain("at least one of soc_pct, import_kwh, export_kwh");
    }
  });

  it.each([
    ["2026-01-15T11:00:00Z", "2026-01-15T11:00:00Z"],
    ["2026-01-15T11:00:00+01:00", "2026-01-15T10:00:00Z"],
    ["2026-01-15T11:00:00 01:00", "2026-01-15T10:00:00Z"],
    ["2026-01-15T11:00:00", "2026-01-15T10:00:00Z"],
    ["2025-07-15 11:00", "2025-07-15T09:00:00Z"],
    ["2026-01-15", "2026-01-14T23:00:00Z"],
    ["2026-01-15T12:05:00Z", "2026-01-15T12:05:00Z"],
    [1768478400, "2026-01-15T12:00:00Z"],
    [1768478400000, "2026-01-15T12:00:00Z"],
    ["1768478400", "2026-01-15T12:00:00Z"],
  ])("reads the timestamp %j", (timestamp, expected) => {
    expect(only({ timestamp, soc_pct: 5 }).at).toEqual(new Date(expected));
  });

  it.each([
    "",
    "yesterday",
    "2026-13-45",
    "2026-01-15T25:00:00Z",
    null,
    true,
    12345,
    -1,
    1e30,
    {},
    "x".repeat(1e6),
  ])("rejects a sample with an invalid timestamp", (timestamp) => {
    const { samples, rejected } = parse({ timestamp, soc_pct: 5 });
    expect(samples).toEqual([]);
    expect(rejected.map(({ field }) => field)).toEqual(["timestamp"]);
  });

  it("rejects a sample more than five minutes ahead", () => {
    expect(fieldsOf({ timestamp: "2026-01-15T12:05:00.001Z", soc_pct: 5 })).toEqual(["timestamp"]);
    expect(fieldsOf({ timestamp: "1970-01-01T00:00:07Z", soc_pct: 5 })).toEqual(["timestamp"]);
  });

  it("reads a batch and keeps the positions of its samples", () => {
    const body = { samples: [{ soc_pct: 1 }, 5, { soc_pct: "x" }, { soc_pct: 4, ev_power_kw: null }] };
    const { samples, rejected, count, tooMany } = parse(body);
    expect([count, tooMany]).toEqual([4, false]);
    expect(samples.map(({ index, sample }) => [index, sample.values])).toEqual([
      [0, { soc_pct: 1 }],
      [3, { soc_pct: 4 }],
    ]);
    expect(rejected.map(({ index, field }) => [index, field])).toEqual([
      [1, "sample"],
      [2, "soc_pct"],
      [3, "ev_power_kw"],
    ]);
  });

  it("accepts 1000 samples and rejects 1001", () => {
    const batch = (length: number) => parse({ samples: Array.from({ length }, () => ({ soc_pct: 1 })) });
    expect(batch(MAX_SAMPLES).samples).toHaveLength(1000);
    expect(batch(MAX_SAMPLES + 1)).toEqual({
      samples: [],
      rejected: [],
      outside: [],
      tooMany: true,
      count: 1001,
    });
  });

  it.each([{ samples: [] }, { samples: {} }, { samples: null }, { samples: "x" }])(
    "rejects the batch %j",
    (body) => {
      expect(parse(body).samples).toEqual([]);
      expect(fieldsOf(body)).toEqual(["samples"]);
    },
  );

  it("ignores members of a prototype", () => {
    const body = JSON.parse(
      '{"__proto__":{"soc_pct":5},"constructor":{"prototype":{"soc_pct":5}},"battery":{"__proto__":{"soc_pct":6}}}',
    );
    expect(parse(body).samples).toEqual([]);
    expect(({} as Record<string, unknown>).soc_pct).toBeUndefined();
  });

  it("never throws, loses no sample and accepts no value out of range", () => {
    const value = fc.oneof(
      fc.jsonValue(),
      fc.double(),
      fc.string(),
      fc.constantFrom("5", "2,5", 50, true, null, "2026-01-15T11:00:00Z"),
    );
    const key = fc.constantFrom(
      "timestamp",
      "battery",
      "meter",
      "load",
      "pv",
      "ev",
      "__proto__",
      ...READING_NAMES,
    );
    const sample = fc.oneof(
      fc.jsonValue(),
      fc.dictionary(
        key,
        fc.oneof(
          value,
          fc.dictionary(
            fc.constantFrom("soc_pct", "power_kw", "import_kwh", "ev_power_kw", "connected"),
            value,
          ),
        ),
      ),
    );
    const body = fc.oneof(sample, fc.record({ samples: fc.oneof(fc.jsonValue(), fc.array(sample)) }));
    fc.assert(
      fc.property(body, (sent) => {
        const { samples, rejected, count } = parse(sent);
        const seen = new Set([...samples, ...rejected].map(({ index }) => index));
        for (let index = 0; index < count; index++) expect(seen.has(index)).toBe(true);
        for (const { sample: read } of samples) {
          expect(read.at.getTime()).toBeLessThanOrEqual(now.getTime() + 300_000);
          expect(Object.keys(read.values).length).toBeGreaterThan(0);
          for (const [reading, number] of Object.entries(read.values)) {
            const { min, max } = READINGS[reading as keyof typeof READINGS];
            expect(number! >= min && number! <= max).toBe(true);
          }
        }
        for (const { message } of rejected) expect(message).toMatch(/^\S.*\.$/s);
      }),
      { numRuns: runs(1000) },
    );
  });
});
