import { createHmac } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { defaultSettings } from "../../../src/config/load.js";
import type { ForecastRun } from "../../../src/forecast/price/forecast.js";
import type { Latest, WebhooksOptions } from "../../../src/messages/webhooks/service.js";
import { samplePlan } from "../../api/fake-services.js";
import { type Disk, newDisk, removeDisk, START, WALL_SECONDS, webhooksOn } from "./harness.js";
import {
  makeCertificate,
  missingOpenssl,
  RECEIVER_NAME,
  type Received,
  type Receiver,
  startReceiver,
} from "./receiver.js";

const missing = missingOpenssl();
if (missing !== undefined) console.warn(missing);

/** The check that docs/spec/webhooks.md section 2 asks of a receiver, by its text alone. */
function isGenuine({ headers, rawBody }: Received, secret: string, nowSeconds: number): boolean {
  const fields = String(headers["x-service-signature"]).match(/^t=(\d+),v1=([0-9a-f]{64})$/);
  const [, time = "", v1 = ""] = fields ?? [];
  const computed = createHmac("sha256", secret).update(`${time}.${rawBody}`).digest("hex");
  return Math.abs(nowSeconds - Number(time)) <= 300 && v1 === computed;
}

describe.skipIf(missing !== undefined)("a delivery over HTTPS", () => {
  const certificate = missing === undefined ? makeCertificate() : { key: "", cert: "" };
  let receiver: Receiver;
  let disk: Disk;
  const open: { webhooks: { stop(): Promise<void> } }[] = [];

  beforeEach(async () => {
    receiver = await startReceiver(certificate);
    disk = newDisk();
  });
  afterEach(async () => {
    for (const { webhooks } of open.splice(0)) await webhooks.stop();
    await receiver.close();
    removeDisk(disk);
  });

  const start = async (changes: Parameters<typeof webhooksOn>[1] = {}, latest?: Latest) => {
    const simulated = await webhooksOn(disk, { ca: certificate.cert, ...changes });
    simulated.webhooks.open(latest);
    open.push(simulated);
    return simulated;
  };
  const hook = (path = "/hook") => `https://127.0.0.1:${receiver.port}${path}`;
  const answer = (status: number, headers: Record<string, string> = {}, body = "") => {
    receiver.answer = ({ response }) => void response.writeHead(status, headers).end(body);
  };

  it("is a POST with a valid signature and the wall time, also in a replay", async () => {
    const { webhooks, recorded, forecastRun } = await start();
    const { secret } = await webhooks.set("home", hook("/hook?token=1"));
    expect(secret).toMatch(/^whsec_[A-Za-z0-9_-]{43}$/);
    forecastRun();
    await recorded("home", 1);
    const [one] = receiver.received;
    expect(one).toMatchObject({ method: "POST", path: "/hook?token=1" });
    expect(one!.headers).toMatchObject({
      "content-type": "application/json",
      "user-agent": "hourgate/1.2.3",
      host: `127.0.0.1:${receiver.port}`,
    });
    expect(one!.headers["x-service-signature"]).toMatch(new RegExp(`^t=${WALL_SECONDS},`));
    expect(isGenuine(one!, secret, WALL_SECONDS + 300)).toBe(true);
    expect(isGenuine(one!, secret, WALL_SECONDS + 301)).toBe(false);
    expect(isGenuine({ ...one!, rawBody: `${one!.rawBody} ` }, secret, WALL_SECONDS)).toBe(false);
    expect(isGenuine(one!, `${secret}x`, WALL_SECONDS)).toBe(false);
    expect(webhooks.deliveries("home")).toEqual([
      { time: START, event: "forecast.updated", status: 204, durationMs: expect.any(Number), error: null },
    ]);
  });

  it("is signed with the new secret after a rotation, and keeps the secret when the URL changes", async () => {
    const { webhooks } = await start();
    const first = await webhooks.set("home", hook("/a"));
    expect((await webhooks.set("home", hook("/b"))).secret).toBe(first.secret);
    const second = await webhooks.rotateSecret("home");
    expect(second.secret).not.toBe(first.secret);
    expect(webhooks.get("home")).toMatchObject({ url: hook("/b"), secret: second.secret, failing: false });
    expect(await webhooks.test("home")).toMatchObject({ event: "webhook.test", status: 204, error: null });
    const [one] = receiver.received;
    expect(one!.path).toBe("/b");
    expect(JSON.parse(one!.rawBody)).toEqual({
      event: "webhook.test",
      issued_at: "2026-01-15T01:00:00+01:00",
    });
    expect(isGenuine(one!, second.secret, WALL_SECONDS)).toBe(true);
    expect(isGenuine(one!, first.secret, WALL_SECONDS)).toBe(false);
  });

  it.each([
    [500, "refused"],
    [400, "refused"],
    [302, "redirect"],
    [304, "refused"],
    [307, "redirect"],
  ])("is attempted once when the answer is %i", async (status, code) => {
    const { webhooks, forecastRun, recorded } = await start();
    await webhooks.set("home", hook("/hook"));
    answer(status, { location: hook("/elsewhere") });
    forecastRun();
    await recorded("home", 1);
    answer(200);
    // A second delivery shows that nothing was sent in between.
    await webhooks.test("home");
    expect(receiver.received.map(({ path, rawBody }) => [path, JSON.parse(rawBody).event])).toEqual([
      ["/hook", "forecast.updated"],
      ["/hook", "webhook.test"],
    ]);
    expect(webhooks.deliveries("home")[1]).toMatchObject({ status, error: { code } });
  });

  it("times out with a message and does not read a long response to its end", async () => {
    const { webhooks, elapse } = await start();
    await webhooks.set("home", hook());
    receiver.answer = () => elapse(10_000);
    expect(await webhooks.test("home")).toMatchObject({
      status: null,
      error: { code: "timeout", message: "127.0.0.1 did not answer within 10 s." },
    });
    // The response never ends; only the first 4 kB are read.
    receiver.answer = ({ response }) => void response.writeHead(200).write("x".repeat(100_000));
    expect(await webhooks.test("home")).toMatchObject({ status: 200, error: null });
  });

  it.each([
    ["ends without an answer", "", null],
    ["is no HTTP", "hello\r\n\r\n", null],
    ["wants another protocol", "HTTP/1.1 101 X\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n", null],
    ["ends within the answer", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok", 200],
    [
      "begins with a hint",
      "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 202 OK\r\nContent-Length: 0\r\n\r\n",
      202,
    ],
  ])("completes for a receiver that %s", async (_, raw, status) => {
    const { webhooks } = await start();
    await webhooks.set("home", hook());
    receiver.answer = ({ response }) => void response.socket!.end(raw);
    const { error, ...delivery } = await webhooks.test("home");
    expect(delivery.status).toBe(status);
    expect(error?.code).toBe(status === null ? "unreachable" : undefined);
  });

  it("refuses an untrusted certificate", async () => {
    const { webhooks, lines } = await start({ ca: makeCertificate().cert });
    await webhooks.set("home", hook());
    expect(await webhooks.test("home")).toMatchObject({ status: null, error: { code: "certificate" } });
    expect(receiver.received).toEqual([]);
    expect(lines.at(-1)).toMatch(/not delivered: There is no secure connection to 127\.0\.0\.1/);
  });

  it("runs at most four deliveries at once, in order per URL", async () => {
    const { webhooks, forecastRun, underWay } = await start();
    const sites = ["s1", "s2", "s3", "s4", "s5", "s6"];
    for (const site of sites) await webhooks.set(site, hook(`/${site}`));
    const held: Received[] = [];
    receiver.answer = (one) => void held.push(one);
    forecastRun("scheduled");
    forecastRun("manual");
    const counts: number[] = [];
    for (let done = 0; done < 12; done++) {
      await receiver.until(Math.min(12, done + 4));
      counts.push(underWay());
      held.shift()!.response.writeHead(204).end();
    }
    // The last counts depend on the order of completion.
    expect(counts.slice(0, 9)).toEqual(Array(9).fill(4));
    for (const site of sites) {
      const triggers = receiver.received
        .filter(({ path }) => path === `/${site}`)
        .map(({ rawBody }) => JSON.parse(rawBody).trigger);
      expect(triggers).toEqual(["scheduled", "manual"]);
    }
  });

  describe("by name", () => {
    /** A resolver that returns the answers in turn and then repeats the last one. */
    const answering = (...answers: string[]) => {
      const asked: string[] = [];
      const resolve: WebhooksOptions["resolve"] = async (hostname) => {
        asked.push(hostname);
        const address = answers.length > 1 ? answers.shift()! : answers[0]!;
        return [{ address, family: 4 }];
      };
      return { asked, resolve };
    };
    const named = () => `https://${RECEIVER_NAME}:${receiver.port}/hook`;

    it("connects to the checked address and verifies the certificate for the name", async () => {
      const { asked, resolve } = answering("127.0.0.1");
      const { webhooks } = await start({ resolve });
      await webhooks.set("home", named());
      expect(await webhooks.test("home")).toMatchObject({ status: 204 });
      expect(receiver.received[0]!.headers.host).toBe(`${RECEIVER_NAME}:${receiver.port}`);
      // One lookup for the registration and one for the connection.
      expect(asked).toEqual([RECEIVER_NAME, RECEIVER_NAME]);
      await webhooks.set("other", `https://wrong.example.com:${receiver.port}/`);
      expect(await webhooks.test("other")).toMatchObject({ error: { code: "certificate" } });
    });

    it("refuses a name that was public at registration and is private now", async () => {
      const { resolve } = answering("8.8.8.8", "127.0.0.1");
      const { webhooks } = await start({ resolve, allowPrivateHosts: false });
      await webhooks.set("home", named());
      expect(await webhooks.test("home")).toMatchObject({ status: null, error: { code: "not_public" } });
      expect(receiver.received).toEqual([]);
    });

    it("stops waiting for a resolver without an answer at the time limit and on stop", async () => {
      const silence = new Promise<never>(() => {});
      const { webhooks, elapse } = await start({ resolve: () => silence });
      const registration = webhooks.set("home", named());
      elapse(3000);
      await registration;
      const late = webhooks.test("home");
      elapse(10_000);
      expect(await late).toMatchObject({ error: { code: "timeout" } });
      const last = webhooks.test("home");
      const stopped = webhooks.stop();
      elapse(2000);
      await stopped;
      expect(await last).toMatchObject({ error: { code: "stopped" } });
    });

    it("refuses the registration of a site that is removed during the lookup", async () => {
      let answer: (found: { address: string; family: number }[]) => void = () => {};
      const resolve = () =>
        new Promise<{ address: string; family: number }[]>((resolve) => (answer = resolve));
      const plant = defaultSettings().plants[0]!;
      let isThere = true;
      const sites = {
        get: (id: string) => (isThere ? { id, accountId: "owner", plant: { ...plant, id } } : undefined),
      };
      const { webhooks } = await start({ resolve, sites });
      const registration = webhooks.set("home", named());
      isThere = false;
      answer([{ address: "127.0.0.1", family: 4 }]);
      await expect(registration).rejects.toMatchObject({ code: "unknown_site" });
      expect(webhooks.get("home")).toBeUndefined();
    });

    it("fails when the name does not resolve", async () => {
      const resolve = () => Promise.reject(Object.assign(new Error("no"), { code: "ENOTFOUND" }));
      const { webhooks } = await start({ resolve });
      await webhooks.set("home", named());
      expect(await webhooks.test("home")).toMatchObject({ error: { code: "unknown_host" } });
    });
  });

  it("refuses a registered private address after private hosts were disabled", async () => {
    const before = await start();
    await before.webhooks.set("home", hook());
    await before.webhooks.stop();
    const { webhooks } = await start({ allowPrivateHosts: false });
    expect(await webhooks.test("home")).toMatchObject({ error: { code: "not_public" } });
    await expect(webhooks.set("home", hook())).rejects.toMatchObject({ code: "host_not_public" });
    expect(receiver.received).toEqual([]);
  });

  it("reports a webhook as failing after three failures until a success, also across restarts", async () => {
    const first = await start();
    await first.webhooks.set("home", hook());
    answer(500);
    const failing: boolean[] = [];
    for (let count = 0; count < 2; count++) {
      await first.webhooks.test("home");
      failing.push(first.webhooks.get("home")!.failing);
    }
    expect(first.state()).toMatchObject({ state: "ok" });
    await first.webhooks.stop();

    const second = await start();
    await second.webhooks.test("home");
    failing.push(second.webhooks.get("home")!.failing);
    expect(failing).toEqual([false, false, true]);
    expect(second.state()).toMatchObject({ state: "degraded", detail: "1 failing (1 registered)." });
    expect(second.webhooks.deliveries("home").map(({ status }) => status)).toEqual([500, 500, 500]);
    await second.webhooks.stop();

    const third = await start();
    expect(third.webhooks.get("home")!.failing).toBe(true);
    expect(third.state()).toMatchObject({ state: "degraded" });
    answer(201);
    third.forecastRun();
    await third.recorded("home", 4);
    expect(third.webhooks.get("home")!.failing).toBe(false);
    expect(third.state()).toMatchObject({ state: "ok" });
  });

  it("keeps the last 50 deliveries and removes them with the webhook", async () => {
    const { webhooks, clock, bus } = await start();
    await webhooks.set("home", hook());
    for (let count = 0; count < 52; count++) {
      await webhooks.test("home");
      await clock.advance(1000);
    }
    const kept = webhooks.deliveries("home");
    expect(kept).toHaveLength(50);
    expect(kept[0]!.time).toEqual(new Date(START.getTime() + 51_000));
    expect(kept[49]!.time).toEqual(new Date(START.getTime() + 2000));
    await webhooks.set("sold", hook());
    await webhooks.test("sold");
    bus.emit("site.removed", { siteId: "sold" });
    expect(webhooks.deliveries("sold")).toEqual([]);
    await webhooks.remove("home");
    expect(webhooks.get("home")).toBeUndefined();
    expect(webhooks.deliveries("home")).toEqual([]);
    await expect(webhooks.test("home")).rejects.toMatchObject({ code: "not_registered" });
    await expect(webhooks.rotateSecret("home")).rejects.toMatchObject({ code: "not_registered" });
    await expect(webhooks.set("nowhere", hook())).rejects.toMatchObject({ code: "unknown_site" });
  });

  it("aborts deliveries on stop and records them as stopped without counting a failure", async () => {
    const { webhooks, elapse, forecastRun } = await start();
    await webhooks.set("home", hook());
    receiver.answer = () => {};
    forecastRun();
    forecastRun();
    await receiver.until(1);
    const stopped = webhooks.stop();
    elapse(2000);
    await stopped;
    const again = await start();
    expect(again.webhooks.deliveries("home").map(({ error }) => error?.code)).toEqual(["stopped", "stopped"]);
    expect(again.webhooks.get("home")!.failing).toBe(false);
    expect(receiver.received).toHaveLength(1);
  });

  it("sends once after the start what a stop or a crash left unsent, as it is then", async () => {
    const crashed = await start();
    await crashed.webhooks.set("home", hook());
    receiver.answer = () => {};
    crashed.forecastRun();
    await receiver.until(1);
    crashed.forecastRun("day_ahead");
    const plan = { ...samplePlan(), material: true };
    crashed.bus.emit("plan.updated", plan);
    await new Promise(setImmediate);
    answer(204);
    const run: ForecastRun = {
      issuedAt: START,
      trigger: "day_ahead",
      modelVersion: "ridge-2",
      tier: "ridge",
      hours: [],
    };
    const latest = { run: () => run, plan: () => ({ ...plan, material: false }) };
    const again = await start({}, latest);
    await again.recorded("home", 2);
    expect(receiver.received.slice(1).map(({ rawBody }) => JSON.parse(rawBody))).toMatchObject([
      { event: "forecast.updated", model_version: "ridge-2" },
      { event: "plant.plan_updated", plan_hash: plan.scalars.planHash },
    ]);
    await start({}, latest);
    expect(receiver.received).toHaveLength(3);
    crashed.elapse(10_000);
  });

  it("logs neither secrets nor paths and queries of URLs", async () => {
    const { webhooks, lines } = await start();
    const { secret } = await webhooks.set("home", hook("/private-path?token=private-token"));
    await webhooks.test("home");
    answer(500);
    await webhooks.test("home");
    answer(302, { location: "/private-path" });
    await webhooks.test("home");
    const rotated = await webhooks.rotateSecret("home");
    await receiver.close();
    await webhooks.test("home");
    const text = lines.join("\n") + JSON.stringify(webhooks.deliveries("home"));
    expect(lines.length).toBeGreaterThanOrEqual(4);
    for (const secretText of [secret, rotated.secret, "private-"]) expect(text).not.toContain(secretText);
    receiver = await startReceiver(certificate);
  });
});
