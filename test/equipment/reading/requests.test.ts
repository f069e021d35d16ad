import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DeviceError } from "../../../src/equipment/command.js";
import { compileReading, type Node } from "../../../src/equipment/reading/compile.js";
import { DevicePoll } from "../../../src/equipment/reading/poll.js";
import type { TemplateReadingSpec } from "../../../src/equipment/reading/reading-schema.js";
import { SUNSPEC_BASES } from "../../../src/equipment/reading/sunspec.js";
import type { SunSpecMap } from "../../../src/equipment/reading/sunspec-walk.js";
import { TemplateLibrary } from "../../../src/equipment/template-library.js";
import { ModbusException } from "../../../src/equipment/transport/modbus-frames.js";
import { FAMILIES } from "../simulated/families.js";
import { NOON } from "../simulated/home.js";
import { readDevice } from "../simulated/read.js";
import { type Row, registersOf } from "../simulated/registers.js";
import { BETWEEN, common, inverter, NAMEPLATE, sunspecTable } from "../simulated/sunspec.js";

type Registers = ReadonlyMap<number, number>;

/** A device that refuses a request as soon as it goes over one register that it does not have. */
class StrictDevice {
  /** Requests since the last look, as address and count. */
  asked: string[] = [];
  refused = 0;
  /** Number of the request that gets no answer. */
  lost = 0;
  requests = 0;
  nowMs = Date.UTC(2026, 5, 1);
  readonly #registers: () => Registers;
  readonly #sunSpec = new Map<number, SunSpecMap>();

  constructor(registers: () => Registers) {
    this.#registers = registers;
  }

  poll(): DevicePoll {
    const refuse = () => Promise.reject(new DeviceError("template", "is a Modbus device"));
    const modbus = {
      epoch: 1,
      cuts: 0,
      sunSpec: this.#sunSpec,
      read: async (_unit: number, _code: 3 | 4, address: number, count: number) => this.#read(address, count),
      write: refuse,
    };
    return new DevicePoll({
      channels: {
        modbus,
        mqtt: undefined,
        obis: () => undefined,
        request: refuse,
        askUdp: refuse,
        rct: refuse,
      },
      limits: { maxRegisters: 125, gap: 16, bases: SUNSPEC_BASES },
      now: () => this.nowMs,
    });
  }

  look(): { asked: string[]; refused: number } {
    const { asked, refused } = this;
    this.asked = [];
    this.refused = 0;
    return { asked, refused };
  }

  #read(address: number, count: number): number[] {
    this.asked.push(`${address}+${count}`);
    if (++this.requests === this.lost) throw new DeviceError("timeout", "did not answer within 2 s");
    const registers = this.#registers();
    return Array.from({ length: count }, (_, index) => {
      const word = registers.get(address + index);
      if (word !== undefined) return word;
      this.refused++;
      throw new ModbusException(2);
    });
  }
}

function nodesOf(readings: Readonly<Record<string, TemplateReadingSpec>>): Map<string, Node> {
  return new Map(
    Object.entries(readings).map(([name, spec]) => [
      name,
      compileReading(spec, name, { variables: {}, unit: 1, wantedUnit: undefined })!,
    ]),
  );
}

const registerNodes = (addresses: readonly number[]) =>
  nodesOf(Object.fromEntries(addresses.map((holding) => [`r${holding}`, { holding, unit: "W" }])));
const tens = (addresses: readonly number[]): Registers => new Map(addresses.map((at) => [at, at * 10]));
const upTo = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);

async function readAll(poll: DevicePoll, nodes: ReadonlyMap<string, Node>): Promise<Record<string, unknown>> {
  const { values } = await poll.run(nodes);
  return Object.fromEntries([...values].map(([name, { value }]) => [name, value]));
}

