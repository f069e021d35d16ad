import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Aedes } from "aedes";
import { expect, it, onTestFinished } from "vitest";
import { parse } from "../../../src/config/load.js";
import { silentLog } from "../../../src/core/log.js";
import { examine } from "../../../src/ops/doctor/examine.js";
import type { Finding } from "../../../src/ops/doctor/finding.js";
import { examineEncryption } from "../../../src/ops/doctor/ports.js";
import { openStore } from "../../../src/store/store.js";
import { textsOf } from "../../../src/texts/index.js";
import { serve } from "../../edges/http/serve.js";
import { answeringServer, json, recorded } from "../../support/answering-server.js";
import { detailOf } from "../../support/components.js";

const PRICES = recorded("awattar_at_marketdata_2026-02-15_after_15min_switch.json");
const WEATHER = recorded("openmeteo_forecast_hourly_2026-03-02.json");
const MACHINE = { nodeVersion: "22.12.0", memoryBytes: 4e9, freeBytes: 2e9 };
/** Time limit for servers that never answer. */
const SHORT_MS = 1_000;

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "hourgate-doctor-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A server on loopback for one test. */
async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return (server.address() as { port: number }).port;
}

async function source(...[handler]: Parameters<typeof answeringServer>) {
  const server = await answeringServer(handler);
  onTestFinished(() => server.close());
  return server;
}

/** A port that nothing listens on. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The findings for a configuration, by the examined item. */
async function examined(
  configuration: object,
  { machine = MACHINE, limitMs = 10_000 } = {},
): Promise<Record<string, Finding>> {
  const { settings } = parse(JSON.stringify(configuration));
  const findings = await examine(settings, { machine, limitMs });
  for (const { sentence } of findings) expect(sentence).toMatch(/\S[.!]$/);
  return Object.fromEntries(findings.map((finding) => [finding.what, finding]));
}

const messageOf = (verdict: Finding["verdict"], ...parts: string[]) => ({
  verdict,
  sentence: expect.stringMatching(new RegExp(parts.map((part) => `(?=.*${part})`).join(""), "s")),
});

it("finds no fault in a working installation", async () => {
  const dataDir = join(temporaryFolder(), "data");
  await (await openStore(dataDir, silentLog)).close();
  const [prices, weather] = [await source(json(PRICES)), await source(json(WEATHER))];
  const [http, mqtt] = [await closedPort(), await closedPort()];
  const before = readdirSync(dataDir);
  const found = await examined({
    data_dir: dataDir,
    clock: { start: "2026-02-15T12:00:00+01:00" },
    http: { host: "127.0.0.1", port: http },
    mqtt: { broker: { host: "127.0.0.1", port: mqtt } },
    market: { sources: [{ type: "awattar", url: prices.url }] },
    weather: { sources: [{ type: "open_meteo", url: weather.url }] },
  });
  expect(found).toMatchObject({
    "Node.js": messageOf("ok", "22\\.12\\.0"),
    memory: messageOf("ok", "4\\.0 GB"),
    "time zones": messageOf("ok", "Vienna"),
    clock: messageOf("ok", "127\\.0\\.0\\.1"),
    "replay clock": messageOf("warn", "clock\\.start"),
    "data folder": messageOf("ok", "can be written"),
    "state.json": messageOf("ok", "backup"),
    database: messageOf("ok", "no gateway uses it"),
    "price source awattar": messageOf("ok", "24 prices", "until 2026-02-16T00:00:00\\+01:00"),
    "weather source open_meteo": messageOf("ok", "hours ahead"),
    "HTTP port": messageOf("ok", `${http} is free`),
    "MQTT port": messageOf("ok", `${mqtt} is free`),
    gateway: messageOf("warn", "hourgate serve"),
  });
  expect(found.disk).toBeDefined();
  expect(prices.requests.length + weather.requests.length).toBe(2);
  expect(readdirSync(dataDir)).toEqual(before);
});

