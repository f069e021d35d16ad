import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { call, type GatewayProcess, TEST_KEY } from "../e2e/gateway-process.js";
import { device, raw, started, testSite } from "./support/gateway.js";

const portOf = (gateway: GatewayProcess) => Number(new URL(gateway.http).port);

async function connected(gateway: GatewayProcess): Promise<Socket> {
  const socket = connect(portOf(gateway), "127.0.0.1");
  socket.on("error", () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  return socket;
}

const statusesIn = (text: string) =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

it("malformed requests on one connection are refused individually, without request smuggling", async () => {
  const gateway = await started(testSite().config);
  const body = '{"soc_pct":50}';
  const hidden = "GET /v1/smuggled HTTP/1.1\r\nHost: x\r\n\r\n";
  const requests: Record<string, string> = {
    "length and chunks": `POST /v1/plant/telemetry HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`,
    "two lengths": `POST /v1/plant/telemetry HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
    "an invalid length": `POST /v1/plant/telemetry HTTP/1.1\r\nHost: x\r\nContent-Length: +2\r\n\r\n{}${hidden}`,
    "chunked twice": `POST /v1/plant/telemetry HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${hidden}`,
    "an invalid chunk size": `POST /v1/plant/telemetry HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n${body}\r\n0\r\n\r\n${hidden}`,
    "a folded header": `GET /health HTTP/1.1\r\nHost: x\r\nX-A: 1\r\n Transfer-Encoding: chunked\r\nBad Header: 1\r\n\r\n${hidden}`,
    "a space before the colon": `POST /v1/plant/telemetry HTTP/1.1\r\nHost: x\r\nContent-Length : 2\r\n\r\n{}${hidden}`,
    "not HTTP": "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    "a header that is too long": `GET /health HTTP/1.1\r\nX-A: ${"a".repeat(40_000)}\r\n\r\n`,
  };
  for (const [what, text] of Object.entries(requests)) {
    const answer = await raw(gateway, text);
    expect([what, statusesIn(answer)]).toEqual([what, [what === "a header that is too long" ? 431 : 400]]);
    expect([what, answer]).toEqual([
      what,
      expect.stringMatching(/"error":\{"code":"[a-z_]+","message":"[A-Z]/),
    ]);
  }

  // The same on a connection that has been used before.
  for (const [wrong, status] of [
    ["NOT HTTP\r\n\r\n", 400],
    [`GET /v1/status?${"a".repeat(20_000)} HTTP/1.1\r\n\r\n`, 431],
  ] as const) {
    const socket = await connected(gateway);
    let received = "";
    const closed = once(socket, "close");
    const served = new Promise<void>((resolve) =>
      socket.setEncoding("latin1").on("data", (chunk) => {
        received += chunk;
        if (received.includes("}")) resolve();
      }),
    );
    socket.write("GET /nothing HTTP/1.1\r\n\r\n");
    await served;
    socket.write(wrong);
    await closed;
    expect(statusesIn(received)).toEqual([404, status]);
  }

  // A hundred pipelined requests are answered in order.
  const ids = Array.from({ length: 100 }, (_, index) => `request-${index}`);
  const pipeline = ids.map(
    (id, index) =>
      `GET ${index % 2 === 0 ? "/v1/status" : "/nothing"} HTTP/1.1\r\nX-Request-Id: ${id}\r\n${id === ids.at(-1) ? "Connection: close\r\n" : ""}\r\n`,
  );
  const answer = await raw(gateway, pipeline.join(""));
  expect([...answer.matchAll(/^X-Request-Id: (.+)\r$/gm)].map(([, id]) => id)).toEqual(ids);
  expect(statusesIn(answer)).toEqual(ids.map((_, index) => (index % 2 === 0 ? 200 : 404)));
});

it("two thousand idle or slow connections do not block other clients; SIGTERM ends in time", async () => {
  const gateway = await started(testSite().config);
  const client = await device(gateway);
  const online: string[] = [];
  const offline = new Promise<void>((resolve) => {
    client.on("message", (_topic, payload) => {
      online.push(payload.toString());
      if (payload.toString() === "offline") resolve();
    });
  });
  await client.subscribeAsync("hourgate/status", { qos: 1 });
  const sockets = await Promise.all(Array.from({ length: 1900 }, () => connected(gateway)));
  for (const socket of sockets.slice(0, 300)) socket.write("GET /health HTTP/1.1\r\nX-Slow: ");
  for (const socket of sockets.slice(300, 600))
    socket.write(
      `POST /v1/plant/telemetry HTTP/1.1\r\nContent-Length: 100\r\nX-API-Key: ${TEST_KEY}\r\n\r\n{"soc_`,
    );
  for (const socket of sockets.slice(600, 610)) {
    socket.pause();
    socket.write("GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n".repeat(40));
  }
  // A gateway that waits for the slow connections would respond only after these are closed by their timeout of 15 s.
  let closed = 0;
  for (const socket of sockets.slice(0, 600)) socket.once("close", () => closed++);
  expect((await call(gateway, "/health", { key: null })).status).toBe(200);
  expect((await call(gateway, "/v1/plant/telemetry", { body: { soc_pct: 50 } })).status).toBe(200);
  expect(closed).toBeLessThan(600);

  const load = Array.from({ length: 20 }, async () => {
    for (;;) await call(gateway, "/v1/plant/telemetry", { body: { soc_pct: 51 } });
  });
  void Promise.allSettled(load);
  // All of them would keep a server that waits for its connections alive; the time of a stop is measured by the benchmark.
  expect(await gateway.end("SIGTERM")).toBe(0);
  await offline;
  expect(online).toEqual(["online", "offline"]);
});
