import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectAsync } from "mqtt";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { stringify } from "yaml";
import { createGateway, type Gateway } from "../../src/app/gateway.js";
import { parse } from "../../src/config/load.js";
import { silentLog } from "../../src/core/log.js";
import { Browser } from "./form-browser.js";

const PASSWORD = "a long password";

describe("the connections of a running gateway", () => {
  let folder: string;
  let gateway: Gateway;
  let owner: Browser;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "hourgate-connect-"));
    const { settings } = parse(
      stringify({
        data_dir: join(folder, "data"),
        http: { host: "127.0.0.1", port: 0 },
        clock: { start: "2026-01-15T10:00:00+01:00", speed: 1 },
        owner: { email: "owner@example.org", password: PASSWORD },
        market: { sources: [] },
        weather: { sources: [] },
        node_red: { enabled: false },
        mqtt: { broker: { host: "127.0.0.1", port: 0 } },
        plants: [{ id: "home", battery: { capacity_kwh: 10 } }],
      }),
    );
    const print = vi.spyOn(console, "log").mockImplementation(() => {});
    gateway = createGateway(settings, { log: silentLog, sampledLoads: 2 });
    await gateway.start();
    print.mockRestore();
    owner = new Browser(`http://127.0.0.1:${gateway.ports.http}`, {});
    await owner.get("/login");
    await owner.post("/login", { email: "owner@example.org", password: PASSWORD });
  });
  afterAll(async () => {
    await gateway.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const light = async (kind: string) => /dot (\w+)/.exec((await owner.get(`/connect/${kind}`)).text)?.[1];
  const created = async (path: string, kind: string, pattern: RegExp) => {
    await owner.get(`/connect/${kind}`);
    await owner.post(`/connect/${path}`, { kind });
    return pattern.exec((await owner.get(`/connect/${kind}`)).text)?.[0] ?? "";
  };

  it("a client that signs in with the key of the page turns the light on, and off when it leaves", async () => {
    expect(await light("iobroker")).toBe("none");
    const password = await created("keys", "iobroker", /hg_live_[\w-]{43}/);
    await owner.post("/connect/test", { kind: "iobroker" });
    const client = await connectAsync(`mqtt://127.0.0.1:${gateway.ports.mqtt}`, {
      username: "iobroker",
      password,
    });
    await vi.waitFor(async () => expect(await light("iobroker")).toBe("connected"));
    await client.publishAsync("hourgate/home/telemetry/soc_pct", "55", { qos: 1 });
    const { text } = await owner.get("/connect/iobroker");
    expect(text).toContain("MQTT user iobroker: connected, sent to hourgate/home/telemetry/soc_pct");
    expect(text).toContain("Test passed");
    expect(text).not.toContain(password);
    expect(await light("evcc")).toBe("none");
    await client.publishAsync("hourgate/status", "offline", { qos: 1 });
    expect((await owner.get("/connect/iobroker")).text).toContain(
      "has refused the message to hourgate/status",
    );
    await client.endAsync();
    await vi.waitFor(async () => expect(await light("iobroker")).toBe("silent"));
  });

  it("a key and a link of the page work at the API, show their use, and end when they are revoked", async () => {
    const key = await created("keys", "http", /hg_live_[\w-]{43}/);
    const status = () =>
      fetch(`http://127.0.0.1:${gateway.ports.http}/v1/decision`, { headers: { "X-API-Key": key } });
    const [, id = ""] = /name="id" value="([^"]+)"/.exec((await owner.get("/connect/http")).text) ?? [];
    expect((await (await status()).json()) as object).toMatchObject({ access: { token_valid: true } });
    const link = await created("links", "shelly", /http:\/\/127\.0\.0\.1:\d+\/c\/[\w-]{32}/);
    // Reading the link while it is created is no sign of life of the Shelly.
    expect(await light("shelly")).toBe("none");
    expect((await fetch(`${link}/line`)).status).toBe(200);
    expect(await light("shelly")).toBe("connected");
    expect(await light("http")).toBe("connected");
    expect((await owner.get("/connect/http")).text).toContain("last used");
    // What does not work any more is first, then what works in a line each, then the others.
    expect((await owner.get("/connect")).text).toMatch(
      />ioBroker<.*Not connected now.*<h2>Connected<\/h2>.*>Shelly<.*<h2>Connect something else<\/h2>.*>evcc</s,
    );
    await owner.post("/connect/keys/revoke", { id, kind: "http" });
    expect((await owner.get("/connect/http")).text).toContain("revoked");
    expect((await (await status()).json()) as object).toMatchObject({ access: { token_valid: false } });
    expect(await light("http")).toBe("none");
  });

  it("offers the example flows with the address of the gateway, and the palette as a package", async () => {
    const { text, status } = await owner.get("/connect/node-red/flow?name=battery");
    expect(status).toBe(200);
    expect(JSON.parse(text)).toContainEqual(
      expect.objectContaining({
        type: "hourgate-config",
        url: `http://127.0.0.1:${gateway.ports.http}`,
        plant: "home",
      }),
    );
    expect((await owner.get("/connect/node-red/palette")).headers.get("content-disposition")).toContain(
      ".tgz",
    );
  });
});
