import { createSocket } from "node:dgram";
import { once } from "node:events";
import os from "node:os";
import { Bonjour } from "bonjour-service";
import { expect, it } from "vitest";
import { announced } from "../../../src/equipment/finding/network/services.js";
import { SPEEDWIRE, SpeedwireListener } from "../../../src/equipment/transport/speedwire.js";
import { eventually } from "../../support/eventually.js";
import { EVENING } from "../simulated/home.js";
import { speedwireDatagram } from "../simulated/udp-devices.js";

const hasNetwork = Object.values(os.networkInterfaces()).some((all) =>
  all?.some(({ family, internal }) => family === "IPv4" && !internal),
);

it.skipIf(!hasNetwork)("hears what devices announce over mDNS", async () => {
  const bonjour = new Bonjour();
  bonjour.publish({ name: "shellypro3em-0123456789ab", type: "shelly", port: 8181, txt: { gen: "2" } });
  const stop = new AbortController();
  try {
    const found = await announced([], 2_000, stop.signal);
    expect(found.map(({ port }) => port)).toContain(8181);
  } finally {
    await new Promise<void>((resolve) => bonjour.unpublishAll(() => resolve()));
    bonjour.destroy();
  }
});

it("hears the meters that send to the group, each by its serial number", async () => {
  const probe = createSocket("udp4").bind(0);
  await once(probe, "listening");
  const { port } = probe.address();
  probe.close();
  const listener = new SpeedwireListener({ now: () => 1_000, group: SPEEDWIRE.group, port });
  listener.start();
  const meter = createSocket({ type: "udp4", reuseAddr: true }).bind(0);
  await once(meter, "listening");
  meter.setMulticastInterface("127.0.0.1");
  meter.setMulticastLoopback(true);
  try {
    await eventually(() => {
      for (const serial of [1_900_222_333, 1_900_000_001])
        meter.send(speedwireDatagram(EVENING, serial), port, SPEEDWIRE.group);
      meter.send("not a meter", port, SPEEDWIRE.group);
      expect(listener.serials().sort()).toEqual(["1900000001", "1900222333"]);
    });
    expect(listener.telegram("1900222333")?.values.get("1.4.0")).toBe(EVENING.gridW);
    expect([listener.fault, listener.telegram("1900000001")?.atMs]).toEqual([undefined, 1_000]);
    // Serial numbers that somebody invents do not fill the memory, and displace no meter of the home.
    const wanted = "1900444555";
    expect(listener.telegram(wanted)).toBeUndefined();
    await eventually(() => {
      for (let serial = 1; serial <= 40; serial++)
        meter.send(speedwireDatagram(EVENING, serial), port, SPEEDWIRE.group);
      expect(listener.serials()).toHaveLength(32);
    });
    await eventually(() => {
      meter.send(speedwireDatagram(EVENING, Number(wanted)), port, SPEEDWIRE.group);
      expect(listener.telegram(wanted)).toBeDefined();
    });
  } finally {
    listener.stop();
    meter.close();
  }
});
