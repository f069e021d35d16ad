import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { Aedes } from "aedes";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Addresses } from "../../../src/equipment/transport/addresses.js";
import { Backoff } from "../../../src/equipment/transport/backoff.js";
import type { ReadingLimits } from "../../../src/telemetry/reading-limits.js";
import { eventually } from "../../support/eventually.js";
import { manualClock } from "../../support/manual-clock.js";
import { crc16 } from "../simulated/modbus-server.js";
import { answerWith, RawModbus } from "./raw-modbus.js";
import { type RigOptions, rig } from "./rig.js";

const READS = `readings:
  grid_power_kw: { holding: 100, type: i16, unit: W, sign: "+import" }
  soc_pct: { holding: 110, unit: "%" }`;
const house = (address: number) => ({ 100: 1500, 110: 41 })[address] ?? 7;

const server = new RawModbus();
let port: number;
let ends: (() => unknown)[] = [];
const open = (options: Partial<RigOptions> = {}) => {
  const one = rig({ reads: READS, host: "127.0.0.1", port, ...options });
  ends.push(() => one.device.stop());
  return one;
};

beforeEach(async () => {
  port = await server.start();
  server.handler = answerWith(house);
});
afterEach(async () => {
  await Promise.all(ends.map((end) => end()));
  ends = [];
  await server.stop();
  Object.assign(server, { connections: 0, requests: 0, mostAtOnce: 0, onConnection: undefined });
});

