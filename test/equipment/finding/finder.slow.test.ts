import { createServer } from "node:net";
import { describe, expect, it } from "vitest";
import { FAMILIES } from "../simulated/families.js";
import { EVENING } from "../simulated/home.js";
import { ModbusServer } from "../simulated/modbus-server.js";
import { addressOf, find } from "./find.js";

const familyOf = (template: string, title?: string) =>
  FAMILIES.find((one) => one.template === template && (title === undefined || one.title === title))!;

/** Devices that say who they are. */
const NAMED: readonly (readonly [template: string, title: string | undefined, name: RegExp])[] = [
  ["fronius-gen24", "integers with scale factors", /^Fronius Symo GEN24 10.0 Plus$/],
  ["fronius-solarapi", undefined, /Fronius/],
  ["huawei-sun2000", "behind the dongle", /^Huawei SUN2000-10KTL-M1$/],
  ["sungrow-sh", "firmware of 2025 and later", /Sungrow/],
  ["goodwe-et", "Modbus TCP", /^GoodWe GW10K-ET$/],
  ["goodwe-et", "UDP", /^GoodWe GW10K-ET$/],
  ["sma-hybrid", undefined, /SMA/],
  ["victron-gx", "Modbus TCP with grid meter", /Victron/],
  ["shelly-em", "3EM", /^Shelly SHEM-3$/],
  ["shelly-pro-3em", "Pro 3EM", /^Shelly Pro3EM$/],
  ["tasmota-sml", "HTTP", /Tasmota/],
  ["go-e", undefined, /^go-eCharger_Phoenix$/],
  ["keba", "UDP", /^KEBA KC-P30/],
  ["keba", "Modbus TCP", /KEBA/],
  ["my-pv", "AC ELWA 2", /^my-PV AC ELWA 2$/],
  ["warp", "HTTP", /WARP2/],
  ["evcc", "state of 2026", /evcc/],
  ["sunspec-inverter", "floating point at 50000", /^ABB PVI-6000$/],
  ["sunspec-meter", "floating point, unit 200", /Smart Meter/],
  ["e3dc", undefined, /S10 E AIO/],
  ["rct", undefined, /^RCT Power PS 10.0 9KPL$/],
  ["opendtu", "HTTP", /OpenDTU/],
  ["solax", undefined, /SolaX/],
  ["kostal-plenticore", undefined, /./],
  ["solaredge-storedge", undefined, /SolarEdge/],
];

/** Devices that do not say who they are, and share registers: only the right one may be named. */
const UNNAMED = [
  ["deye", undefined],
  ["em24", undefined],
  ["fox-ess", "H3"],
  ["fox-ess", "H3 Smart"],
  ["growatt", "SPH"],
  ["growatt", "MIN TL-XH"],
  ["idm", undefined],
  ["lambda", undefined],
  ["sigenergy", undefined],
  ["solis", undefined],
  ["stiebel-isg", undefined],
  ["varta", undefined],
] as const;

describe.concurrent("finding devices", () => {
  it.each(NAMED)("finds %s (%s) at its port, with what it shows", async (template, title, name) => {
    const family = familyOf(template, title);
    const running = await family.start(() => EVENING);
    try {
      const { found, looked_at, ms } = await find({ targets: [addressOf(running)] });
      expect(found.map((one) => one.template)).toEqual([template]);
      expect(found[0]!.name).toMatch(name);
      const { transport: _, ...given } = running.with;
      expect(found[0]!.with).toMatchObject({ ...(given.port !== undefined && { port: given.port }) });
      const expected = family.expected(EVENING);
      const shown = Object.entries(expected).filter(([reading]) => found[0]!.readings[reading] !== undefined);
      expect(shown.length).toBeGreaterThan(0);
      expect(looked_at).toBe(1);
      expect(ms).toBeLessThan(60_000);
      expect(running.modbus?.writes ?? []).toEqual([]);
    } finally {
      await running.stop();
    }
  });

  it.each(UNNAMED)(
    "finds %s (%s) by its registers, and takes it for no other one",
    async (template, title) => {
      const running = await familyOf(template, title).start(() => EVENING);
      const { found } = await find({ targets: [addressOf(running)] });
      await running.stop();
      expect(found).toMatchObject([{ template, with: running.with, also: [] }]);
    },
  );

  it("does not guess by few registers what another device may have, too", async () => {
    // A meter with 50 at the register where others have their state of charge.
    const server = await new ModbusServer((unit) =>
      unit === 1
        ? {
            input: new Map([
              [1014, 50],
              [33139, 50],
            ]),
            holding: new Map([
              [0, 5],
              [32104, 50],
            ]),
          }
        : undefined,
    ).start();
    expect((await find({ targets: [`127.0.0.1:${server.port}`] })).found).toEqual([]);
    await server.stop();
  });

  it("finds nothing where nothing is, and nothing at a port that says nothing", async () => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const { port } = silent.address() as { port: number };
    const result = await find({
      targets: ["127.0.0.1:9", `127.0.0.1:${port}`],
      signal: AbortSignal.timeout(5_000),
    });
    expect(result.found).toEqual([]);
    silent.close();
  });

  it("leaves devices alone that are read already, unless they are stated", async () => {
    const read = ["127.0.8.1", "127.0.8.2"];
    expect(await find({ targets: ["127.0.8.0/29"] }, read)).toMatchObject({ looked_at: 4 });
    expect(await find({ targets: ["127.0.8.1", "127.0.8.2:502"] }, read)).toMatchObject({ looked_at: 2 });
  });

  it("shows one device once, with the better way first", async () => {
    const modbus = await familyOf("fronius-gen24", "integers with scale factors").start(() => EVENING);
    const http = await familyOf("fronius-solarapi").start(() => EVENING);
    const { found } = await find({ targets: [addressOf(http), addressOf(modbus)] });
    expect(found).toMatchObject([
      {
        template: "fronius-gen24",
        with: modbus.with,
        also: [{ template: "fronius-solarapi", with: http.with }],
      },
    ]);
    await Promise.all([modbus.stop(), http.stop()]);
  });

  it("ends early with what it has found, and tells how far it is", async () => {
    const stop = new AbortController();
    const progress: { looked_at: number; of: number }[] = [];
    const search = find({
      targets: ["127.0.8.0/24"],
      signal: stop.signal,
      onProgress: ({ looked_at, of }) => {
        progress.push({ looked_at, of });
        stop.abort();
      },
    });
    const { looked_at } = await search;
    expect(progress[0]).toEqual({ looked_at: 1, of: 254 });
    expect(looked_at).toBeLessThan(254);
  });
});
