import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect, it, onTestFinished } from "vitest";
import { sendHistory } from "../../../src/ops/demo/send-history.js";

it("past readings arrive although connections are closed in the moment in which they are used", async () => {
  const received: unknown[] = [];
  let calls = 0;
  const server = createServer(async (request, response) => {
    if (++calls % 2 === 1) return request.socket.destroy();
    received.push(...(JSON.parse(await text(request)) as { samples: unknown[] }).samples);
    response.end("{}");
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const samples = Array.from({ length: 1500 }, (_, id) => ({ id }));
  await sendHistory(address, "key", samples, async () => {});
  expect(received).toEqual(samples);
});
