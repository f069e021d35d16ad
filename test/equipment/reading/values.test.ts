import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { aheadS } from "../../../src/equipment/reading/device-time.js";
import type { ReadingLimits } from "../../../src/telemetry/reading-limits.js";
import { answerWith, exceptionOf, RawModbus } from "./raw-modbus.js";
import { type RigOptions, rig } from "./rig.js";

const server = new RawModbus();
let registers: Record<number, number>;
let port: number;
let opened: ReturnType<typeof rig>[] = [];
const open = (reads: string, options: Partial<RigOptions> = {}) => {
  const one = rig({ reads, host: "127.0.0.1", port, ...options });
  opened.push(one);
  return one;
};

beforeEach(async () => {
  port = await server.start();
  registers = {};
  server.handler = answerWith((address) => registers[address] ?? 1);
});
afterEach(async () => {
  await Promise.all(opened.map(({ device }) => device.stop()));
  opened = [];
  await server.stop();
});

describe("unknown is not zero", () => {
  // What each type says when it has no value, by SunSpec and the makers' documents; then its neighbour, which is a value.
  it.each([
    ["u16", [0xffff], [0xfffe], 65.534],
    ["i16", [0x8000], [0x8001], -32.767],
    ["u32", [0xffff, 0xffff], [0, 5], 0.005],
    ["i32", [0x8000, 0], [0xffff, 0xfff6], -0.01],
    ["u64", [0xffff, 0xffff, 0xffff, 0xffff], [0, 0, 0, 3000], 3],
    ["f32", [0x7fc0, 0], [0x44bb, 0x8000], 1.5],
    ["f32", [0xff7f, 0xffff], [0x44bb, 0x8000], 1.5],
  ] as const)("of %s: %j", async (type, unknown, known, kw) => {
    const one = open(`readings:\n  grid_power_kw: { holding: 0, type: ${type}, unit: W }`);
    Object.assign(registers, unknown);
    await one.poll();
    expect(one.shown("grid_power_kw")).toMatchObject({
      value: null,
      quality: "missing",
      raw: expect.stringMatching(/^0x/),
    });
    Object.assign(registers, known);
    await one.poll();
    expect(one.value("grid_power_kw")).toBe(kw);
  });

  it("of a scale factor that is not implemented, and follows one that changes while the device runs", async () => {
    const one = open("readings:\n  pv_power_kw: { holding: 0, scale_from: 5, unit: W }");
    Object.assign(registers, { 0: 1234, 5: 0xffff });
    await one.poll();
    expect(one.value("pv_power_kw")).toBe(0.1234);
    Object.assign(registers, { 0: 124, 5: 1 });
    await one.poll();
    expect(one.value("pv_power_kw")).toBe(1.24);
    registers[5] = 0x8000;
    await one.poll();
    expect(one.shown("pv_power_kw")).toMatchObject({ value: 1.24, quality: "held" });
  });

  it("has no digits that the device did not send: 6789.776 + 5555.272 is not 12345.047999999999", async () => {
    const one = open(
      "readings:\n  pv_kwh: { sum: [{ holding: 0, type: u32, unit: Wh }, { holding: 2, type: u32, unit: Wh }] }",
    );
    Object.assign(registers, { 0: 103, 1: 39_568, 2: 84, 3: 50_248 });
    await one.poll();
    expect(one.value("pv_kwh")).toBe(12_345.048);
  });

  it("of a sum with a part that is missing now, but not of one that never was there", async () => {
    const one = open(
      "readings:\n  pv_power_kw: { sum: [{ holding: 0 }, { holding: 2, optional: true }], unit: W }",
    );
    Object.assign(registers, { 0: 1000, 2: 0xffff });
    await one.poll();
    expect(one.value("pv_power_kw")).toBe(1);
    registers[2] = 500;
    await one.poll();
    expect(one.value("pv_power_kw")).toBe(1.5);
    registers[2] = 0xffff;
    await one.poll();
    expect(one.shown("pv_power_kw").quality).toBe("held");
  });
});

describe("order and sign", () => {
  it.each([
    ["order: be", [0x0001, 0x86a0]],
    ["order: le", [0x86a0, 0x0001]],
    ["order: be, swap_bytes: true", [0x0100, 0xa086]],
    ["order: le, swap_bytes: true", [0xa086, 0x0100]],
  ])("100 kWh with %s", async (order, words) => {
    const one = open(`readings:\n  import_kwh: { holding: 0, type: u32, unit: Wh, ${order} }`);
    Object.assign(registers, words);
    await one.poll();
    expect(one.value("import_kwh")).toBe(100);
  });

  it("turns what is named the other way, and a meter that is mounted so", async () => {
    const reads = `readings:
  grid_power_kw: { holding: 0, type: i16, unit: W, sign: "+export" }
  import_kwh: { holding: 1, unit: kWh }
  export_kwh: { holding: 2, unit: kWh }`;
    Object.assign(registers, { 0: 800, 1: 10, 2: 20 });
    const one = open(reads);
    await one.poll();
    expect([one.value("grid_power_kw"), one.value("import_kwh")]).toEqual([-0.8, 10]);
    const other = open(reads, { isReversed: true });
    await other.poll();
    expect([other.value("grid_power_kw"), other.value("import_kwh"), other.value("export_kwh")]).toEqual([
      0.8, 20, 10,
    ]);
  });
});

