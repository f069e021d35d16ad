import { once } from "node:events";
import type { AddressInfo, Server } from "node:net";
import { ServerTCP } from "modbus-serial";
import { expect, it } from "vitest";
import { rig } from "./rig.js";

it("reads what another program's server gives, with both functions and from several units", async () => {
  const words = (unit: number, address: number, fc: number) => address * 10 + unit + fc * 1000;
  const server = new ServerTCP(
    {
      getHoldingRegister: (address: number, unit: number) => Promise.resolve(words(unit, address, 3)),
      getInputRegister: (address: number, unit: number) => Promise.resolve(words(unit, address, 4)),
    },
    { host: "127.0.0.1", port: 0, unitID: 255 },
  );
  await once(server, "initialized");
  // The library's type does not name its listening socket.
  const { port } = (Reflect.get(server, "_server") as Server).address() as AddressInfo;
  const one = rig({
    host: "127.0.0.1",
    port,
    reads: `readings:
  pv_power_kw: { holding: 20, unit: W }
  grid_power_kw: { input: 20, unit: W, unit_id: 200 }
  import_kwh: { holding: 21, type: u32, unit: Wh }`,
  });
  try {
    await one.poll();
    expect(one.device.lastError?.message).toBeUndefined();
    expect([one.value("pv_power_kw"), one.value("grid_power_kw")]).toEqual([3.201, 4.4]);
    expect(one.value("import_kwh")).toBe((3211 * 65_536 + 3221) / 1000);
  } finally {
    await one.device.stop();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }
});