describe("a device with one connection", () => {
  it("that closes the older one: both programs read on, and the gateway says that it is not alone", async () => {
    server.onConnection = () => {
      for (const other of [...server.sockets].slice(0, -1)) other.destroy();
    };
    const [one, other] = [open(), open({ addresses: new Addresses({ pausesMs: [0] }) })];
    for (let poll = 0; poll < 12; poll++) {
      await one.poll();
      await other.poll();
      await wait(2);
    }
    expect([one.value("soc_pct"), other.value("soc_pct")]).toEqual([41, 41]);
    expect(one.device.notes).toEqual([expect.stringMatching(/closed the connection \d+ times.*only one/)]);
    expect(open().device.notes).toEqual([]);
  });

  it("that closes the newer one: the second program says why it gets nothing", async () => {
    server.onConnection = (socket) => server.sockets.size > 1 && socket.destroy();
    const [one, other] = [open(), open({ addresses: new Addresses({ pausesMs: [0] }) })];
    for (let poll = 0; poll < 3; poll++) {
      await one.poll();
      await other.poll();
    }
    expect([one.value("soc_pct"), other.value("soc_pct")]).toEqual([41, "missing"]);
    expect(other.device.reason).toMatch(/does another program hold it/);
  });

  it("that takes it, but does not answer: the sentence names unit and other programs", async () => {
    server.handler = () => {};
    const one = open();
    for (let poll = 0; poll < 3; poll++) await one.poll();
    expect(one.device.reason).toMatch(/although it is connected \(is the unit right\? does another program/);
  });
});

describe("a connection that breaks", () => {
  it("is replaced after a time-out when the device has restarted without closing it", async () => {
    const one = open();
    await one.poll();
    const stale = [...server.sockets];
    server.handler = (request) => stale.includes(request.socket) || answerWith(house)(request);
    await one.poll();
    await one.poll();
    expect([one.value("soc_pct"), server.connections]).toEqual([41, 2]);
  });

  it("leaves no socket behind, however often", async () => {
    const one = open();
    for (let poll = 0; poll < 10; poll++) {
      await one.poll();
      expect(one.value("soc_pct")).toBe(41);
      for (const socket of server.sockets) socket.resetAndDestroy();
    }
    expect([server.connections >= 5, server.mostAtOnce]).toEqual([true, 1]);
  });

  it("is given the time that a device needs after connecting", async () => {
    const openedAt = new Map<Socket, number>();
    server.onConnection = (socket) => openedAt.set(socket, performance.now());
    server.handler = (request) =>
      performance.now() - openedAt.get(request.socket)! > 100 && answerWith(house)(request);
    const one = open({ modbus: "connect_delay_ms: 150" });
    await one.poll();
    expect(one.value("soc_pct")).toBe(41);
  });
});

it("loses only what was in an answer that got lost", async () => {
  server.handler = (request) => request.address === 300 || answerWith(() => 41)(request);
  const one = open({
    reads: `readings:
  grid_power_kw: { holding: 100, unit: W }
  pv_power_kw: { holding: 300, unit: W }
  soc_pct: { holding: 500, unit: "%" }`,
  });
  await one.poll();
  expect([one.value("grid_power_kw"), one.value("pv_power_kw"), one.value("soc_pct")]).toEqual([
    0.041,
    "missing",
    41,
  ]);
});

describe("a device that is gone", () => {
  const DEVICE = `
    const { createServer } = require("node:net");
    createServer((socket) => socket.on("error", () => {}).on("data", (frame) => {
      const count = frame.readUInt16BE(10);
      const head = Buffer.from([frame[0], frame[1], 0, 0, 0, 3 + count * 2, frame[6], frame[7], count * 2]);
      socket.write(Buffer.concat([head, Buffer.alloc(count * 2, Buffer.from([0, 41]))]));
    })).listen(+process.argv[1], "127.0.0.1", function () { console.log(this.address().port); });`;

  async function start(at: number): Promise<{ child: ChildProcess; port: number }> {
    const child = spawn(process.execPath, ["-e", DEVICE, String(at)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    ends.push(() => child.kill("SIGKILL"));
    const [line] = await once(child.stdout!, "data");
    return { child, port: Number(String(line)) };
  }

  it("is said after kill -9 of it, and read at once when it is back", async () => {
    const first = await start(0);
    const one = open({ port: first.port });
    await one.poll();
    expect(one.value("soc_pct")).toBe(41);
    first.child.kill("SIGKILL");
    await once(first.child, "exit");
    // An hour of polls.
    for (let poll = 0; poll < 360; poll++) await one.poll();
    expect([one.device.state, one.shown("soc_pct").quality]).toEqual(["unreachable", "missing"]);
    await start(first.port);
    await one.poll();
    expect([one.device.state, one.value("soc_pct"), one.device.lastError?.code]).toEqual([
      "ok",
      41,
      "unreachable",
    ]);
  });

  it("for an hour is asked some fifteen times, and within five minutes once it is back", () => {
    let nowMs = 0;
    const backoff = new Backoff(() => nowMs);
    const attempts = [];
    for (; nowMs < 3_600_000; nowMs += 10_000) {
      if (backoff.leftMs > 0) continue;
      attempts.push(nowMs / 1000);
      backoff.fail();
    }
    expect(attempts.slice(0, 6)).toEqual([0, 10, 20, 40, 80, 160]);
    expect(attempts.length).toBeLessThan(20);
    expect(backoff.leftMs).toBeLessThanOrEqual(300_000);
    backoff.succeed();
    expect(backoff.leftMs).toBe(0);
  });
});

describe("RTU frames over TCP", () => {
  it("are read after noise, and not with a wrong checksum", async () => {
    let isWrong = true;
    const adapter = createServer((socket) =>
      socket.on("data", (request) => {
        const count = request.readUInt16BE(4);
        const body = Buffer.concat([
          Buffer.from([request[0]!, request[1]!, count * 2]),
          Buffer.alloc(count * 2, Buffer.from([0, 41])),
        ]);
        const crc = Buffer.alloc(2);
        crc.writeUInt16LE(crc16(body) ^ (isWrong ? 1 : 0));
        const frame = Buffer.concat([Buffer.from([0x00, 0x01, 0x03, 0xff]), body, crc]);
        for (const byte of frame) socket.write(Buffer.from([byte]));
      }),
    );
    adapter.listen(0, "127.0.0.1");
    await once(adapter, "listening");
    ends.push(() => adapter.close());
    const one = open({ port: (adapter.address() as AddressInfo).port, modbus: "framing: [rtu]" });
    await one.poll();
    expect([one.value("soc_pct"), one.device.lastError?.code]).toEqual(["missing", "timeout"]);
    isWrong = false;
    await one.poll();
    expect(one.value("soc_pct")).toBe(41);
  });
});

describe("a counter", () => {
  const limits: ReadingLimits = { kind: "counter", mostKw: 30 };

  it.each([
    ["of the day begins anew", 0.4],
    ["of 16 bits begins anew at 6553.5 kWh", 0.1],
    ["was replaced with its device", 812],
  ])("that %s is not used before three readings agree, and never counts backwards", async (_, fresh) => {
    let kwh = 6553.4;
    server.handler = answerWith((address) =>
      address === 100 ? Math.floor((kwh * 10) / 65_536) : Math.round(kwh * 10) % 65_536,
    );
    const one = open({
      reads: "readings:\n  import_kwh: { holding: 100, type: u32, scale: 0.1, unit: kWh }",
      limits: () => limits,
    });
    const used: number[] = [];
    for (const value of [6553.4, fresh, fresh, fresh]) {
      kwh = value;
      await one.poll();
      used.push(...[...one.taken.values()].map((taken) => taken.value));
    }
    expect(used).toEqual([6553.4, fresh]);
    expect(one.device.counts.implausible).toBe(2);
  });
});

describe("answers over HTTP that are no values", () => {
  it.each([
    ["a page to sign in", "<html><body>Login</body></html>", "text/html"],
    ["an empty object", "{}", "application/json"],
    ["an error as text", '{"error":"not ready"}', "application/json"],
    ["half of it", '{"power": 15', "application/json"],
  ])("%s", async (_, answer, type) => {
    let text = '{"power": 1500}';
    const web = createHttpServer((_request, response) =>
      response.writeHead(200, { "content-type": type }).end(text),
    );
    web.listen(0, "127.0.0.1");
    await once(web, "listening");
    ends.push(() => web.close());
    const one = open({
      reads: `readings:\n  grid_power_kw: { url: "http://127.0.0.1:${(web.address() as AddressInfo).port}/", pointer: /power, unit: W }`,
      transport: "http: {}",
      with: {},
    });
    await one.poll();
    expect(one.value("grid_power_kw")).toBe(1.5);
    text = answer;
    for (let poll = 0; poll < 4; poll++) await one.poll();
    expect([one.value("grid_power_kw"), one.device.state]).toEqual(["missing", "degraded"]);
  });
});

it("reads a small HTTP device that takes one connection at a time", async () => {
  const sockets = new Set<Socket>();
  const web = createHttpServer((request, response) => response.end(request.url === "/a" ? "1500" : "41"));
  web.on("connection", (socket: Socket) => {
    if (sockets.size > 0) socket.destroy();
    else sockets.add(socket);
    // It sees late that a connection was closed.
    socket.on("close", () => setTimeout(() => sockets.delete(socket), 30));
  });
  web.listen(0, "127.0.0.1");
  await once(web, "listening");
  ends.push(() => web.close());
  const at = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
  const one = open({
    reads: `readings:\n  grid_power_kw: { url: "${at}/a", unit: W }\n  soc_pct: { url: "${at}/b", unit: "%" }`,
    transport: "http: {}",
    with: {},
  });
  await one.poll();
  expect([one.value("grid_power_kw"), one.value("soc_pct")]).toEqual([1.5, 41]);
});

it("does not take an old message of a broker for a value of now", async () => {
  const broker = await Aedes.createBroker();
  const listener = createServer(broker.handle);
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  ends.push(
    () => new Promise<void>((resolve) => broker.close(resolve)),
    () => listener.close(),
  );
  const url = `mqtt://127.0.0.1:${(listener.address() as AddressInfo).port}`;
  const one = open({
    reads: `readings:\n  grid_power_kw: { topic: meter/power, unit: W, max_age_s: 60 }`,
    with: {},
    transport: `mqtt: { broker: { url: "${url}" } }`,
  });
  const publish = (payload: string) =>
    new Promise<void>((resolve) =>
      broker.publish(
        { cmd: "publish", topic: "meter/power", payload, qos: 0, retain: true, dup: false },
        () => resolve(),
      ),
    );
  await publish("1500");
  await eventually(async () => {
    await one.device.read();
    expect(one.value("grid_power_kw")).toBe(1.5);
  });
  one.moveOn(61_000);
  await one.device.read();
  expect(one.value("grid_power_kw")).toBe("missing");
  await publish("nan");
  await publish("1600");
  await eventually(async () => {
    await one.device.read();
    expect(one.value("grid_power_kw")).toBe(1.6);
  });
});

it("is read on after the clock of the gateway was set forward or back", async () => {
  const clock = manualClock(new Date("2026-06-01T12:00:00Z"));
  const one = open({ clock });
  one.device.start();
  const readsIn = async (ms: number) => {
    const before = one.device.counts.reads;
    for (let passed = 0; passed < ms; passed += 10_000) {
      await clock.advance(10_000);
      await one.device.read();
    }
    return one.device.counts.reads - before;
  };
  await readsIn(30_000);
  for (const to of ["2026-06-01T14:00:00Z", "2026-05-01T09:00:00Z"]) {
    await clock.leap(new Date(to));
    expect(await readsIn(30_000)).toBeGreaterThanOrEqual(3);
    const { value, quality, at } = one.device.shown("soc_pct", clock.now());
    expect({ value, quality }).toEqual({ value: 41, quality: "good" });
    expect(at!.getTime()).toBeLessThanOrEqual(clock.now().getTime());
    expect(one.device.state).toBe("ok");
  }
});
