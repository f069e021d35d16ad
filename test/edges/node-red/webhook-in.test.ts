import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { type Running, run, startServer, stopServer, unload } from "./harness.js";

const SECRET = "whsec_test";
let server: Server;

beforeAll(startServer);
afterAll(stopServer);
afterEach(async () => {
  server?.closeAllConnections();
  server?.close();
  await unload();
});

async function listen(): Promise<Running> {
  let app: RequestListener | undefined;
  const running = await run("hourgate-webhook-in", { path: "events/hourgate/" }, undefined, {
    credentials: { node: { secret: SECRET } },
    wrap: (install) => (red) => {
      app = red.httpNode as RequestListener;
      install(red);
    },
  });
  server = createServer(app);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return running;
}

const sign = (body: string, seconds = Math.floor(Date.now() / 1000), secret = SECRET) =>
  `t=${seconds},v1=${createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex")}`;

async function deliver(body: string, signature?: string, path = "/events/hourgate", method = "POST") {
  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    ...(method === "POST" && { body }),
    headers: {
      "Content-Type": "application/json",
      ...(signature !== undefined && { "X-Service-Signature": signature }),
    },
  });
  await response.text();
  return response.status;
}

it("sends events with a valid signature, and responds with 401 to others", async () => {
  const running = await listen();
  // The signature covers whitespace and order: the raw body must be verified.
  const body = '{ "event":"plant.plan_updated",\n "hours_needed": 2.250 }';
  const now = Math.floor(Date.now() / 1000);
  expect(await deliver(body, sign(body))).toBe(200);
  expect(await running.message()).toMatchObject({
    topic: "plant.plan_updated",
    payload: { event: "plant.plan_updated", hours_needed: 2.25 },
  });
  await running.until(() => /^plan_updated \d\d:\d\d$/.test(running.status()?.text ?? ""));
  const forged = [
    undefined,
    "",
    "t=1,v1=zz",
    sign(`${body} `),
    sign(body, now, "another"),
    sign(body, now - 320),
    sign(body, now + 320),
    sign(body).toUpperCase(),
  ];
  for (const signature of forged) expect(await deliver(body, signature), signature).toBe(401);
  expect(await deliver(body, sign(body, now - 280))).toBe(200);
  // Signed bodies that are not objects are rejected.
  for (const text of ["[", "[1]", "null", "7", ""]) expect(await deliver(text, sign(text)), text).toBe(400);
  const large = JSON.stringify("x".repeat(1_100_000));
  expect(await deliver(large, sign(large))).toBe(413);
  expect(await deliver(body, sign(body), "/elsewhere")).toBe(404);
  expect(await deliver(body, sign(body), "/events/hourgate", "GET")).toBe(404);
  await running.message(1);
  expect(running.messages[0]).toHaveLength(2);
});

it("responds with 404 after the node has been removed", async () => {
  await listen();
  await unload();
  expect(await deliver("{}", sign("{}"))).toBe(404);
});
