import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { generate } from "mqtt-packet";
import { expect, it, onTestFinished } from "vitest";
import { silentLog } from "../../../src/core/log.js";
import { ForeignConnection } from "../../../src/edges/mqtt/client/device-channel.js";
import { MqttTransport } from "../../../src/equipment/transport/mqtt.js";

/** A broker that accepts everything, and what it then sends. */
async function broker(send: (socket: Socket) => void) {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
    socket.once("data", () => {
      socket.write(generate({ cmd: "connack", returnCode: 0, sessionPresent: false }));
      send(socket);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { url: `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets };
}

const publish = (topic: string, payload: string) =>
  generate({ cmd: "publish", topic, payload, qos: 0, dup: false, retain: false });

function connected(url: string) {
  const lines: string[] = [];
  const log = { ...silentLog, warn: (_fields: object, text: string) => void lines.push(text) };
  const connection = new ForeignConnection({ url, username: "", password: "", will: undefined, log });
  onTestFinished(() => connection.close());
  return { connection, lines };
}

it("ends a connection to another broker that begins a packet of more than 256 kB", async () => {
  // The length of a publish of 200 MB, and a megabyte of it.
  const { url, sockets } = await broker((socket) =>
    socket.write(Buffer.concat([Buffer.from([0x30, 0x80, 0x84, 0xaf, 0x5f]), Buffer.alloc(1024 * 1024)])),
  );
  const { lines } = connected(url);
  await expect.poll(() => sockets.length, { timeout: 20_000 }).toBeGreaterThan(2);
  expect(sockets[0]?.destroyed).toBe(true);
  await expect.poll(() => lines.join(" "), { timeout: 20_000 }).toContain("sent a packet of 200000000 bytes");
  expect(lines).toHaveLength(1);
});

it("ends a connection to another broker that sends more than 5000 packets in a second", async () => {
  const { url, sockets } = await broker((socket) =>
    socket.write(publish("a", "1").toString("latin1").repeat(100_000), "latin1"),
  );
  const { connection, lines } = connected(url);
  connection.subscribe(["a"], () => {});
  await expect.poll(() => sockets.length, { timeout: 20_000 }).toBeGreaterThan(1);
  expect(lines.join(" ")).toContain("sent more than 5000 packets in a second");
});

it("remembers the messages of a bounded number of topics, and of bounded length", async () => {
  let send = (_topic: string, _payload: string, _retained: boolean) => {};
  const transport = new MqttTransport(
    {
      isConnected: true,
      publish: async () => {},
      subscribe: (_filters, onMessage) => {
        send = onMessage;
        return () => {};
      },
      onConnection: () => () => {},
      close: async () => {},
    },
    ["a/+"],
  );
  await transport.start();
  const source = { topic: "a/+", ignore: [], retained: true };
  for (let topic = 0; topic < 2000; topic++) send(`a/${topic}`, "1", false);
  expect(transport.values(source).size).toBe(1000);
  for (let topic = 0; topic < 1000; topic++) send(`a/${topic}`, "1".repeat(60_000), false);
  const lengths = [...transport.values(source).values()].map(({ length }) => length);
  expect(lengths.reduce((sum, length) => sum + length)).toBeLessThanOrEqual(2 * 1024 * 1024);
  send("a/0", "2", false);
  expect(await transport.read({ ...source, topic: "a/0" }, 0, new AbortController().signal)).toMatchObject({
    value: "2",
  });
});