describe("a device that refuses a request for several registers", () => {
  const needed = upTo(0, 10).map((index) => 100 + index * 4);
  const wanted = Object.fromEntries(needed.map((at) => [`r${at}`, at * 10]));

  it("is read part by part at once, and in few requests again where only one register is missing", async () => {
    const device = new StrictDevice(() => tens(upTo(100, 140).filter((at) => at !== 118)));
    const poll = device.poll();
    const nodes = registerNodes(needed);
    expect(await readAll(poll, nodes)).toEqual(wanted);
    expect(device.look().asked.length).toBe(11);
    for (let number = 0; number < 12; number++) {
      device.nowMs += 60_000;
      expect(await readAll(poll, nodes)).toEqual(wanted);
      if (number < 11) device.look();
    }
    expect(device.look().asked).toEqual(["100+17", "120+17"]);
  });

  it("is asked in vain once a poll at most, and not again", async () => {
    const device = new StrictDevice(() => tens(needed));
    const poll = device.poll();
    const nodes = registerNodes(needed);
    await readAll(poll, nodes);
    device.look();
    await readAll(poll, nodes);
    expect(device.look()).toMatchObject({ asked: needed.map((at) => `${at}+1`), refused: 0 });
    for (let number = 0; number < 9; number++) {
      device.nowMs += 60_000;
      expect(await readAll(poll, nodes)).toEqual(wanted);
      expect(device.look()).toMatchObject({ refused: 1 });
    }
    device.nowMs += 60_000;
    await readAll(poll, nodes);
    expect(device.look().refused).toBe(0);
  });

  it("is not asked again for what it has just said", async () => {
    const device = new StrictDevice(() => tens(upTo(100, 140)));
    const poll = device.poll();
    const before = await poll.run(registerNodes(needed));
    device.look();
    const { values, hasAnswered } = await poll.run(registerNodes([106]), before);
    expect({ value: values.get("r106")?.value, hasAnswered }).toEqual({ value: 1060, hasAnswered: true });
    expect(device.look().asked).toEqual([]);
  });

  it("is read rightly whichever registers it has", async () => {
    const addresses = fc.uniqueArray(fc.integer({ min: 0, max: 60 }), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(addresses, addresses, addresses, async (asked, missing, others) => {
        const there = [...asked, ...others].filter((at) => !missing.includes(at));
        const device = new StrictDevice(() => tens(there));
        const poll = device.poll();
        const nodes = registerNodes(asked);
        const right = Object.fromEntries(
          asked.map((at) => [`r${at}`, there.includes(at) ? at * 10 : undefined]),
        );
        for (let number = 0; number < 9; number++) {
          expect(await readAll(poll, nodes)).toEqual(right);
          if (number > 0) expect(device.refused).toBeLessThanOrEqual(1);
          device.look();
          device.nowMs += 60_000;
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe("the models of SunSpec", () => {
  const power: Record<string, TemplateReadingSpec> = {
    pv: { sunspec: [160, "DCW", "1..2"] },
    ac: { sunspec: [[103, 113], "W"] },
  };
  const table = (factor: number): Registers => {
    const at = (place: number, watts: number): Row => [place, "u16", watts / 10 ** factor];
    const modules = [
      160,
      88,
      [[4, "i16", factor] as Row, [8, "u16", 4] as Row, at(21, 1000), at(41, 500), at(61, 0), at(81, 0)],
    ] as const;
    const models = [
      common("Fronius", "Symo GEN24", "1"),
      inverter(103, 1200, 1),
      NAMEPLATE,
      ...BETWEEN,
      modules,
    ];
    return registersOf(sunspecTable(40_000, models).holding!);
  };

  it("are looked for no further than needed, and once for all who read there", async () => {
    const device = new StrictDevice(() => table(0));
    expect(await readAll(device.poll(), nodesOf(power))).toEqual({ pv: 1500, ac: 1200 });
    // The second answer has the header of the last model that is needed, the third its values.
    expect(device.look()).toMatchObject({ refused: 0, asked: { length: 3 } });
    expect(await readAll(device.poll(), nodesOf(power))).toEqual({ pv: 1500, ac: 1200 });
    expect(device.look().asked.length).toBe(2);
  });

  it("are known to one reader while another of the same unit finds none of its registers", async () => {
    const device = new StrictDevice(() => table(0));
    const [one, another] = [device.poll(), device.poll()];
    for (let number = 0; number < 3; number++) {
      const [{ pv, ac }] = await Promise.all([
        readAll(one, nodesOf(power)),
        readAll(
          another,
          nodesOf({ wrong: { holding: 5000, unit: "W" }, soc: { sunspec: [124, "ChaState"] } }),
        ),
        readAll(device.poll(), nodesOf(power)),
      ]);
      expect({ pv, ac }).toEqual({ pv: 1500, ac: 1200 });
      device.nowMs += 660_000;
    }
  });

  it("are not looked for from the beginning when an answer was lost", async () => {
    const device = new StrictDevice(() => table(0));
    device.lost = 2;
    const poll = device.poll();
    await readAll(poll, nodesOf(power));
    device.look();
    expect(await readAll(poll, nodesOf(power))).toEqual({ pv: 1500, ac: 1200 });
    expect(device.look().asked[0]).toBe("40149+125");
  });

  it("give a value with the scale factor of the same answer, also while they are looked for", async () => {
    let request = 0;
    const device = new StrictDevice(() => table(-(request++ % 2)));
    const poll = device.poll();
    for (let number = 0; number < 4; number++) {
      expect(await readAll(poll, nodesOf(power))).toEqual({ pv: 1500, ac: 1200 });
      request += number;
    }
  });
});

/**
 * Requests until the first readings, and of each poll. A device that takes 1.5 s for each answer is read within 12 s if it needs
 * no more than seven; the others have so many registers with none between them.
 */
describe("a simulated device that refuses registers that it does not have", async () => {
  const library = await TemplateLibrary.open();

  it.each([
    ["fronius-gen24", "integers with scale factors", 6, 3],
    ["sma-hybrid", "with Home Manager", 10, 8],
    ["sungrow-sh", "firmware of 2025 and later", 12, 11],
  ])("%s, %s: %i, then %i requests", async (template, title, first, later) => {
    const family = FAMILIES.find((one) => one.template === template && one.title === title)!;
    const running = await family.start(() => NOON);
    const { requests } = running.modbus!;
    const device = readDevice(library, { template, with: running.with });
    const marks: number[] = [];
    device.options.onPolled = () => marks.push(requests.length);
    await device.read();
    const begun = requests.length;
    await device.read();
    await device.stop();
    await running.stop();
    expect(marks[0]).toBeLessThanOrEqual(first);
    expect(requests.length - begun).toBeLessThanOrEqual(later);
    const now = device.options.clock.now();
    expect(device.shown("grid_power_kw", now).value).toBeCloseTo(NOON.gridW! / 1000, 2);
  });
});