it("messageOf what to do about each fault", async () => {
  const dataDir = join(temporaryFolder(), "data");
  await (await openStore(dataDir, silentLog)).close();
  writeFileSync(join(dataDir, "state.json"), '{"version":1');
  writeFileSync(join(dataDir, "state.json.backup"), "");
  const wrongTime = await source((_request, response) => {
    response.setHeader("Date", new Date(Date.now() + 600_000).toUTCString());
    response.writeHead(503).end();
  });
  const hanging = await source(() => {});
  const taken = await listening(createServer());
  // A web server that is not hourgate.
  const stranger = await source((_request, response) => response.end("<html>"));
  const mail = await listening(
    createServer((socket) => {
      socket.write("220 mail.test ESMTP\r\n");
      socket.on("data", (line) =>
        socket.write(
          /^EHLO/.test(String(line)) ? "250-mail.test\r\n250 AUTH PLAIN\r\n" : "535 no hunter2\r\n",
        ),
      );
      socket.on("error", () => {});
    }),
  );
  const redis = await closedPort();
  const found = await examined(
    {
      data_dir: dataDir,
      http: { host: "127.0.0.1", port: Number(new URL(stranger.url).port) },
      mqtt: { broker: { host: "127.0.0.1", port: taken } },
      market: {
        sources: [
          { type: "awattar", url: wrongTime.url },
          { type: "energy_charts", url: hanging.url },
        ],
      },
      weather: { sources: [] },
      smtp: { host: "127.0.0.1", port: mail, username: "me", password: "hunter2" },
      redis: { url: `redis://:hunter2@127.0.0.1:${redis}` },
    },
    { machine: { nodeVersion: "20.18.3", memoryBytes: 300e6, freeBytes: 50e6 }, limitMs: SHORT_MS },
  );
  expect(found).toMatchObject({
    "Node.js": messageOf("bad", "20\\.18\\.3", "install"),
    memory: messageOf("warn", "300 MB", "node_red\\.enabled"),
    clock: messageOf("bad", "(600|599|601) s behind", "NTP"),
    "state.json": messageOf("bad", "not valid JSON", "empty", "restore"),
    "price source awattar": messageOf("bad", "503", "Check network"),
    "price source energy_charts": messageOf("bad", "No answer within 1 s"),
    "weather sources": messageOf("warn", "None is configured"),
    gateway: messageOf("bad", "does not answer as a gateway"),
    "MQTT port": messageOf("bad", `${taken}`, "Mosquitto", "mqtt\\.external\\.url"),
    "mail server": messageOf("bad", "rejects the sign-in", "smtp\\.password"),
    Redis: messageOf("warn", `127\\.0\\.0\\.1:${redis}`, "redis\\.url"),
  });
  expect(JSON.stringify(found)).not.toContain("hunter2");
  expect(existsSync(join(dataDir, "state.json"))).toBe(true);
});

it("advises on the file of a source, not on the network, in the language asked for", async () => {
  const folder = temporaryFolder();
  const path = join(folder, "prices.csv");
  writeFileSync(path, "time;price\n2026-01-01;5\n");
  const weather = join(folder, "none.json");
  const settings = parse(
    JSON.stringify({
      data_dir: join(folder, "data"),
      http: { port: await closedPort() },
      mqtt: { broker: { port: await closedPort() } },
      market: { sources: [{ type: "file", path }] },
      weather: { sources: [{ type: "file", path: weather }] },
      plants: [{ id: "home", latitude: 48.2, longitude: 16.4 }],
    }),
  ).settings;
  const sentences = async (language: "de" | "en") =>
    (await examine(settings, { machine: MACHINE, language }))
      .filter(({ what }) => /prices\.csv|none\.json/.test(what))
      .map(({ verdict, sentence }) => `${verdict}: ${sentence}`);
  const [price, place] = await sentences("en");
  expect(price).toMatch(/^bad: .*prices\.csv cannot be used: Line 1 must be a header.* Correct the file/);
  expect(place).toMatch(/^bad: .*none\.json cannot be read: there is no such file\. Correct the file/);
  const [preis, wetter] = await sentences("de");
  expect(preis).toMatch(
    /^bad: .*prices\.csv hat nicht das erwartete Format .*\)\. Korrigieren Sie die Datei/,
  );
  expect(wetter).toMatch(/^bad: .*none\.json gibt es nicht\. Korrigieren Sie die Datei/);
});

