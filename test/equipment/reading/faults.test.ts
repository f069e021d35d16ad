import { setTimeout as wait } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Addresses } from "../../../src/equipment/transport/addresses.js";
import { answerWith, exceptionOf, frameOf, RawModbus, wordsOf } from "./raw-modbus.js";
import { type RigOptions, rig } from "./rig.js";

/** Power at 100, SOC at 110: less than a gap apart, so one request reads both. */
const READS = `readings:
  grid_power_kw: { holding: 100, type: i16, unit: W, sign: "+import" }
  soc_pct: { holding: 110, unit: "%" }`;

const house = (address: number) => ({ 100: 1500, 110: 41 })[address] ?? 7;

const server = new RawModbus();
let port: number;
let opened: ReturnType<typeof rig>[] = [];
const open = (options: Partial<RigOptions> = {}) => {
  const one = rig({ reads: READS, host: "127.0.0.1", port, ...options });
  opened.push(one);
  return one;
};

beforeEach(async () => {
  port = await server.start();
  server.handler = answerWith(house);
});
afterEach(async () => {
  await Promise.all(opened.map(({ device }) => device.stop()));
  opened = [];
  await server.stop();
  Object.assign(server, { connections: 0, requests: 0, mostAtOnce: 0 });
});

describe("a device that answers badly", () => {
  it("is read in one request where its registers are near", async () => {
    const one = open();
    await one.poll();
    expect([one.value("grid_power_kw"), one.value("soc_pct")]).toEqual([1.5, 41]);
    expect(server.requests).toBe(1);
  });

  it("never takes a late answer for another one", async () => {
    const late: (() => void)[] = [];
    // The second answer comes after the time-out, together with the request of the third.
    server.handler = (request) => {
      const send = () =>
        request.socket.write(
          frameOf(
            request,
            wordsOf(request, (at) => house(at) + request.number),
          ),
        );
      if (request.number === 2) late.push(send);
      else {
        for (const one of late.splice(0)) one();
        send();
      }
    };
    const one = open();
    await one.poll();
    await one.poll();
    expect(one.shown("grid_power_kw")).toMatchObject({ value: 1.501, quality: "held" });
    await one.poll();
    expect(one.value("grid_power_kw")).toBe(1.503);
    expect(server.connections).toBe(2);
    expect(server.mostAtOnce).toBe(1);
  });

  it.each([
    ["another transaction", (id: number) => ({ id: id + 1 })],
    ["another unit", () => ({ unit: 9 })],
    ["another function", () => ({ fc: 4 })],
  ])("closes the connection after the answer of %s, and asks again once", async (_, changed) => {
    let wrong = 1;
    server.handler = (request) =>
      request.socket.write(
        frameOf(
          { ...request, ...(request.number <= wrong ? changed(request.id) : {}) },
          wordsOf(request, house),
        ),
      );
    const one = open();
    await one.poll();
    expect([one.value("grid_power_kw"), server.connections]).toEqual([1.5, 2]);
    wrong = 4;
    await one.poll();
    expect(one.shown("grid_power_kw").quality).toBe("held");
    expect([one.device.lastError?.code, server.connections]).toEqual(["unexpected_answer", 3]);
    await one.poll();
    expect([one.value("grid_power_kw"), server.connections]).toEqual([1.5, 4]);
  });

  it.each([
    ["too few registers", (words: number[]) => words.slice(2)],
    ["zeros only", (words: number[]) => words.map(() => 0)],
  ])("takes no value from %s", async (_, changed) => {
    server.handler = (request) => request.socket.write(frameOf(request, changed(wordsOf(request, house))));
    const one = open();
    await one.poll();
    expect([one.value("grid_power_kw"), one.value("soc_pct")]).toEqual(["missing", "missing"]);
    expect(one.device.counts).toMatchObject({ reads: 1, failures: 1 });
  });

  it("takes no value from an answer that repeats the addresses", async () => {
    server.handler = answerWith((address) => address);
    const one = open();
    await one.poll();
    expect(one.value("soc_pct")).toBe("missing");
  });

  it("takes no value from garbage, and reads on after it", async () => {
    server.handler = (request) => {
      if (request.number <= 2) request.socket.write(Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n"));
      else answerWith(house)(request);
    };
    const one = open();
    await one.poll();
    expect(one.value("soc_pct")).toBe("missing");
    await one.poll();
    expect(one.value("soc_pct")).toBe(41);
  });

  it("is understood when each byte comes alone", async () => {
    server.handler = async (request) => {
      for (const byte of frameOf(request, wordsOf(request, house))) {
        request.socket.write(Buffer.from([byte]));
        await wait(0);
      }
    };
    const one = open({ modbus: "max_registers: 4, gap: 0" });
    await one.poll();
    expect([one.value("grid_power_kw"), one.value("soc_pct")]).toEqual([1.5, 41]);
  });

  it.each([5, 6])("is asked again when it is busy (exception %i)", async (code) => {
    server.handler = (request) => {
      if (request.number < 3) request.socket.write(exceptionOf(request, code));
      else answerWith(house)(request);
    };
    const one = open();
    await one.poll();
    expect(one.value("soc_pct")).toBe(41);
    expect(server.requests).toBe(3);
  });

  it("is read on when one register does not exist, which is not asked for again", async () => {
    server.handler = (request) => {
      const { address, count } = request;
      if (address <= 105 && 105 < address + count) request.socket.write(exceptionOf(request, 2));
      else answerWith(house)(request);
    };
    const one = open({ reads: `${READS}\n  pv_power_kw: { holding: 105, unit: W }` });
    await one.poll();
    expect([one.value("grid_power_kw"), one.value("pv_power_kw"), one.value("soc_pct")]).toEqual([
      1.5,
      "missing",
      41,
    ]);
    const before = server.requests;
    await one.poll();
    expect(server.requests - before).toBeLessThanOrEqual(2);
    expect(one.value("soc_pct")).toBe(41);
  });

  it("has no fault for a register that it does not have where another one gives the reading", async () => {
    server.handler = (request) =>
      request.address <= 200 && request.address + request.count > 200
        ? request.socket.write(exceptionOf(request, 2))
        : answerWith(house)(request);
    const reads = (first: string) => `readings:\n  grid_power_kw: { unit: W, first: [${first}] }`;
    const one = open({ reads: reads("{ holding: 200 }, { holding: 100 }") });
    await one.poll();
    expect([one.value("grid_power_kw"), one.device.lastError]).toEqual([1.5, undefined]);
    const other = open({ reads: reads("{ holding: 200 }") });
    await other.poll();
    expect(other.device.lastError).toMatchObject({ message: expect.stringContaining("does not exist") });
  });

  it.each([
    ["a register between them", 105, [1.5, 41]],
    ["one of them", 110, [1.5, "missing"]],
  ])("gives the other readings when it fails (exception 4) at %s", async (_, failing, expected) => {
    server.handler = (request) =>
      request.address <= failing && request.address + request.count > failing
        ? request.socket.write(exceptionOf(request, 4))
        : answerWith(house)(request);
    const one = open();
    for (let poll = 0; poll < 2; poll++) await one.poll();
    expect([one.value("grid_power_kw"), one.value("soc_pct")]).toEqual(expected);
  });

  it("reads the parts of a sum alone when there is none between them", async () => {
    server.handler = (request) => {
      if (request.count > 1) request.socket.write(exceptionOf(request, 2));
      else answerWith(house)(request);
    };
    const one = open({
      reads: `readings:\n  pv_power_kw: { sum: [{ holding: 100 }, { holding: 110 }], unit: W }`,
    });
    await one.poll();
    expect(one.value("pv_power_kw")).toBe(1.541);
  });
});

describe("a connection", () => {
  it("is the only one to an address, and shared by all units and devices there", async () => {
    const addresses = new Addresses({ pausesMs: [0] });
    let inFlight = 0;
    let most = 0;
    server.handler = async (request) => {
      most = Math.max(most, ++inFlight);
      await wait(5);
      inFlight--;
      answerWith((at) => house(at) + request.unit)(request);
    };
    const reads = `readings:
  grid_power_kw: { holding: 100, unit: W }
  pv_power_kw: { holding: 100, unit: W, unit_id: 200 }`;
    const all = [open({ reads, addresses }), open({ addresses })];
    await Promise.all(all.map((one) => one.poll()));
    expect(all[0]!.value("pv_power_kw")).toBe(1.7);
    expect(all[1]!.value("grid_power_kw")).toBe(1.501);
    expect([server.connections, most]).toEqual([1, 1]);
  });

  it.each([
    [["framing: [tcp]", "framing: [tcp, rtu]"]],
    [["framing: [rtu, tcp]", "framing: [tcp]"]],
    [["framing: [tcp, udp]", "framing: [tcp, rtu]", "framing: [tcp]"]],
  ])("is the only one of devices with %j", async (connections) => {
    const addresses = new Addresses({ pausesMs: [0] });
    const all = connections.map((modbus) => open({ modbus, addresses }));
    for (let poll = 0; poll < 2; poll++) await Promise.all(all.map((one) => one.poll()));
    expect(all.map((one) => one.value("grid_power_kw"))).toEqual(all.map(() => 1.5));
    expect([server.connections, server.mostAtOnce]).toEqual([1, 1]);
  });

  it("has the longest pause of its devices", async () => {
    const addresses = new Addresses({ pausesMs: [0] });
    const atMs: number[] = [];
    server.handler = (request) => {
      atMs.push(performance.now());
      answerWith(house)(request);
    };
    const all = ["pause_ms: 0", "pause_ms: 40"].map((modbus) => open({ modbus, addresses }));
    await Promise.all(all.map((one) => one.poll()));
    expect(atMs[1]! - atMs[0]!).toBeGreaterThan(38);
  });

  it("is opened again at once when the device has closed it", async () => {
    const one = open();
    await one.poll();
    for (const socket of server.sockets) socket.destroy();
    await wait(5);
    await one.poll();
    expect(one.value("soc_pct")).toBe(41);
    expect(one.device.counts.failures).toBe(0);
  });

  it("is opened again when it is cut in the middle of an answer", async () => {
    server.handler = (request) => {
      if (request.number % 2 === 1) {
        request.socket.write(frameOf(request, wordsOf(request, house)).subarray(0, 5));
        request.socket.destroy();
      } else answerWith(house)(request);
    };
    const one = open();
    await one.poll();
    await one.poll();
    expect(one.value("soc_pct")).toBe(41);
  });

  it("leaves a device that does not answer alone for longer and longer, and others are read meanwhile", async () => {
    server.handler = (request) => {
      if (request.unit === 2) answerWith(house)(request);
    };
    const reads = `readings:
  grid_power_kw: { holding: 100, unit: W }
  soc_pct: { holding: 110, unit: "%", unit_id: 2 }`;
    const one = open({ reads, addresses: new Addresses({ pausesMs: [0, 60_000] }) });
    for (let poll = 0; poll < 5; poll++) await one.poll();
    expect(one.value("soc_pct")).toBe(41);
    expect(one.shown("grid_power_kw").quality).toBe("missing");
    // Two attempts of unit 1, and one of unit 2 each time.
    expect(server.requests).toBe(2 + 5);
  });

  it("says what is wrong after three readings, and when it is over", async () => {
    const one = open();
    await one.poll();
    await server.stop();
    const states = [];
    for (let poll = 0; poll < 3; poll++) {
      await one.poll();
      states.push(one.device.state);
    }
    expect(states).toEqual(["ok", "ok", "unreachable"]);
    expect(one.device.reason).toMatch(/does not answer: .*refused/);
    expect(one.shown("soc_pct")).toMatchObject({ value: 41, quality: "held" });
    expect(one.shown("grid_power_kw").quality).toBe("held");
    await one.poll();
    expect(one.shown("grid_power_kw")).toMatchObject({ value: null, quality: "missing", at: null });
    port = await server.start();
  });
});

describe("a device that sleeps", () => {
  const reads = `sleeps: true
readings:
  pv_power_kw: { holding: 100, unit: W, sleeps: true }
  soc_pct: { holding: 110, unit: "%" }`;

  it("gives no power at night, and is no fault", async () => {
    let isDark = false;
    const one = open({ reads, isDark: () => isDark });
    await one.poll();
    await server.stop();
    isDark = true;
    for (let poll = 0; poll < 4; poll++) await one.poll();
    expect(one.device.state).toBe("sleeping");
    expect(one.shown("pv_power_kw")).toMatchObject({ value: 0, quality: "derived" });
    expect(one.shown("soc_pct")).toMatchObject({ value: 41, quality: "held" });
    isDark = false;
    await one.poll();
    expect(one.device.state).toBe("unreachable");
    port = await server.start();
  });
});

describe("another device at the address", () => {
  const reads = `${READS}
identity:
  model: { holding: 200, words: 2, type: string }
  serial: { holding: 210, type: u32, nan: none }`;
  const withSerial = (serial: number) =>
    answerWith((address) => (address === 211 ? serial : address === 210 ? 0 : house(address)));

  it("is noticed before one of its values counts, and the own device when it is back", async () => {
    server.handler = withSerial(4711);
    const one = open({ reads });
    await one.poll();
    expect(one.device.identity.serial).toBe("4711");
    for (const socket of server.sockets) socket.destroy();
    server.handler = withSerial(815);
    for (let poll = 0; poll < 5; poll++) {
      await one.poll();
      expect([...one.taken]).toEqual([]);
    }
    expect(one.device.state).toBe("misconfigured");
    expect(one.device.reason).toMatch(/another device \(.*serial number 815 instead of 4711\).*Find devices/);
    expect(one.device.lastError?.code).toBe("wrong_device");
    expect([one.shown("grid_power_kw").value, one.device.identity.serial]).toEqual([null, "4711"]);
    for (const socket of server.sockets) socket.destroy();
    server.handler = withSerial(4711);
    await one.poll();
    await one.poll();
    expect([one.device.state, one.value("grid_power_kw")]).toEqual(["ok", 1.5]);
  });

  it("is noticed at the first reading where the serial number is known", async () => {
    server.handler = withSerial(815);
    const one = open({ reads, serial: "4711" });
    await one.poll();
    expect([one.taken.size, one.device.state]).toEqual([0, "misconfigured"]);
  });
});

describe("a meter that repeats its digits", () => {
  const reads = `readings:
  grid_power_kw: { holding: 100, unit: W }
  pv_power_kw: { holding: 110, unit: W }`;
  let pvW = 0;
  let gridW = 1500;
  const served = answerWith((address) => ({ 100: gridW, 110: pvW })[address] ?? 7);

  it("is not believed while other powers move, and is again when it changes", async () => {
    server.handler = served;
    const one = open({ reads });
    for (let poll = 0; poll < 40; poll++) {
      pvW += 13;
      await one.poll();
    }
    expect(one.shown("grid_power_kw")).toMatchObject({ value: null, quality: "missing", raw: 1500 });
    expect(one.taken.has("grid_power_kw")).toBe(false);
    expect(one.value("pv_power_kw")).toBe(pvW / 1000);
    expect([one.device.state, one.device.reason]).toEqual([
      "degraded",
      expect.stringMatching(/^grid_power_kw has not changed by a digit for \d+ min.*restart/),
    ]);
    gridW = 1501;
    await one.poll();
    expect([one.value("grid_power_kw"), one.device.state]).toEqual([1.501, "ok"]);
  });

  it.each([
    ["nothing else moves", () => 1500, () => 900],
    ["it is 0", () => 0, (poll: number) => poll],
    ["only the grid moves", (poll: number) => poll, () => 900],
  ])("is believed where %s", async (_, gridOf, pvOf) => {
    server.handler = served;
    const one = open({ reads });
    for (let poll = 1; poll <= 60; poll++) {
      [gridW, pvW] = [gridOf(poll), pvOf(poll)];
      await one.poll();
    }
    expect([one.value("grid_power_kw"), one.value("pv_power_kw")]).toEqual([gridW / 1000, pvW / 1000]);
    expect(one.device.state).toBe("ok");
  });
});
