import { createServer as createHttpServer } from "node:http";
import { connect, createServer } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { listen, openEarly } from "../../../src/core/net/early-ports.js";
import { checkPort } from "../../../src/edges/http/listen.js";

const freePort = () =>
  new Promise<number>((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });

it("answers requests that arrived before the server was there, and later ones", async () => {
  const address = { host: "127.0.0.1", port: await freePort() };
  await openEarly(address);
  const early = fetch(`http://127.0.0.1:${address.port}/early`);
  // A check of the port during the start takes no connection.
  await checkPort(address);
  const silent = connect(address.port, "127.0.0.1");
  await new Promise((resolve) => silent.once("connect", resolve));
  const server = createHttpServer((req, res) => res.end(req.url));
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => listen(server, address, resolve));
  expect((server.address() as { port: number }).port).toBe(address.port);
  expect(await (await early).text()).toBe("/early");
  const later = await fetch(`http://127.0.0.1:${address.port}/later`, { headers: { Connection: "close" } });
  expect(await later.text()).toBe("/later");
  silent.write("GET /silent HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  const chunks: Buffer[] = [];
  for await (const chunk of silent) chunks.push(chunk as Buffer);
  expect(Buffer.concat(chunks).toString()).toMatch(/\/silent$/);
});

it("leaves a port in use to the server that reports it", async () => {
  const other = createServer();
  onTestFinished(() => void other.close());
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const { port } = other.address() as { port: number };
  await openEarly({ host: "127.0.0.1", port });
  const server = createServer();
  const error = new Promise<NodeJS.ErrnoException>((resolve) => server.once("error", resolve));
  listen(server, { host: "127.0.0.1", port }, () => {});
  expect((await error).code).toBe("EADDRINUSE");
});
