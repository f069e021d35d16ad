import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { createBus } from "../../src/core/bus.js";
import { LiveEvents } from "../../src/portal/dashboard/live-events.js";
import { samplePlan } from "../api/fake-services.js";

describe("live events", () => {
  const open: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of open.splice(0)) await close();
  });

  /** The streams behind a real server, and what a reader of one gets. */
  async function serve(isSignedIn: () => boolean = () => true) {
    const bus = createBus();
    const events = new LiveEvents({ bus });
    events.start();
    const server: Server = createServer((request, response) =>
      events.open(request, response, { siteId: request.url!.slice(1), accountId: "a", isSignedIn }),
    );
    await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
    const { port } = server.address() as AddressInfo;
    open.push(async () => {
      await events.stop();
      await new Promise((closed) => server.close(closed));
    });
    const url = (site: string) => `http://127.0.0.1:${port}/${site}`;
    return { bus, events, url, connect: (site: string) => connect(url(site)) };
  }

  async function connect(url: string) {
    const response = await fetch(url);
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    const next = async () => (await reader.read()).value;
    expect(await next()).toContain("retry: ");
    return { response, next };
  }

  it("tell the readers of a site once that it changed, and nobody else", async () => {
    const { bus, connect } = await serve();
    const [home, other] = [await connect("home"), await connect("other")];
    expect(home.response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    bus.emit("plan.updated", samplePlan("home"));
    bus.emit("pv.updated", { siteId: "home" });
    expect(await home.next()).toBe("event: changed\ndata: {}\n\n");
    bus.emit("slots.updated", { siteId: "other" });
    // The first that the other site's reader hears is of its own site.
    expect(await other.next()).toBe("event: changed\ndata: {}\n\n");
  });

  it("answer a HEAD with headers alone, and keep no stream for it", async () => {
    const { events, url } = await serve();
    const response = await fetch(url("home"), { method: "HEAD", signal: AbortSignal.timeout(5000) });
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    expect(await response.text()).toBe("");
    expect(events.count).toBe(0);
  });

  it("end with the session, with the gateway, and when an account opens too many", async () => {
    let signedIn = true;
    const { bus, events, connect } = await serve(() => signedIn);
    const first = await connect("home");
    for (let count = 0; count < 8; count++) await connect("home");
    expect(events.count).toBe(8);
    expect(await first.next()).toBeUndefined();
    const last = await connect("home");
    signedIn = false;
    bus.emit("plan.updated", samplePlan("home"));
    expect(await last.next()).toContain("event: over");
    signedIn = true;
    const another = await connect("home");
    await events.stop();
    expect(await another.next()).toBeUndefined();
    expect(events.count).toBe(0);
  });
});