it("reports a failing source as a warning while another one serves", async () => {
  const broken = await source((_request, response) => {
    response.sendDate = false;
    response.end("not JSON");
  });
  // A cache repeats the date of the stored answer.
  const cached = await source((_request, response) => {
    response.setHeader("Date", new Date(Date.now() - 600_000).toUTCString()).setHeader("Age", "600");
    response.end(PRICES);
  });
  const found = await examined({
    data_dir: join(temporaryFolder(), "not", "there"),
    clock: { start: "2026-02-16T12:00:00+01:00" },
    http: { host: "127.0.0.1", port: 0 },
    mqtt: { broker: { enabled: false } },
    market: {
      sources: [
        { type: "energy_charts", url: broken.url },
        { type: "awattar", url: cached.url },
      ],
    },
    weather: { sources: [] },
  });
  expect(found).toMatchObject({
    clock: messageOf("ok", "agrees"),
    "price source energy_charts": messageOf("warn", "not complete JSON", "Another source is in use"),
    // The recorded day is in the past.
    "price source awattar": messageOf("warn", "none of them for the current hour"),
    "data folder": messageOf("ok", "first start creates it"),
    "MQTT broker": messageOf("ok", "None is configured"),
    encryption: messageOf("ok", "from this machine only"),
  });
});

it.each<[Finding["verdict"], string, string[], object, string]>([
  ["ok", "0.0.0.0", ["203.0.113.7"], { tls: { cert_file: "c.pem", key_file: "k.pem" } }, "have TLS"],
  ["ok", "127.0.0.1", ["8.8.4.4"], {}, "from this machine only"],
  [
    "note",
    "0.0.0.0",
    ["127.0.0.1", "192.168.1.5", "2001:4860::5"],
    {},
    "cross the local network in clear text",
  ],
  ["warn", "0.0.0.0", ["192.168.1.5", "8.8.4.4"], {}, "this machine has the public address 8.8.4.4"],
  ["warn", "::", ["192.168.1.5", "2001:4860::5"], {}, "Set TLS"],
  ["warn", "8.8.8.8", [], {}, "the public address 8.8.8.8"],
])("says %s of clear text on %s with the addresses %s", (verdict, host, addresses, http, sentence) => {
  const { settings } = parse(
    JSON.stringify({ http: { host, ...http }, mqtt: { broker: { enabled: false } } }),
  );
  const found = examineEncryption(settings, addresses, textsOf("en").doctor);
  expect(found).toMatchObject(messageOf(verdict, sentence));
});

it("detects a running gateway by its HTTP port and its lock", async () => {
  const dataDir = join(temporaryFolder(), "data");
  const store = await openStore(dataDir, silentLog);
  onTestFinished(() => store.close());
  const { port, services } = await serve();
  services.components.report("price_source", "degraded", detailOf("No price source has answered yet."));
  const broker = await listening(createServer());
  const settings = {
    data_dir: dataDir,
    http: { host: "127.0.0.1", port },
    mqtt: { broker: { host: "127.0.0.1", port: broker } },
    market: { sources: [] },
    weather: { sources: [] },
  };
  const found = await examined(settings);
  expect(found).toMatchObject({
    gateway: messageOf("ok", "is ready"),
    "component price_source": messageOf("warn", "degraded since"),
    database: messageOf("ok", "A running gateway uses it"),
    "MQTT port": messageOf("ok", "accepts connections"),
  });
  expect(found["HTTP port"]).toBeUndefined();
  const without = await examined({ ...settings, http: { ...settings.http, port: await closedPort() } });
  expect(without.database).toMatchObject(messageOf("warn", "another port, or one that hangs"));
});

it.each([
  ["right", messageOf("ok", "accepts the sign-in")],
  ["wrong", messageOf("bad", "within 1 s", "mqtt\\.external\\.url")],
])("signs in to an external broker with the %s password", async (password, expected) => {
  const aedes = await Aedes.createBroker({
    authenticate: (_client, username, given, done) =>
      done(null, username === "hg" && String(given) === "right"),
  });
  onTestFinished(() => new Promise<void>((resolve) => aedes.close(() => resolve())));
  const port = await listening(createServer(aedes.handle));
  const found = await examined(
    {
      data_dir: join(temporaryFolder(), "data"),
      http: { host: "127.0.0.1", port: 0 },
      mqtt: { external: { url: `mqtt://127.0.0.1:${port}`, username: "hg", password } },
      market: { sources: [] },
      weather: { sources: [] },
    },
    { limitMs: password === "wrong" ? SHORT_MS : 10_000 },
  );
  expect(found["external broker"]).toMatchObject(expected);
  expect(found["MQTT port"]).toBeUndefined();
});
