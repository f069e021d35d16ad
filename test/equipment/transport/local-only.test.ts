import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { silentLog } from "../../../src/core/log.js";
import { ForeignConnection } from "../../../src/edges/mqtt/client/device-channel.js";
import { DeviceCommands } from "../../../src/equipment/device-commands.js";
import { parametersOf } from "../../../src/equipment/parameters.js";
import { TemplateLibrary } from "../../../src/equipment/template-library.js";
import { Addresses } from "../../../src/equipment/transport/addresses.js";
import { createTransport } from "../../../src/equipment/transport/create.js";
import type { Transport } from "../../../src/equipment/transport/transport.js";

const library = TemplateLibrary.open();
const PUBLIC = "203.0.113.7";
/** How often the last transport has asked for the addresses of a name. */
let asked = 0;

async function listening(server: Server): Promise<{ port: number; connections: () => number }> {
  let connections = 0;
  server.on("connection", () => connections++);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, connections: () => connections };
}

/** The transport of a device whose host name has these addresses, one after the other. */
async function transport(
  id: string,
  given: Record<string, unknown>,
  addresses: string[],
): Promise<Transport> {
  const template = (await library).get(id)!;
  const { transport, values } = parametersOf(template, given);
  const parameters = { ...values, plant: "home", actuator: "one" };
  const device = new DeviceCommands({ template, transport, control: "slot", parameters });
  asked = 0;
  return createTransport(
    {
      settings: { allow_public: false, tenant_templates: [], tenant_hosts: [] },
      isUnrestricted: () => true,
      channel: {
        isConnected: false,
        publish: async () => {},
        subscribe: () => () => {},
        onConnection: () => () => {},
      },
      addresses: new Addresses(),
      connect: (broker, lookup) => new ForeignConnection({ ...broker, lookup, log: silentLog }),
      resolve: async () => [{ address: addresses[asked++ % addresses.length]!, family: 4 }],
    },
    { siteId: "home", device },
  );
}

const signal = new AbortController().signal;
const urls = (url: string) => ({ urls: { on: url } });

describe("a device in the home over HTTP", () => {
  const send = (one: Transport, url: string) => one.send({ url, method: "GET", pauseMs: 0 }, signal);

  it("is checked at each connection: a name that changes its address gets nothing", async () => {
    const { port, connections } = await listening(createHttpServer((_req, res) => void res.end("{}")));
    const url = `http://localhost:${port}/on`;
    const one = await transport("http", urls(url), ["127.0.0.1", PUBLIC]);
    await send(one, url);
    expect(connections()).toBe(1);
    await expect(send(one, url)).rejects.toThrow("is not in the local network");
    expect(connections()).toBe(1);
  });

  it("says in the words of the device why it refuses", async () => {
    const answers = ['{"message": "Action script.car not found."}', "<html>400</html>", "{"];
    const { port } = await listening(
      createHttpServer((_req, res) => void res.writeHead(400).end(answers.shift())),
    );
    const url = `http://127.0.0.1:${port}/on`;
    const one = await transport("http", urls(url), []);
    await expect(send(one, url)).rejects.toThrow(/answered 400: Action script\.car not found\.$/);
    for (let plain = 0; plain < 2; plain++) await expect(send(one, url)).rejects.toThrow(/answered 400$/);
  });

  it("cannot redirect to another address", async () => {
    const elsewhere = await listening(createHttpServer((_req, res) => void res.end("{}")));
    const { port } = await listening(
      createHttpServer((_req, res) => {
        res.writeHead(302, { Location: `http://127.0.0.1:${elsewhere.port}/` }).end();
      }),
    );
    const url = `http://127.0.0.1:${port}/on`;
    await expect(send(await transport("http", urls(url), []), url)).rejects.toThrow("answered 302");
    expect(elsewhere.connections()).toBe(0);
  });

  it("does not wait for one that answers with another protocol", async () => {
    const upgrade = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n";
    const { port } = await listening(
      createServer((socket) => {
        socket.on("error", () => {});
        socket.once("data", () => socket.write(upgrade));
      }),
    );
    const url = `http://127.0.0.1:${port}/on`;
    await expect(send(await transport("http", urls(url), []), url)).rejects.toThrow("without an answer");
  });

  it.each([
    "http://8.8.8.8/",
    "http://134744072/",
    "http://[::ffff:8.8.8.8]/",
    "http://0.0.0.0/",
    "http://224.0.0.1/",
  ])("is not %s", async (url) => {
    await expect(send(await transport("http", urls(url), []), url)).rejects.toThrow(
      "is not in the local network",
    );
  });
});

describe.each(["mqtt", "mqtts", "ws"])("a broker of a device over %s", (protocol) => {
  it("is not connected to when its name has an address outside of the home", async () => {
    const { port, connections } = await listening(createServer((socket) => void socket.destroy()));
    const given = { topic: "a", payloads: { on: "ON" }, broker: `${protocol}://localhost:${port}` };
    const inHome = await transport("mqtt", given, ["127.0.0.1"]);
    await expect.poll(connections).toBeGreaterThan(0);
    await inHome.stop();
    const before = connections();
    const outside = await transport("mqtt", given, [PUBLIC]);
    await expect.poll(() => asked).toBeGreaterThan(0);
    await new Promise((resolve) => setImmediate(resolve));
    expect(connections()).toBe(before);
    await outside.stop();
  });
});
