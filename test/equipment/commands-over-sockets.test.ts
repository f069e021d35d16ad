import { afterEach, describe, expect, it } from "vitest";
import { silentLog } from "../../src/core/log.js";
import { Actuator } from "../../src/equipment/actuator.js";
import { emptyLedger } from "../../src/equipment/ledger.js";
import type { ActuatorState } from "../../src/equipment/states.js";
import { Addresses } from "../../src/equipment/transport/addresses.js";
import { createTransport } from "../../src/equipment/transport/create.js";
import { wantedState } from "../../src/equipment/wanted.js";
import { manualClock } from "../support/manual-clock.js";
import { commandsOf } from "./commanded-rig.js";
import { openSources } from "./reading/rig.js";
import { CommandedDevice } from "./simulated/commanded-device.js";
import { GEN24 } from "./simulated/commanded-sunspec.js";
import { ModbusServer } from "./simulated/modbus-server.js";

const running: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of running.splice(0).reverse()) await one.stop();
});

/** A GEN24 behind a real socket, and an actuator on the connection that its readings use, too. */
async function open() {
  const simulated = new CommandedDevice(GEN24);
  const server = await new ModbusServer((id) => (id === 1 ? simulated.unit() : undefined)).start();
  running.push(server);
  const addresses = new Addresses({ pausesMs: [0] });
  const { device } = await commandsOf({ ...GEN24, with: { port: server.port } });
  const clock = manualClock(new Date("2026-01-15T08:00:00Z"));
  const transport = createTransport(openSources(addresses), { siteId: "home", device });
  let wanted: ActuatorState = "free";
  const actuator = new Actuator({
    device,
    transport,
    clock,
    pace: { ...device.pace(), minDwellMs: 0 },
    externalMs: 60_000,
    enabled: true,
    dryRun: false,
    ledger: emptyLedger(),
    save: async () => {},
    wanted: () => wantedState(wanted, { powerKw: 3 }),
    live: () => ({}),
    day: () => ({ day: "2026-01-15", leftMs: 3_600_000 }),
    onChange: () => {},
    random: () => 0.5,
    log: silentLog,
  });
  await actuator.start();
  const until = async (check: () => boolean) => {
    for (let turn = 0; !check(); turn++) {
      if (turn > 400) throw new Error(`The actuator is ${actuator.status().phase}.`);
      await new Promise((resolve) => setTimeout(resolve, 5));
      await clock.advance(200);
    }
  };
  running.push({ stop: () => actuator.stop() });
  return {
    simulated,
    server,
    actuator,
    addresses,
    until,
    want: (state: ActuatorState) => {
      wanted = state;
      actuator.update();
    },
  };
}

describe("commands over a real connection", () => {
  it("charge the battery, on one connection, and restore what was found within two seconds of a slow device", async () => {
    const { simulated, server, actuator, until, want } = await open();
    const before = simulated.registers();
    want("charge");
    await until(() => actuator.status().phase === "confirmed");
    expect(simulated.batteryW).toBe(3_000);
    expect(server.connections).toBe(1);
    server.faults.lateMs = 60;
    const beganMs = performance.now();
    await actuator.stop();
    expect(performance.now() - beganMs).toBeLessThan(2_000);
    expect(simulated.registers()).toEqual(before);
  });

  it("go before the readings that wait", async () => {
    const { server, actuator, addresses, until, want } = await open();
    const { connection, release } = addresses.modbus({
      host: "127.0.0.1",
      port: server.port,
      udpPort: 0,
      framings: ["tcp"],
      connectDelayMs: 0,
      pauseMs: 0,
      timeoutMs: 2_000,
      serial: { baud: 9_600, parity: "none" },
      lookup: (_host, _options, callback) => callback(null, "127.0.0.1", 4),
    });
    await until(() => actuator.status().phase === "idle");
    server.faults.lateMs = 20;
    const done: string[] = [];
    const readings = Array.from({ length: 12 }, () =>
      connection.read(1, 3, 40_070, 2).then(() => done.push("reading")),
    );
    const command = connection.write(1, 16, 40_355, [9_000]).then(() => done.push("command"));
    await Promise.all([...readings, command]);
    expect(done.indexOf("command")).toBeLessThanOrEqual(1);
    release();
    want("free");
  });

  it("are known to have failed while the device is away, and reach it when it is back", async () => {
    const { simulated, server, actuator, until, want } = await open();
    await until(() => actuator.status().phase === "idle");
    await server.stop();
    want("hold");
    await until(() => actuator.status().lastError?.fault === "unreachable");
    await server.start();
    await until(() => actuator.status().phase === "confirmed");
    expect(simulated.batteryW).toBe(0);
    await server.stop();
    await until(() => actuator.status().phase === "offline");
    await server.start();
    await until(() => actuator.status().phase === "confirmed");
  });
});
