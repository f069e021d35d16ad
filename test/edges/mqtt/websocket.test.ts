import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { WebSocketListener } from "../../../src/edges/mqtt/broker/websocket.js";
import { eventually } from "../../support/eventually.js";
import { Device as Client, KEYS, withGateway } from "./harness.js";

/** Whether a browser page could open the WebSocket. */
function opens(port: number, headers: Record<string, string>): Promise<boolean> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/`, "mqtt", { headers });
  return new Promise((resolve) => {
    socket.on("open", () => resolve(true));
    socket.on("error", () => resolve(false));
  }).finally(() => socket.terminate()) as Promise<boolean>;
}

describe("MQTT over WebSocket", () => {
  it("without sign-in is closed to pages of other hosts and to other names of the gateway", () =>
    withGateway(
      async ({ service }) => {
        const port = service.ports.ws!;
        expect(await opens(port, {})).toBe(true);
        expect(await opens(port, { origin: "http://127.0.0.1:8080" })).toBe(true);
        expect(await opens(port, { host: "gateway.lan", origin: "https://gateway.lan" })).toBe(true);
        expect(await opens(port, { origin: "https://evil.example" })).toBe(false);
        expect(await opens(port, { origin: "null" })).toBe(false);
        // A foreign name that resolves to the address of the gateway.
        expect(await opens(port, { host: "evil.example", origin: "http://evil.example" })).toBe(false);
      },
      { ws_port: 0, anonymous: true },
    ));

  it("serves the same broker with the same rights", () =>
    withGateway(
      async ({ service, stored }) => {
        const browser = await new Client(service.ports.ws!, KEYS.home, {
          protocol: "ws",
          path: "/mqtt",
        }).connected();
        expect(await browser.subscribe("hourgate/home/#")).toBe(1);
        expect(await browser.subscribe("hourgate/#")).toBe(128);
        await browser.until(() => browser.last("hourgate/home/forecast") !== undefined);
        await browser.publish("hourgate/home/telemetry/soc_pct", "55");
        await browser.until(() => browser.acks().length === 1);
        expect(browser.acks()[0]?.ok).toBe(true);
        await browser.publish("hourgate/home/telemetry", Buffer.alloc(300_000, "x"));
        await browser.until(() => browser.acks().length === 2);
        expect([browser.acks()[1]?.error, stored.length, browser.closes]).toEqual([
          "The payload has more than 256 KiB; send smaller batches.",
          1,
          0,
        ]);
        const refused = new Client(service.ports.ws!, "wrong", { protocol: "ws" });
        await refused.until(() => refused.closes > 0);
        expect(refused.connects).toBe(0);
        const plain = await fetch(`http://127.0.0.1:${service.ports.ws}/`);
        expect(plain.status).toBe(426);
        await refused.end();
        await browser.end();
      },
      { ws_port: 0 },
    ));

  it("closes the connection with the largest unfinished frame when unfinished frames exceed their budget", async () => {
    let received = 0;
    const listener = new WebSocketListener({
      host: "127.0.0.1",
      port: 0,
      key: "ws_port",
      accepts: () => true,
      onSocket: () => {},
      onConnection: (stream) =>
        stream
          .on("error", () => {})
          .on("data", (chunk: Buffer) => {
            received += chunk.length;
          }),
    });
    await listener.start();
    const connect = async () => {
      const socket = new WebSocket(`ws://127.0.0.1:${listener.port}/`, "mqtt").on("error", () => {});
      await once(socket, "open");
      return socket;
    };
    const device = await connect();
    // 36 MB; 33.5 MB are kept.
    const begun = await Promise.all(Array.from({ length: 9 }, connect));
    const closed = Promise.any(begun.map((socket) => once(socket, "close")));
    for (const socket of begun) socket.send(Buffer.alloc(4_000_000), { fin: false });
    await closed;
    device.send("a packet");
    await eventually(() => expect(received).toBe(8));
    expect(begun.filter(({ readyState }) => readyState === WebSocket.OPEN)).toHaveLength(8);
    await listener.stop();
  });
});
