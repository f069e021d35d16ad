import { once } from "node:events";
import { Agent, get as httpGet } from "node:http";
import { connect, createServer } from "node:net";
import { expect, test } from "vitest";
import { silentLog } from "../../../src/core/log.js";
import { createHttpServer } from "../../../src/edges/http/server.js";
import { fakeServices, KEYS } from "../../api/fake-services.js";
import { listening } from "../../support/listening.js";
import { serve } from "./serve.js";

test("a port in use is reported with the name of the setting", async () => {
  const holder = createServer().listen(0, "127.0.0.1");
  await once(holder, "listening");
  const { port } = holder.address() as { port: number };
  const server = createHttpServer({
    operations: [],
    services: fakeServices(),
    settings: { host: "127.0.0.1", port },
    ...listening(),
    log: silentLog,
  });
  await expect(server.start()).rejects.toThrow(/in use.*http\.port/);
  await server.stop();
  holder.close();
});

test("stop lets a running request end, closes idle connections and refuses new ones", async () => {
  const services = fakeServices();
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let entered = () => {};
  const running = new Promise<void>((resolve) => {
    entered = resolve;
  });
  const ingest = services.telemetry.ingest;
  services.telemetry.ingest = async (...given) => {
    entered();
    await held;
    return ingest(...given);
  };
  const { url, port, server, post } = await serve(services);
  const agent = new Agent({ keepAlive: true });
  const [idle] = await once(httpGet(`${url}/health`, { agent }), "response");
  idle.resume();
  await once(idle, "end");

  const answer = post("/v1/plant/telemetry", { soc_pct: 5 }, { "X-API-Key": KEYS.owner });
  await running;
  const stopped = server.stop();
  const late = connect(port, "127.0.0.1");
  await expect(once(late, "connect")).rejects.toThrow(/ECONNREFUSED/);
  release();
  expect((await answer).status).toBe(200);
  await stopped;
  agent.destroy();
});

test("further routes are matched before the 404; upgrades go to their handler, unknown paths are refused", async () => {
  const { get, port, server } = await serve();
  server.routes.get("/page", (_req, res) => {
    res.json({ here: true });
  });
  expect((await get("/page")).json).toEqual({ here: true });

  const ask = async (path: string) => {
    const socket = connect(port, "127.0.0.1");
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: test\r\n\r\n`);
    const [chunk] = await once(socket, "data");
    socket.destroy();
    return String(chunk).split("\r\n")[0];
  };
  // Java clients offer h2c on every plain request: without any handler they are served.
  expect(await ask("/health")).toBe("HTTP/1.1 200 OK");
  server.onUpgrade("/live", (_req, socket) => socket.end("HTTP/1.1 101 Switching Protocols\r\n\r\n"));
  expect(await ask("/live/a?b")).toBe("HTTP/1.1 101 Switching Protocols");
  expect(await ask("/liveness")).toBe("HTTP/1.1 404 Not Found");
});
