import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectAsync } from "mqtt";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { createGateway, type Gateway } from "../../src/app/gateway.js";
import { parse } from "../../src/config/load.js";
import type { Log } from "../../src/core/log.js";
import { realClock } from "../../src/core/time/clock.js";
import { askGateway } from "../../src/ops/admin/client.js";
import { ShellyGen2 } from "../support/devices/relays.js";
import { eventually } from "../support/eventually.js";
import { Browser } from "./form-browser.js";

const PASSWORD = "correct horse battery";
const SECRET = "secret-of-the-relay";
const KEY = `hg_live_${"o".repeat(43)}`;

describe("the pages of actuators", () => {
  const relay = new ShellyGen2(realClock(), SECRET);
  const lines: string[] = [];
  let folder: string;
  let gateway: Gateway;
  let base: string;
  let owner: Browser;

  beforeAll(async () => {
    await relay.start();
    folder = await mkdtemp(join(tmpdir(), "hourgate-actuators-"));
    const { settings } = parse(
      stringify({
        accounts: { registration: "open" },
        data_dir: join(folder, "data"),
        http: { host: "127.0.0.1", port: 0 },
        owner: { password: PASSWORD, key: KEY },
        market: { sources: [] },
        weather: { sources: [] },
        mqtt: { broker: { host: "127.0.0.1", port: 0 } },
        node_red: { enabled: false },
        metrics: { enabled: true },
        actuators: { tenant_templates: ["shelly-gen2", "tasmota"], tenant_hosts: ["192.168.9.9"] },
        plants: [
          { id: "home", slots: [{ slot: 1, kind: "boiler", label: "Boiler", power_kw: 2, hours: 1 }] },
        ],
      }),
    );
    const write = (fields: object, message: string) => void lines.push(JSON.stringify([fields, message]));
    const log: Log = { info: write, warn: write, error: write, debug: write, trace: write };
    gateway = createGateway(settings, { log, sampledLoads: 2 });
    await gateway.start();
    base = `http://127.0.0.1:${gateway.ports.http}`;
    owner = await signIn("owner@localhost");
  });

  afterAll(async () => {
    await gateway?.stop();
    await relay.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function signIn(email: string, headers: Record<string, string> = {}): Promise<Browser> {
    const browser = new Browser(base, headers);
    await browser.get("/login");
    expect((await browser.post("/login", { email, password: PASSWORD })).status).toBe(303);
    return browser;
  }

  const settings = () => ({
    template: "shelly-gen2",
    transport: "http",
    "p.host": relay.host,
    "p.password": SECRET,
  });

  /** Sends how a device is reached, and confirms what it is; the answer of the form that refuses, else of the last one. */
  async function save(
    browser: Browser,
    connection: Record<string, string>,
    { controls = "slot", slot = "1", ...fields }: Record<string, string> = {},
  ) {
    const reached = await browser.post("/devices/add", connection);
    if (reached.location === null || !reached.location.includes("draft=")) return reached;
    const draft = new URLSearchParams(reached.location.split("?")[1]).get("draft")!;
    await browser.get(reached.location);
    return browser.post("/devices/check", { draft, do: "save", controls, slot, ...fields });
  }

  it("leads from the wizard to a switched relay, in dry run first", async () => {
    // Without a connection it is a flexible device; addresses of former versions lead on.
    expect((await owner.get("/devices")).text).toContain("/settings/ems/slots?row=1");
    expect((await owner.get("/actuators/new?template=http")).location).toBe("/devices/add?template=http");
    const choice = await owner.get("/devices/add");
    expect(choice.text).toContain("Shelly switch (Gen2, Gen3, Gen4)");
    const form = await owner.get("/devices/add?template=shelly-gen2&transport=http");
    expect(form.text).toContain("the power-on state of the channel");
    expect(form.text).toContain("Not for loads that are dangerous without supervision.");
    expect(form.text).not.toContain('name="p.topic"');

    const refused = await owner.post("/devices/add", { ...settings(), "p.host": "", "p.lease": "x" });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain("Enter a number.");
    expect(refused.text).not.toContain(SECRET);
    const far = await save(owner, { ...settings(), "p.host": "203.0.113.9" });
    expect(far.text).toContain("The host 203.0.113.9 is not in the local network.");

    const saved = await save(owner, settings());
    expect(saved.location).toBe("/devices/device?site=home&id=shelly-gen2");
    const device = await owner.get(saved.location!);
    expect(device.text).toContain("saved in dry run");
    expect(device.text).toContain('<span class="badge">Dry run</span>');
    expect(device.text).not.toContain(SECRET);
    // A test begins with the power of the device.
    expect(/<input[^>]*name="power_kw"[^>]*>/.exec(device.text)?.[0]).toContain('value="2"');

    await owner.post("/devices/read", { id: "shelly-gen2" });
    expect((await owner.get(saved.location!)).text).toContain("The device shows the state “off”.");

    const unconfirmed = await owner.post("/devices/send", { id: "shelly-gen2", state: "on" });
    expect(unconfirmed.text).toContain("Confirm that the device may be switched now.");
    expect(relay.actual()).toBe("off");
    await owner.post("/devices/send", { id: "shelly-gen2", state: "on", send_confirm: "true" });
    expect((await owner.get(saved.location!)).text).toContain("The device has confirmed “on”.");
    expect(relay.actual()).toBe("on");
    const { parts } = JSON.parse((await owner.get("/portal/device?site=home&id=shelly-gen2")).text) as {
      parts: Record<string, string>;
    };
    expect(parts.log).toContain("/rpc/Switch.Set");
    expect(parts.log).toMatch(/<td[^>]*>confirmed<\/td>/);

    const faulty = await save(owner, settings());
    expect(faulty.text).toContain("The device “Boiler” already controls this device.");
  });

  it("switches between dry run, live and disabled, and says what failed", async () => {
    await owner.post("/devices/switch", { id: "shelly-gen2", switch: "live" });
    expect((await owner.get("/devices")).text).not.toContain("Dry run");
    await owner.post("/devices/switch", { id: "shelly-gen2", switch: "disable" });
    expect((await owner.get("/devices")).text).toContain("Switched off");
    await owner.post("/devices/switch", { id: "shelly-gen2", switch: "enable" });
    relay.faults.status = 401;
    await owner.post("/devices/read", { id: "shelly-gen2" });
    expect((await owner.get("/devices/device?id=shelly-gen2")).text).toContain(
      "check user name and password",
    );
    relay.repair();
  });

  it("changes the settings of a device, keeps what was typed and the password", async () => {
    expect((await owner.get("/devices/edit?id=shelly-gen2")).location).toBe("/devices/add?id=shelly-gen2");
    const form = await owner.get("/devices/add?id=shelly-gen2");
    expect(form.text).toContain(`value="${relay.host}"`);
    expect(form.text).not.toContain(SECRET);
    const stored = async () => {
      const { settings } = JSON.parse(await readFile(join(folder, "data/state.json"), "utf8"));
      return settings.home.plant.devices[0];
    };
    // The stored password belongs to the address that it was entered for.
    const typed = { id: "shelly-gen2", "p.host": "127.0.0.1:1", "p.password": "" };
    const unasked = await owner.post("/devices/add", typed);
    expect(unasked.status).toBe(422);
    expect(unasked.text).toContain("The address has changed: enter the password or token again");
    expect((await stored()).with.host).toBe(relay.host);

    const here = { ...typed, "p.host": relay.host };
    const refused = await save(owner, here, { max_writes_per_day: "1,5" });
    expect(refused.text).toContain("Enter a number from 3 to 100000.");
    // Moved to an address where nothing answers; then back. The switches stay as they are.
    const again = { ...typed, "p.password": SECRET };
    expect((await save(owner, again, { max_writes_per_day: "40" })).location).toBe("/devices");
    expect(await stored()).toMatchObject({
      id: "shelly-gen2",
      controls: "slot 1",
      with: { host: "127.0.0.1:1", password: SECRET },
      max_writes_per_day: 40,
    });
    await owner.post("/devices/read", { id: "shelly-gen2" });
    const page = "/devices/device?id=shelly-gen2";
    expect((await owner.get(page)).text).toContain("could not be read");
    await save(owner, { ...again, "p.host": relay.host });
    await owner.post("/devices/read", { id: "shelly-gen2" });
    const device = (await owner.get(page)).text;
    expect(device).toContain("The device shows the state “");
    expect(device).not.toContain('<span class="badge">Dry run');
    expect(device).toContain("of at most 40");

    await save(owner, { ...here, "clear.password": "true" });
    expect((await stored()).with).not.toHaveProperty("password");
    await save(owner, { ...here, "p.password": SECRET });
    expect((await stored()).with.password).toBe(SECRET);
  });

  it("adds a device that is only switched, after what it controls", async () => {
    const asked = await owner.get("/devices/add?template=http");
    expect(asked.text).toContain("hourgate controls");
    expect(asked.text).not.toContain("nothing, it is only read");
    const form = await owner.get("/devices/add?template=http&controls=slot");
    expect(form.text).toContain("for “on”");
    const urls = { "p.urls.on": `http://${relay.host}/on`, "p.urls.off": `http://${relay.host}/off` };
    const given = { template: "http", transport: "http", controls: "slot", ...urls };
    expect((await owner.post("/devices/add", { ...given, "p.urls.on": "", "p.urls.off": "" })).status).toBe(
      422,
    );
    const saved = await save(owner, given, { slot: "new:other" });
    expect(saved.location).toBe("/devices/device?site=home&id=http");
    const { text } = await owner.get(saved.location!);
    expect(text).toContain("<h1>Other device</h1>");
    expect(text).toContain('<span class="badge">Dry run</span>');
    await owner.post("/devices/remove", { id: "http", remove_confirm: "true" });
  });

  it("lists, tests and switches on the command line", async () => {
    const ask = (command: string, given: object) =>
      askGateway(join(folder, "data"), { command, arguments: given });
    expect(await ask("actuator list", {})).toMatchObject({
      ok: true,
      result: {
        actuators: [
          { site_id: "home", id: "shelly-gen2", controls: "slot 1", enabled: true, dry_run: false },
        ],
      },
    });
    const test = { id: "shelly-gen2", state: "on" };
    expect(await ask("actuator test", test)).toMatchObject({ ok: true, result: { outcome: "confirmed" } });
    expect(relay.actual()).toBe("on");
    for (const [command, given, error] of [
      ["actuator test", { ...test, id: "pump" }, 'There is no actuator "pump"; there are home/shelly-gen2.'],
      ["actuator test", { ...test, state: "charge" }, "The state must be one of on, off."],
      ["actuator enable", { id: "shelly-gen2", site: "other" }, 'There is no plant "other"; there are home.'],
    ] as const)
      expect(await ask(command, given)).toMatchObject({ ok: false, error });
    for (const [command, enabled] of [
      ["actuator disable", false],
      ["actuator enable", true],
    ] as const)
      expect(await ask(command, { id: "shelly-gen2" })).toMatchObject({ ok: true, result: { enabled } });
  });

  it("is German without English sentences", async () => {
    const german = await signIn("owner@localhost", { "accept-language": "de" });
    for (const path of [
      "/devices",
      "/devices/add",
      "/devices/add?template=http",
      "/devices/add?template=http&controls=slot",
      "/devices/device?id=shelly-gen2",
      "/devices/add?id=shelly-gen2",
    ]) {
      const { text, status } = await german.get(path);
      expect(status).toBe(200);
      const visible = text.replace(/<(style|script|code|nav)\b[\s\S]*?<\/\1>/g, " ").replace(/<[^>]+>/g, " ");
      expect(visible.match(/\b(the|is|are|not|with|your|must)\b.{0,40}/gi) ?? [], path).toEqual([]);
    }
  });

  it("is in Home Assistant with a switch, and in the metrics", async () => {
    const client = await connectAsync(`mqtt://127.0.0.1:${gateway.ports.mqtt}`, {
      username: "home",
      password: KEY,
    });
    const last = new Map<string, string>();
    client.on("message", (topic, payload) => void last.set(topic, payload.toString()));
    try {
      await client.subscribeAsync(["homeassistant/#", "hourgate/home/#"], { qos: 1 });
      // Its entities are those of the device that it switches.
      const announced = () =>
        Object.assign(
          {},
          ...[...last]
            .filter(([topic, text]) => topic.startsWith("homeassistant/device/") && text !== "")
            .map(([, text]) => JSON.parse(text).cmps),
        );
      await eventually(() => expect(announced()["actuator_shelly-gen2_enabled"]?.p).toBe("switch"));
      const of = (name: string) => announced()[`actuator_shelly-gen2_${name}`];
      const [toggle, state] = [of("enabled"), of("state")];
      expect(announced()["actuator_shelly-gen2_problem"]).toMatchObject({
        p: "binary_sensor",
        dev_cla: "problem",
      });
      expect(announced()["actuator_shelly-gen2_writes"].p).toBe("sensor");
      await eventually(() => expect(last.get(toggle.stat_t)).toBe(toggle.stat_on));
      await client.publishAsync(toggle.cmd_t, toggle.pl_off, { qos: 1 });
      await eventually(() =>
        expect([last.get(toggle.stat_t), last.get(state.stat_t)]).toEqual(["0", "disabled"]),
      );
      await client.publishAsync("hourgate/home/actuators/pump/enabled/set", "1", { qos: 1 });
      await eventually(() => expect(last.get("hourgate/home/ack")).toContain("There is no actuator"));
      await client.publishAsync(toggle.cmd_t, toggle.pl_on, { qos: 1 });
      await eventually(() => expect(last.get(toggle.stat_t)).toBe("1"));
    } finally {
      await client.endAsync();
    }
    const metrics = await (await fetch(`${base}/metrics`, { headers: { "X-API-Key": KEY } })).text();
    expect(metrics).toMatch(/hourgate_actuator_writes_total\{site="home",actuator="shelly-gen2"\} [1-9]/);
    expect(metrics).toMatch(/hourgate_actuator_confirmed\{site="home",actuator="shelly-gen2"\} [01]/);
  });

  it("proposes the template of devices that are seen on the broker", async () => {
    const client = await connectAsync(`mqtt://127.0.0.1:${gateway.ports.mqtt}`, {
      username: "home",
      password: KEY,
    });
    try {
      await client.publishAsync("tele/pump/LWT", "Online", { retain: true });
      await client.publishAsync("shellyplus1-a8032abe54dc/online", "true");
      await client.publishAsync("another/online", "true");
      await eventually(async () => {
        const { text } = await owner.get("/devices");
        expect(text).toContain("Set up Tasmota switch: pump");
        expect(text).toContain(
          "template=shelly-gen2&amp;transport=mqtt&amp;p.topic=shellyplus1-a8032abe54dc",
        );
        expect(text).not.toContain("another");
      });
    } finally {
      await client.endAsync();
    }
    const form = await owner.get("/devices/add?template=tasmota&transport=mqtt&p.topic=pump");
    expect(form.text).toMatch(/name="p.topic"[^>]*value="pump"/);
  });

  it("allows other accounts released templates and hosts only", async () => {
    const visitor = new Browser(base, {});
    await visitor.get("/register");
    await visitor.post("/register", { email: "anna@example.org" });
    const outbox = join(folder, "data/outbox");
    const mail = await readFile(join(outbox, (await readdir(outbox))[0]!), "utf8");
    const token = /token=([\w-]+)/.exec(mail.replace(/=\r?\n/g, "").replace(/=3D/gi, "="))?.[1];
    await visitor.get(`/confirm?token=${token}`);
    await visitor.post("/confirm", { token, password: PASSWORD });
    const tenant = await signIn("anna@example.org");

    await tenant.get("/settings/ems/slots?row=new");
    // As the page sends them: the defaults of SG Ready do not make a boiler a heat pump.
    const saved = await tenant.post("/settings/ems", {
      "slots.1.kind": "boiler",
      "slots.1.hours": "1",
      "slots.1.sg_ready.dwell_min": "15",
      "slots.1.sg_ready.block": "false",
      "slots.1.sg_ready.force": "false",
    });
    expect(saved.status).toBe(303);
    const list = await tenant.get("/devices/add");
    expect(list.text).toContain("Shelly switch (Gen2");
    expect(list.text).not.toContain("Any device over HTTP");
    expect((await tenant.get("/devices")).text).not.toContain("Tasmota");

    const add = (fields: Record<string, string>) => save(tenant, { ...settings(), ...fields });
    const other = await add({ template: "http", "p.urls.on": "http://192.168.9.9/on" });
    expect(other.location).toBe("/devices/add");
    const host = await add({});
    expect([host.status, host.text.includes("has not released the host 127.0.0.1")]).toEqual([422, true]);
    const broker = await add({ template: "tasmota", transport: "mqtt", "p.topic": "pump" });
    expect([broker.status, broker.text.includes("broker is not available to this account")]).toEqual([
      422,
      true,
    ]);
    expect((await tenant.get("/devices/device?id=shelly-gen2")).status).toBe(404);
    expect((await tenant.post("/devices/switch", { id: "shelly-gen2", switch: "live" })).status).toBe(404);
    expect((await add({ "p.host": "192.168.9.9" })).location).toContain("id=shelly-gen2");
  });

  it("keeps passwords in a file of the gateway's user only, and out of logs and status", async () => {
    const state = join(folder, "data/state.json");
    expect((await stat(state)).mode & 0o777).toBe(0o600);
    expect(await readFile(state, "utf8")).toContain(SECRET);
    const headers = { "X-API-Key": KEY };
    for (const path of ["/v1/status", "/v1/plant", "/metrics"])
      expect(await (await fetch(base + path, { headers })).text()).not.toContain(SECRET);
    expect(lines.join("\n")).not.toContain(SECRET);
  });

  it("removes an actuator after a confirmation, and releases its device", async () => {
    const asked = await owner.post("/devices/remove", { id: "shelly-gen2" });
    expect(asked.text).toContain("Confirm that you want to remove the device.");
    expect(
      (await owner.post("/devices/remove", { id: "shelly-gen2", remove_confirm: "true" })).location,
    ).toBe("/devices");
    expect((await owner.get("/devices")).text).not.toContain("/devices/device?");
    expect(relay.actual()).toBe("off");
    const { settings: stored } = JSON.parse(await readFile(join(folder, "data/state.json"), "utf8"));
    expect(stored.home.plant.devices).toEqual([]);
    const removed = (await owner.get("/devices")).text;
    expect(removed).toContain("Boiler removed");
    const [, change] = /name="id" value="([^"]+)"/.exec(removed)!;
    const undo = { id: change, back: "/devices" };
    expect((await owner.post("/settings/ems/undo", undo)).location).toBe("/devices");
    await eventually(async () =>
      expect((await owner.get("/devices/device?id=shelly-gen2")).text).toContain("Dry run"),
    );
    await owner.post("/devices/read", { id: "shelly-gen2" });
    expect((await owner.get("/devices/device?id=shelly-gen2")).text).toContain("The device shows the state");
    await owner.post("/devices/remove", { id: "shelly-gen2", remove_confirm: "true" });
    await save(owner, settings());
    expect((await owner.get("/devices/device?id=shelly-gen2")).text).toContain("Dry run");
  });
});
