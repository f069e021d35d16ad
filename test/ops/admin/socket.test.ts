import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { askGateway } from "../../../src/ops/admin/client.js";
import type { AdminServices } from "../../../src/ops/admin/operation.js";
import { AdminServer } from "../../../src/ops/admin/server.js";
import type { TelemetryPage } from "../../../src/ops/admin/telemetry-operations.js";
import { people } from "../../accounts/people.js";
import { temporaryFolder } from "../../store/support/folder.js";

const unused = undefined as never;

async function gateway(folder: string, changes: Partial<AdminServices> = {}) {
  const services = await people();
  const errors: unknown[] = [];
  const warnings: string[] = [];
  const server = new AdminServer({
    folder,
    services: {
      ...services,
      webhooks: { set: () => Promise.reject(new Error("a secret")), test: () => new Promise(() => {}) },
      bills: unused,
      ledger: unused,
      samples: unused,
      meter: unused,
      baseUrl: () => "http://gateway.example/",
      ...changes,
    },
    log: {
      debug() {},
      info() {},
      warn: (_fields, message) => void warnings.push(message),
      error: (fields) => void errors.push(fields),
    },
  });
  await server.start();
  onTestFinished(() => server.stop());
  return { ...services, server, errors, warnings };
}

const ask = (folder: string, command: string, given: object = {}) =>
  askGateway(folder, { command, arguments: given });

/** Sends raw bytes and gives all that comes back. */
function say(folder: string, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(join(folder, "admin.sock"), () => socket.end(bytes));
    let heard = "";
    socket.setEncoding("utf8");
    socket.on("data", (chunk: string) => {
      heard += chunk;
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(heard));
  });
}

it("is accessible to its user only, answers requests, and is removed on stop", async () => {
  const folder = await temporaryFolder();
  expect(await ask(folder, "account list")).toBeUndefined();
  const { server, keyRing, links } = await gateway(folder);
  expect((await stat(join(folder, "admin.sock"))).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(["admin.sock"]);
  const answers = await Promise.all([1, 2, 3].map(() => ask(folder, "key create", { site: "home" })));
  expect(answers).toMatchObject(answers.map(() => ({ ok: true, result: { site_id: "home", added: true } })));
  expect(keyRing.list("home")).toHaveLength(3);
  const link = await ask(folder, "link create", { site: "home", scope: "read", label: "x" });
  const { token, url } = (link as { result: { token: string; url: string } }).result;
  expect([links.find(token)?.siteId, url]).toEqual(["home", `http://gateway.example/c/${token}/line`]);
  await server.stop();
  expect(await readdir(folder)).toEqual([]);
  expect(await ask(folder, "account list")).toBeUndefined();
});

it("returns a sentence for invalid requests, and no details of internal errors", async () => {
  const folder = await temporaryFolder();
  const { errors } = await gateway(folder);
  const refusals: [string, object, string, usage?: true][] = [
    ["key create", { site: "nowhere" }, 'There is no plant "nowhere"; there are home.', true],
    ["key create", {}, '"site" is missing.', true],
    ["key create", { site: 7 }, '"site" must be text of 1 to 1000 characters.', true],
    [
      "link create",
      { site: "home", scope: "write" },
      '"scope" must be one of read, telemetry, optimizer.',
      true,
    ],
    ["savings", { from: "x", to: "y" }, '--from must be a date such as 2026-07-01, not "x".', true],
    [
      "plan set",
      { email: "x@y.z", plan: "oem" },
      "There is no account for x@y.z; hourgate account list shows all accounts.",
    ],
    [
      "toString",
      {},
      'The command "toString" is unknown to the running gateway; check that both have the same version.',
    ],
    ["forecast run", {}, "No gateway is running; start it to run the forecast."],
    ["actuator list", {}, "No gateway is running; start it to use its actuators."],
    [
      "webhook set",
      { site: "home", url: "https://example.org" },
      "The command failed unexpectedly; the gateway's log contains the cause.",
    ],
  ];
  for (const [command, given, error, usage] of refusals) {
    expect(await ask(folder, command, given)).toEqual({ ok: false, error, ...(usage && { usage }) });
  }
  expect(errors).toHaveLength(1);
});

it("handles any bytes", async () => {
  const folder = await temporaryFolder();
  await gateway(folder);
  const refusal = `${JSON.stringify({ ok: false, error: "A request is one line of JSON: { command, arguments }." })}\n`;
  for (const bytes of ["\n", "null\n", "{}\n", '{"command":1,"arguments":{}}\n', "x".repeat(26e6)]) {
    expect(await say(folder, bytes)).toBe(refusal);
  }
  expect(await say(folder, "")).toBe("");
  expect(await say(folder, '{"command":"account list","arguments":{}}\nmore')).toBe(
    '{"ok":true,"result":{"accounts":[]}}\n',
  );
});

it("replaces the socket left behind by a killed gateway", async () => {
  const folder = await temporaryFolder();
  const path = join(folder, "admin.sock");
  await killed(path);
  expect((await stat(path)).isSocket()).toBe(true);
  expect(await ask(folder, "account list")).toBeUndefined();
  await gateway(folder);
  expect(await ask(folder, "account list")).toMatchObject({ ok: true });
});

it("works with a folder path that is too long for a socket", async () => {
  const folder = join(await temporaryFolder(), "x".repeat(120));
  await mkdir(folder);
  const { warnings } = await gateway(folder);
  expect(warnings).toEqual([]);
  expect(await ask(folder, "account list")).toMatchObject({ ok: true });
  expect(await readdir(folder)).toEqual(["admin.sock"]);
});

it("does not prevent the gateway from starting when it cannot be opened", async () => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, "admin.sock"));
  await writeFile(join(folder, "admin.sock", "in the way"), "");
  const { warnings } = await gateway(folder);
  expect(warnings).toEqual([
    "The administration socket cannot be opened; commands work only while the gateway is stopped.",
  ]);
});

