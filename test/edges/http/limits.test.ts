import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { silentLog } from "../../../src/core/log.js";
import { HostNames } from "../../../src/core/net/host-names.js";
import { createHttpServer } from "../../../src/edges/http/server.js";
import { fakeServices } from "../../api/fake-services.js";
import { eventually } from "../../support/eventually.js";
import { listening } from "../../support/listening.js";

/** A server with the given limits; requests with the header X-Known count as authenticated. */
async function serve(limits: { connections?: object; upgrades?: object } = {}) {
  const shared = listening();
  const server = createHttpServer({
    operations: [],
    services: fakeServices(),
    settings: { host: "127.0.0.1", port: 0 },
    ...shared,
    limits: {
      ...shared.limits,
      connections: { ...shared.limits.connections, ...limits.connections },
      upgrades: { ...shared.limits.upgrades, ...limits.upgrades },
    },
    isAuthenticated: (req) => req.headers["x-known"] !== undefined,
    log: silentLog,
  });
  server.onUpgrade("/live", (_req, socket) => socket.write("HTTP/1.1 101 Switching Protocols\r\n\r\n"));
  const { port } = await server.start();
  onTestFinished(() => server.stop());
  const open = async (text = ""): Promise<Socket & { received: string }> => {
    const socket = Object.assign(connect(port, "127.0.0.1"), { received: "" });
    onTestFinished(() => void socket.destroy());
    socket.on("error", () => {});
    socket.setEncoding("latin1").on("data", (chunk: string) => {
      socket.received += chunk;
    });
    await once(socket, "connect");
    if (text !== "") socket.write(text);
    return socket;
  };
  return { server, port, open };
}

const get = (headers = "") => `GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers}\r\n`;
const upgrade = (headers: string) =>
  `GET /live HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${headers}\r\n`;

describe("connections", () => {
  it("above the limit of an address replace the oldest idle one", async () => {
    const { server, open } = await serve({ connections: { per_address: 5 } });
    const idle: Socket[] = [];
    for (let count = 0; count < 5; count++) idle.push(await open());
    await eventually(() => expect(server.usage.connections).toBe(5));
    const next = await open(get());
    await eventually(() => expect(next.received).toMatch(/^HTTP\/1\.1 200 /));
    await eventually(() => expect(idle[0]!.destroyed).toBe(true));
    expect(idle.slice(1).every((socket) => !socket.destroyed)).toBe(true);
    expect(server.usage).toMatchObject({ connections: 5, refused: 1 });
  });

  it("of authenticated clients stay open when others use up the total", async () => {
    const { server, open } = await serve({ connections: { total: 6, reserve: 2 } });
    const known = await open(get("X-Known: 1\r\n"));
    await eventually(() => expect(known.received).toMatch(/^HTTP\/1\.1 200 /));
    for (let count = 0; count < 20; count++) await open();
    await eventually(() => expect(server.usage.refused).toBe(16));
    // One authenticated, and four others: the reserve of two stays free.
    expect(server.usage.connections).toBe(5);
    known.received = "";
    known.write(get());
    await eventually(() => expect(known.received).toMatch(/^HTTP\/1\.1 200 /));
  });

  it("that send their body slowly are replaced too", async () => {
    const { server, open } = await serve({ connections: { per_address: 3 } });
    server.routes.post("/slow", (req) => void req.resume());
    for (let count = 0; count < 3; count++)
      await open("POST /slow HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n1");
    const next = await open(get());
    await eventually(() => expect(next.received).toMatch(/^HTTP\/1\.1 200 /));
  });
});

describe("upgrades", () => {
  it("are limited per address, and do not use up connections", async () => {
    const { server, open } = await serve({
      connections: { per_address: 2 },
      upgrades: { per_address: 3 },
    });
    for (let count = 0; count < 3; count++) {
      const socket = await open(upgrade(""));
      await eventually(() => expect(socket.received).toMatch(/^HTTP\/1\.1 101 /));
    }
    const refused = await open(upgrade(""));
    await eventually(() => expect(refused.received).toMatch(/^HTTP\/1\.1 503 /));
    expect(server.usage.upgrades).toBe(3);
    const plain = await open(get());
    await eventually(() => expect(plain.received).toMatch(/^HTTP\/1\.1 200 /));
  });

  it.each([
    ["", 101],
    ["Origin: http://127.0.0.1:8080\r\n", 101],
    ["Origin: http://127.0.0.1:9999\r\n", 403],
    ["Origin: https://evil.example\r\n", 403],
    ["Origin: null\r\n", 403],
  ])("with %j are answered with %i", async (header, status) => {
    const { open } = await serve();
    const socket = await open(upgrade(header));
    await eventually(() => expect(socket.received).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `)));
  });
});

describe("the Host header", () => {
  it.each([
    ["Host: evil.example", 421],
    ["Host: box.evil.example:8080", 421],
    ["Host: 203.0.113.9", 421],
    ["Host: 127.0.0.1.evil.example", 421],
    ["Host: BOX.local:8080", 200],
    ["Host: box.fritz.box", 200],
    ["Host: hourgate", 200],
    ["Host: localhost:8080", 200],
    ["Host: 192.168.1.20:8080", 200],
    ["Host: [fd00::1]:8080", 200],
    ["X-None: 1", 200],
    ["Host: evil.example\r\nX-Forwarded-Host: localhost", 421],
  ])("%j is answered with %i", async (header, status) => {
    const { open } = await serve();
    const socket = await open(`GET / HTTP/1.1\r\n${header}\r\n\r\n`);
    await eventually(() => expect(socket.received).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `)));
    if (status === 421) expect(socket.received).toContain('"code":"misdirected_request"');
  });

  it("accepts base_url, http.hosts and HTTP/1.0 without a host", async () => {
    const hosts = new HostNames({
      hosts: ["energy.example.org"],
      baseUrl: () => "https://gate.example:8443",
      name: "box",
    });
    expect(hosts.accepts("energy.example.org:80")).toBe(true);
    expect(hosts.accepts("gate.example")).toBe(true);
    expect(hosts.accepts("sub.gate.example")).toBe(false);
    const { open } = await serve();
    const socket = await open("GET / HTTP/1.0\r\n\r\n");
    await eventually(() => expect(socket.received).toMatch(/^HTTP\/1\.1 200 /));
  });
});
