import { once } from "node:events";
import { connect } from "node:net";
import { expect, it } from "vitest";
import { fakeServices } from "../../api/fake-services.js";
import { serve } from "./serve.js";

it("serves requests that only offer h2c, with their bodies, also if upgrades have a handler", async () => {
  const { server, port } = await serve(fakeServices());
  server.onUpgrade("/live", (_req, socket) => socket.end("HTTP/1.1 101 Switching Protocols\r\n\r\n"));
  server.routes.post("/echo", (req, res) => {
    let body = "";
    req.on("data", (chunk: Buffer) => {
      body += chunk.toString();
    });
    req.on("end", () =>
      res.json({ body, upgrade: req.headers.upgrade ?? null, name: req.headers["x-name"] }),
    );
  });
  const socket = connect(port, "127.0.0.1");
  let received = "";
  socket.on("data", (chunk: Buffer) => {
    received += chunk.toString("latin1");
  });
  const until = async (text: string) => {
    while (!received.includes(text)) await once(socket, "data");
  };
  const offer = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAAA\r\n";

  // The body comes in two pieces, the first together with the head; the next request on the same connection.
  socket.write(
    Buffer.from(
      `POST /echo HTTP/1.1\r\nHost: x\r\nX-Name: é\r\n${offer}Content-Length: 10\r\n\r\n01234`,
      "latin1",
    ),
  );
  await once(socket, "ready").catch(() => {});
  setImmediate(() => socket.write("56789"));
  await until('"0123456789"');
  expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(received).toContain('"upgrade":null');
  expect(Buffer.from(received, "latin1").toString()).toContain('"name":"é"');
  received = "";
  socket.write(`GET /health HTTP/1.1\r\nHost: x\r\n${offer}\r\n`);
  await until('"status":"ok"');
  expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  socket.destroy();
});
