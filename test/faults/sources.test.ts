import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { expect, it, onTestFinished } from "vitest";
import { fetchText } from "../../src/core/net/fetch.js";
import { call } from "../e2e/gateway-process.js";
import { answeringServer } from "../support/answering-server.js";
import { started, testSite } from "./support/gateway.js";

/** 300 MB of zeros, compressed to a few hundred kilobytes. */
const BOMB = gzipSync(Buffer.alloc(300 * 1024 * 1024), { level: 9 });

async function badServer() {
  const server = await answeringServer((request, response) => {
    switch (request.url?.split("?")[0]) {
      case "/html":
        response
          .writeHead(200, { "content-type": "text/html" })
          .end("<html>Please sign in to the hotel's network");
        break;
      case "/loop":
        response.writeHead(302, { location: "/loop" }).end();
        break;
      case "/bomb":
        response.writeHead(200, { "content-encoding": "gzip" }).end(BOMB);
        break;
      case "/packed":
        response.writeHead(200, { "content-encoding": "gzip" }).end("this is not compressed");
        break;
      case "/reset":
        request.socket.resetAndDestroy();
        break;
      case "/shape":
        response.end('{"data":{"0":[null,{"__proto__":1}]}}');
        break;
      default:
        response.writeHead(500).end();
    }
  });
  onTestFinished(() => server.close());
  return server;
}

it("invalid answers of every kind: each source reports the problem in a sentence, and the gateway continues", async () => {
  const server = await badServer();
  const kinds = ["html", "loop", "bomb", "packed", "reset", "shape", "gone"];
  const urls = [...kinds.map((kind) => `${server.url}${kind}`), "http://prices.invalid/"];
  const gateway = await started(
    testSite({ market: { sources: urls.map((url) => ({ type: "awattar", url })) } }).config,
  );
  const component = async () =>
    (await call(gateway, "/v1/status")).json.components.find(
      ({ name }: { name: string }) => name === "price_source",
    );
  await expect
    .poll(async () => (await component()).detail as string, { timeout: 15_000 })
    .toMatch(/No price source works/);
  const { state, detail } = await component();
  expect(state).toBe("down");
  for (const sign of [
    /begins "<html>Please sign in/,
    /redirect/,
    /more than 8 MiB/,
    /Z_DATA_ERROR/,
    /ECONNRESET|closed the connection/,
    /status 500/,
    /prices\.invalid cannot be reached .*(ENOTFOUND|EAI_AGAIN)/,
  ])
    expect(detail).toMatch(sign);
  const { json } = await call(gateway, "/v1/forecast");
  expect(json.prices).toHaveLength(168);
  expect((await call(gateway, "/v1/plant/telemetry", { body: { soc_pct: 40 } })).status).toBe(200);
  expect((await call(gateway, "/health", { key: null })).status).toBe(200);

  const pid = /"pid":(\d+)/.exec(gateway.output())?.[1];
  const peakKb = Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  // Decompressing the bomb would take 300 MB, and twice that as text.
  expect(peakKb / 1024).toBeLessThan(300);
});

it("a slow answer has the same time limit as a missing one", async () => {
  const server = await answeringServer((_request, response) => {
    response.writeHead(200);
    const drops = setInterval(() => response.write(" "), 5);
    response.on("close", () => clearInterval(drops));
  });
  onTestFinished(() => server.close());
  const { signal } = new AbortController();
  await expect(fetchText(new URL(server.url), { signal, timeoutMs: 100 })).rejects.toThrow("within 0.1 s");
});
