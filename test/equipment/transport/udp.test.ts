import { createSocket } from "node:dgram";
import { once } from "node:events";
import { expect, it, onTestFinished } from "vitest";
import { Addresses } from "../../../src/equipment/transport/addresses.js";
import { DatagramLink } from "../../../src/equipment/transport/modbus-link.js";
import { askUdp } from "../../../src/equipment/transport/udp-text.js";
import { rig } from "../reading/rig.js";

const REPORT_2 = '{"ID": "2", "State": 3, "Plug": 7}';
const REPORT_3 = '{"ID": "3", "P": 10980000, "E total": 12398000}';

it.each([
  ["a change that nobody asked for", ['{"Plug": 5}', REPORT_3]],
  ["a late answer to another report", [REPORT_2, REPORT_3]],
])("does not take %s for the answer", async (_, messages) => {
  const device = createSocket("udp4").bind(0, "127.0.0.1");
  await once(device, "listening");
  onTestFinished(() => void device.close());
  device.on("message", (_request, { port, address }) => {
    for (const message of messages) device.send(message, port, address);
  });
  const asked = { host: "127.0.0.1", port: device.address().port, localPort: 0, timeoutMs: 1_000 };
  expect(await askUdp({ ...asked, text: "report 3" })).toBe(REPORT_3);
});

it("reads two devices that answer to the same fixed port", async () => {
  const free = createSocket("udp4").bind(0, "127.0.0.1");
  await once(free, "listening");
  const localPort = free.address().port;
  await new Promise<void>((resolve) => free.close(() => resolve()));
  const addresses = new Addresses({ pausesMs: [0] });
  const open = async (host: string, mW: number) => {
    const device = createSocket("udp4").bind(0, host);
    await once(device, "listening");
    device.on("message", () => device.send(`{"ID": "3", "P": ${mW}}`, localPort, "127.0.0.1"));
    const one = rig({
      reads: 'readings:\n  power_kw: { send: "report 3", pointer: /P, unit: mW }',
      transport: `udp: { udp: { host: ${host}, port: ${device.address().port}, local_port: ${localPort} } }`,
      with: {},
      host,
      port: 0,
      addresses,
    });
    onTestFinished(async () => {
      await one.device.stop();
      device.close();
    });
    return one;
  };
  const all = [await open("127.0.0.1", 3_680_000), await open("127.0.0.2", 11_040_000)];
  await Promise.all(all.map((one) => one.poll()));
  expect(all.map((one) => one.value("power_kw"))).toEqual([3.68, 11.04]);
});

it("rejects a Modbus datagram that is none, however long", async () => {
  const device = createSocket("udp4").bind(0, "127.0.0.1");
  await once(device, "listening");
  onTestFinished(() => void device.close());
  device.on("message", (_request, { port, address }) => device.send(Buffer.alloc(700, 1), port, address));
  const link = new DatagramLink({ host: "127.0.0.1", port: device.address().port, family: 4 });
  await expect(link.request(1, Buffer.from([3, 0, 0, 0, 1]), 1_000)).rejects.toThrow("not Modbus");
});