it.each([
  ["2026-06-01T10:00:00Z", -7_200],
  ["2026-06-01T14:00:00+02:00", 0],
  ["2026-06-01T14:00:00.5+0200", 0.5],
  // Without an offset it would depend on the zone of the process.
  ["2026-06-01T10:00:00", 0],
  ["2026-06-01", 0],
])("knows the time of a device by %s as %j s ahead", (text, seconds) => {
  expect(aheadS(text, new Date("2026-06-01T12:00:00Z"))).toBe(seconds);
});

it("gives the only counter of a meter that is mounted the other way as the other one", async () => {
  Object.assign(registers, { 0: 10 });
  const one = open("readings:\n  import_kwh: { holding: 0, unit: kWh }", { isReversed: true });
  await one.poll();
  expect(one.value("export_kwh")).toBe(10);
  expect([...one.device.readings.keys()]).toEqual(["export_kwh"]);
});

describe("what is not possible", () => {
  const counter: ReadingLimits = { kind: "counter", mostKw: 60 };
  const power: ReadingLimits = { kind: "power", minKw: -7.5, maxKw: 7.5, believedTimes: 5 };
  const soc: ReadingLimits = { upPerHour: 100, downPerHour: 100, tolerance: 5 };
  const reads = `readings:
  import_kwh: { holding: 0, type: u32, unit: kWh }
  battery_power_kw: { holding: 2, type: i16, unit: W }
  soc_pct: { holding: 3, unit: "%" }`;
  const limits = (name: string) => ({ import_kwh: counter, battery_power_kw: power, soc_pct: soc })[name];

  it("is counted and not used, until it stays", async () => {
    Object.assign(registers, { 0: 0, 1: 5000, 2: 2000, 3: 41 });
    const one = open(reads, { limits });
    await one.poll();
    Object.assign(registers, { 1: 4000, 2: 20_000, 3: 90 });
    await one.poll();
    expect(["import_kwh", "battery_power_kw", "soc_pct"].map((name) => one.shown(name))).toMatchObject([
      { value: 5000, quality: "implausible", raw: 4000 },
      { value: 2, quality: "implausible", raw: 20_000 },
      { value: 41, quality: "implausible", raw: 90 },
    ]);
    expect(one.device.counts.implausible).toBe(3);
    expect([...one.taken.keys()]).toEqual([]);
    await one.poll();
    await one.poll();
    expect(["import_kwh", "battery_power_kw", "soc_pct"].map((name) => one.value(name))).toEqual([
      4000, 20, 90,
    ]);
  });

  it("is a state of charge beyond 100 %, however long", async () => {
    registers[3] = 655;
    const one = open(reads);
    for (let poll = 0; poll < 5; poll++) await one.poll();
    expect(one.shown("soc_pct")).toMatchObject({ value: null, quality: "implausible", raw: 655 });
  });
});

describe("SunSpec", () => {
  // A common block, a three-phase meter with its power at offset 18, its factor at 22, and the end of the map.
  const meter = (base: number, { w = 1234, factor = 0xffff, gap = 0 } = {}) => {
    const map: Record<number, number> = {
      [base]: 0x5375,
      [base + 1]: 0x6e53,
      [base + 2]: 1,
      [base + 3]: 65 + gap,
    };
    const at = base + 2 + 67 + gap;
    return {
      ...map,
      [at]: 203,
      [at + 1]: 105,
      [at + 18]: w,
      [at + 22]: factor,
      [at + 107]: 0xffff,
      [at + 108]: 0,
    };
  };
  const end = (base: number) => base + 2 + 67 + 107 + 2;
  const strict = (from: number, to: () => number) => {
    server.handler = (request) => {
      if (request.address < from || request.address + request.count > to())
        request.socket.write(exceptionOf(request, 2));
      else answerWith((address) => registers[address] ?? 0xffff)(request);
    };
  };
  const reads = `readings:\n  grid_power_kw: { sunspec: [[203, 213], W] }`;

  it.each([40_000, 50_000, 0])("is found at %i, with few requests", async (base) => {
    registers = meter(base);
    strict(base, () => end(base));
    const one = open(reads, { modbus: "max_registers: 125" });
    const before = server.requests;
    await one.poll();
    expect(one.value("grid_power_kw")).toBe(0.1234);
    expect(server.requests - before).toBeLessThanOrEqual(9);
    const first = server.requests;
    await one.poll();
    expect(server.requests - first).toBe(1);
  });

  it("is searched again when its models have moved", async () => {
    registers = meter(40_000);
    let last = end(40_000);
    strict(40_000, () => last);
    const one = open(reads, { modbus: "max_registers: 125" });
    await one.poll();
    registers = meter(40_000, { w: 500, factor: 0, gap: 1 });
    last = end(40_000) + 1;
    await one.poll();
    expect(one.shown("grid_power_kw").quality).toBe("held");
    await one.poll();
    expect(one.value("grid_power_kw")).toBe(0.5);
  });

  it("has no value where the factor is not implemented", async () => {
    registers = meter(40_000, { factor: 0x8000 });
    strict(40_000, () => end(40_000));
    const one = open(reads, { modbus: "max_registers: 125" });
    await one.poll();
    expect(one.value("grid_power_kw")).toBe("missing");
  });
});
