import { createServer, request } from "node:http";
import { type AddressInfo, createServer as createRawServer, type Server } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { NodeRedProxy } from "../../../src/edges/node-red/proxy.js";

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function listen(server: Server): Promise<number> {
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  cleanups.push(() => new Promise((closed) => server.close(closed)));
  return (server.address() as AddressInfo).port;
}

/** Starts a proxy in front of `upstream`; resolves with its port. */
async function proxyFor(upstream: Server): Promise<number> {
  const port = await listen(upstream);
  const client = () => ({ address: "192.0.2.1", protocol: "http" });
  const proxy = new NodeRedProxy({ path: "/node-red", port: () => port, client, isSignedIn: () => false });
  return listen(createServer((req, res) => proxy.handle(req, res)));
}

/** Sends the body in chunks without Content-Length; resolves with status and text, or `aborted` on a connection error. */
function ask(port: number, method: string, body: string): Promise<string> {
  return new Promise((resolve) => {
    const headers = { "Transfer-Encoding": "chunked" };
    const asked = request({ port, host: "127.0.0.1", method, path: "/node-red/x", headers }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      answer.on("end", () => resolve(`${answer.statusCode} ${text}`));
    });
    asked.on("error", () => resolve("aborted"));
    asked.end(body);
  });
}

describe("the proxy", () => {
  it("forwards a body of unknown length with every method", async () => {
    const port = await proxyFor(
      createServer((req, res) => {
        let text = "";
        req.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk;
        });
        req.on("end", () => res.end(`${req.method} ${text}`));
      }),
    );
    for (const method of ["POST", "DELETE", "GET"])
      expect(await ask(port, method, "hello")).toBe(`200 ${method} hello`);
  });

  it("survives a response that cannot be forwarded", async () => {
    const port = await proxyFor(
      createRawServer((socket) => {
        socket.on("error", () => {});
        socket.on("data", () => socket.end("HTTP/1.1 099 x\r\nContent-Length: 0\r\n\r\n"));
      }),
    );
    expect(await ask(port, "POST", "")).toBe("aborted");
    expect(await ask(port, "POST", "")).toBe("aborted");
  });
});
