import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { type Family, only } from "./family.js";
import type { Home } from "./home.js";

/** The objects of an RCT Power Storage DC, by the registry of python-rctclient and the templates of evcc and openWB. */
function objectsOf(home: Home): ReadonlyMap<number, Buffer> {
  const float = (value: number) => {
    const data = Buffer.alloc(4);
    data.writeFloatBE(value);
    return data;
  };
  const text = (value: string) => Buffer.concat([Buffer.from(value, "latin1")], 64);
  // Without sun the strings measure a little below zero; the battery is measured all the same.
  const pvW = home.pvW ?? -3;
  return new Map([
    [0x91617c58, float(home.gridW)],
    [0x62fbe7dc, float(home.importWh)],
    [0x44d4c533, float(-home.exportWh)],
    [0xb5317b78, float(pvW * 0.6)],
    [0xaa9aa253, float(pvW * 0.4)],
    [0x400f015b, float(home.batteryW === null ? Number.NaN : -home.batteryW)],
    [0x959930bf, float(home.socPct === null ? Number.NaN : home.socPct / 100)],
    [0xebc62737, text("PS 10.0 9KPL")],
    [0x7924abd9, text("0123B45C6789")],
  ]);
}

/** A frame of the device: start, escaped body and checksum. */
function frame(id: number, data: Buffer): Buffer {
  const body = Buffer.alloc(6);
  body[0] = 5;
  body[1] = 4 + data.length;
  body.writeUInt32BE(id, 2);
  const all = Buffer.concat([body, data]);
  let crc = 0xffff;
  for (const byte of all.length % 2 === 0 ? all : Buffer.concat([all, Buffer.alloc(1)])) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1)
      crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : (crc << 1) & 0xffff;
  }
  const bytes = [...all, crc >> 8, crc & 0xff];
  return Buffer.from([
    0x2b,
    ...bytes.flatMap((byte) => (byte === 0x2b || byte === 0x2d ? [0x2d, byte] : [byte])),
  ]);
}

/** The ids of the read requests in what a client sent; escapes removed. */
function idsIn(bytes: Buffer): number[] {
  const ids: number[] = [];
  for (const part of splitAtStarts(bytes)) {
    const plain = part.filter((byte, index) => !(byte === 0x2d && part[index - 1] !== 0x2d));
    if (plain[0] === 1 && plain.length >= 8) ids.push(Buffer.from(plain).readUInt32BE(2));
  }
  return ids;
}

function splitAtStarts(bytes: Buffer): number[][] {
  const parts: number[][] = [];
  for (const [index, byte] of bytes.entries()) {
    if (byte === 0x2b && bytes[index - 1] !== 0x2d) parts.push([]);
    else parts.at(-1)?.push(byte);
  }
  return parts;
}

/** An inverter that sends what another program has asked for, too, and its answers in two pieces. */
const rct: Family = {
  template: "rct",
  title: "Power Storage DC",
  expected: (home) => ({
    ...only(["grid_power_kw", "import_kwh", "export_kwh", "soc_pct", "battery_power_kw"])(home),
    pv_power_kw: (home.pvW ?? 0) / 1000,
  }),
  start: async (home) => {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => sockets.delete(socket));
      socket.on("data", (bytes) => {
        for (const id of idsIn(bytes)) {
          const data = objectsOf(home()).get(id);
          if (data === undefined) continue;
          const foreign = frame(0x1ac87aa0, Buffer.from([0x43, 0x2b, 0x2d, 0x2b]));
          const own = frame(id, data);
          socket.write(Buffer.concat([foreign, own.subarray(0, 3)]));
          setImmediate(() => socket.write(own.subarray(3)));
        }
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return {
      with: { host: "127.0.0.1", port: (server.address() as AddressInfo).port },
      stop: async () => {
        for (const socket of sockets) socket.destroy();
        await new Promise((resolve) => server.close(resolve));
      },
    };
  },
};

export const RCT_FAMILIES: readonly Family[] = [rct];