it("runs the forecast of the gateway", async () => {
  const folder = await temporaryFolder();
  const issuedAt = new Date("2026-01-15T12:20:00Z");
  const hours = Array.from({ length: 192 }, (_, hour) => ({
    start: new Date(Date.parse("2026-01-15T12:00:00Z") + hour * 3_600_000),
    p10: 1.234,
    p50: 2,
    p90: 3,
    source: "forecast" as const,
  }));
  await gateway(folder, {
    runForecast: async () => ({ issuedAt, trigger: "manual", modelVersion: "m-1", tier: "ridge", hours }),
  });
  const answer = await ask(folder, "forecast run");
  const { result } = answer as { result: { hours: object[] } };
  expect(result).toMatchObject({ now: "2026-01-15T13:20:00+01:00", model_version: "m-1", tier: "ridge" });
  expect(result.hours).toHaveLength(168);
  expect(result.hours[0]).toEqual({
    start: "2026-01-15T13:00:00+01:00",
    p10_eur_mwh: 1.23,
    p50_eur_mwh: 2,
    p90_eur_mwh: 3,
    source: "forecast",
  });
});

/** A process that listened on the path until it was killed. */
async function killed(path: string): Promise<void> {
  const script = `require("node:net").createServer().listen(${JSON.stringify(path)}, () => console.log("ready"))`;
  const child: ChildProcess = spawn(process.execPath, ["-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await new Promise((resolve) => child.stdout!.once("data", resolve));
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await ended;
}

it("returns stored telemetry in pages that continue where the last one ended", async () => {
  const folder = await temporaryFolder();
  const times = Array.from({ length: 12_345 }, (_, index) => index * 1_000);
  await gateway(folder, {
    samples: {
      latest: async () => ({}),
      async *portions(_site, _reading, from, to) {
        const wanted = times.filter((ms) => ms >= from.getTime() && ms < to.getTime());
        for (let start = 0; start < wanted.length; start += 1000)
          yield wanted.slice(start, start + 1000).map((ms) => ({ at: new Date(ms), value: ms / 1000 }));
      },
    },
  });
  const received: number[] = [];
  const pages: number[] = [];
  for (let from: string | null = new Date(0).toISOString(); from !== null; ) {
    const given = { site: "home", reading: "soc_pct", from, to: "2030-01-01T00:00:00Z" };
    const answer = await ask(folder, "telemetry page", given);
    if (answer?.ok !== true) throw new Error(JSON.stringify(answer));
    const page = answer.result as TelemetryPage;
    received.push(...page.values.map(([ms]) => ms));
    pages.push(page.values.length);
    from = page.next;
  }
  expect(received).toEqual(times);
  expect(pages).toEqual([10_000, 2_345]);
});
