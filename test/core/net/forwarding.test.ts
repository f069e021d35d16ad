import { once } from "node:events";
import { Agent, createServer, request } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { bodyFraming, forwardedHeaders, relayAnswer, withoutHops } from "../../../src/core/net/forwarding.js";

it("a body stays one of its request, whatever headers the client names as those of its connection", async () => {
  const asked: string[] = [];
  const target = createServer((req, res) => {
    asked.push(req.url!);
    req.resume().once("end", () => res.end());
  }).listen(0, "127.0.0.1");
  await once(target, "listening");
  const { port } = target.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true });
  const forwarder = createServer((req, res) => {
    const { method, url: path } = req;
    const client = { address: "192.0.2.1", protocol: "http" };
    const headers = { ...forwardedHeaders(req, client), ...bodyFraming(req) };
    const upstream = request({ host: "127.0.0.1", port, agent, method, path, headers }, (answer) => {
      relayAnswer(answer, res, withoutHops(answer.headers));
    });
    req.pipe(upstream);
  }).listen(0, "127.0.0.1");
  await once(forwarder, "listening");
  const hidden = "GET /hidden HTTP/1.1\r\nHost: box\r\n\r\n";
  for (const method of ["GET", "DELETE", "POST"]) {
    const socket = connect((forwarder.address() as AddressInfo).port, "127.0.0.1");
    socket.write(
      `${method} /asked HTTP/1.1\r\nHost: box\r\nConnection: content-length, close\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
    );
    expect(await text(socket)).toMatch(/^HTTP\/1.1 200/);
  }
  agent.destroy();
  forwarder.close();
  target.close();
  expect(asked).toEqual(["/asked", "/asked", "/asked"]);
});
