import { createSocket } from "node:dgram";
import { once } from "node:events";
import { type Family, only, wallbox } from "./family.js";
import type { Home } from "./home.js";

/** A KEBA P30 that answers reports on UDP. */
const keba: Family = {
  template: "keba",
  title: "UDP",
  expected: wallbox,
  start: async (home) => {
    const socket = createSocket("udp4");
    socket.on("message", (text, { port, address }) => {
      const answer = kebaReport(text.toString().trim(), home());
      if (answer) socket.send(JSON.stringify(answer), port, address);
    });
    socket.bind(0, "127.0.0.1");
    await once(socket, "listening");
    return {
      with: { transport: "udp", host: "127.0.0.1", port: socket.address().port },
      stop: async () => void socket.close(),
    };
  },
};

function kebaReport(text: string, { carW, carWh }: Home): object | undefined {
  switch (text) {
    case "report 1":
      return {
        ID: "1",
        Product: "KC-P30-EC240422-E0R",
        Serial: "18651234",
        Firmware: "P30 v 3.10.57 (240521-093236)",
        "COM-module": 0,
        Backend: 0,
      };
    case "report 2":
      return {
        ID: "2",
        State: carW ? 3 : 2,
        Plug: carW === null ? 3 : 7,
        "Enable sys": 1,
        "Enable user": 1,
        "Max curr": 32_000,
        "Curr user": 16_000,
        Serial: "18651234",
      };
    case "report 3":
      return {
        ID: "3",
        U1: 231,
        P: (carW ?? 0) * 1000,
        PF: 990,
        "E pres": 53_000,
        "E total": carWh * 10,
        Serial: "18651234",
      };
    default:
      return undefined;
  }
}

const GROUP_PORT_EVERY_MS = 100;

/** An SMA Energy Meter. Its datagrams come to an address instead of the group, as a Home Manager set to unicast sends them. */
function energyMeter(title: string, expected: Family["expected"], serial: number): Family {
  return {
    template: "sma-energy-meter",
    title,
    expected,
    start: async (home) => {
      const port = await freePort();
      const socket = createSocket("udp4");
      socket.bind(0, "127.0.0.1");
      await once(socket, "listening");
      const timer = setInterval(() => {
        // Another meter in the same network sends, too.
        socket.send(speedwireDatagram({ ...home(), gridW: 77_777 }, 1_900_000_001), port, "127.0.0.1");
        socket.send(speedwireDatagram(home(), serial), port, "127.0.0.1");
      }, GROUP_PORT_EVERY_MS);
      return {
        with: { serial: String(serial), port },
        stop: async () => {
          clearInterval(timer);
          socket.close();
        },
      };
    },
  };
}

async function freePort(): Promise<number> {
  const socket = createSocket("udp4");
  socket.bind(0);
  await once(socket, "listening");
  const { port } = socket.address();
  socket.close();
  await once(socket, "close");
  return port;
}

/** A datagram of an Energy Meter: power in 0.1 W, counters in Ws, import and export each for itself. */
export function speedwireDatagram({ gridW, importWh, exportWh }: Home, serial: number): Buffer {
  const values: Buffer[] = [];
  const add = (channel: number, watts: number, wattHours: number) => {
    const power = Buffer.alloc(8);
    power.set([0, channel, 4, 0]);
    power.writeUInt32BE(Math.round(watts * 10), 4);
    const counter = Buffer.alloc(12);
    counter.set([0, channel, 8, 0]);
    counter.writeBigUInt64BE(BigInt(Math.round(wattHours * 3600)), 4);
    values.push(power, counter);
  };
  add(1, Math.max(0, gridW), importWh);
  add(2, Math.max(0, -gridW), exportWh);
  // Reactive power, then the phases: each phase imports or exports for itself.
  add(3, 120, 5_000);
  add(4, 0, 6_000);
  const frequency = Buffer.alloc(8);
  frequency.set([0, 14, 4, 0]);
  frequency.writeUInt32BE(50_010, 4);
  values.push(frequency);
  for (const [index, part] of [0.5, 0.3, 0.2].entries()) {
    add(21 + index * 20, Math.max(0, gridW * part), importWh / 3);
    add(22 + index * 20, Math.max(0, -gridW * part), exportWh / 3);
    const voltage = Buffer.alloc(8);
    voltage.set([0, 32 + index * 20, 4, 0]);
    voltage.writeUInt32BE(231_200, 4);
    values.push(voltage);
  }
  const software = Buffer.from([144, 0, 0, 0, 1, 2, 3, 82]);
  const body = Buffer.concat([...values, software]);
  const head = Buffer.alloc(28);
  head.write("SMA\0", 0, "latin1");
  head.writeUInt16BE(4, 4);
  head.writeUInt16BE(0x02a0, 6);
  head.writeUInt32BE(1, 8);
  // From the protocol id on: id, device, serial number, time.
  head.writeUInt16BE(body.length + 12, 12);
  head.writeUInt16BE(0x0010, 14);
  head.writeUInt16BE(0x6069, 16);
  head.writeUInt16BE(270, 18);
  head.writeUInt32BE(serial, 20);
  head.writeUInt32BE(123_456_789, 24);
  return Buffer.concat([head, body, Buffer.alloc(4)]);
}

export const UDP_FAMILIES: readonly Family[] = [
  keba,
  energyMeter("one of two meters", only(["grid_power_kw", "import_kwh", "export_kwh"]), 1_900_222_333),
];
