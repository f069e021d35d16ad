import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { servers } from "../../../src/app/servers.js";
import { main } from "../../../src/ops/commands/main.js";
import { OLDEST_NODE } from "../../../src/ops/doctor/machine.js";

async function doctor(configuration: string, ...options: string[]) {
  return doctorIn({}, configuration, {}, ...options);
}

async function doctorIn(
  environment: Record<string, string>,
  configuration: string,
  { mode = 0o600 }: { mode?: number } = {},
  ...options: string[]
) {
  const folder = mkdtempSync(join(tmpdir(), "hourgate-doctor-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const config = join(folder, "hourgate.yaml");
  writeFileSync(config, configuration.replace("FOLDER", folder));
  chmodSync(config, mode);
  const [out, error]: [string[], string[]] = [[], []];
  const terminal = {
    environment,
    out: (line: string) => void out.push(line),
    error: (line: string) => void error.push(line),
  };
  const code = await main(["doctor", "--config", config, ...options], terminal, servers);
  return { code, out, error, config };
}

const QUIET = [
  "data_dir: FOLDER/data",
  "http: { host: 127.0.0.1, port: 0 }",
  "mqtt: { broker: { enabled: false } }",
  "market: { sources: [] }",
  "weather: { sources: [] }",
].join("\n");

it("prints one line for each finding and ends with 0 when nothing is bad", async () => {
  const { code, out, error, config } = await doctor(QUIET);
  expect([code, error]).toEqual([0, []]);
  for (const line of out) expect(line).toMatch(/^(ok {2}|warn) {2}\S.* {2}— .+[.]$/);
  expect(out[0]).toMatch(new RegExp(`^ok {4}configuration +— ${config}: correct\\.$`));
  expect(new Set(out.map((line) => line.indexOf("—"))).size).toBe(1);
});

it("names what is wrong with a configuration, and ends with 1", async () => {
  const { code, out, config } = await doctor("http:\n  prot: 1\n");
  expect(code).toBe(1);
  expect(out).toEqual([
    `bad   configuration  — ${config}:2: http.prot: is not a known key. Did you mean "port"?`,
  ]);
});

it("names a device whose settings are wrong, once and with its line", async () => {
  const device = "{ id: meter, template: sdm631, with: { host: 10.0.0.2 } }";
  const { code, out, config } = await doctor(`${QUIET}\nplants:\n  - id: home\n    devices: [${device}]`);
  expect(code).toBe(1);
  expect(out.filter((line) => line.includes("sdm631"))).toEqual([
    expect.stringMatching(
      new RegExp(`^bad +configuration +— ${config}:8: plants\\.0\\.devices\\.0: There is no template`),
    ),
  ]);
});

it("prints one JSON document on request", async () => {
  const { code, out } = await doctor(`${QUIET}\nsmtp: { host: 127.0.0.1, port: 1 }`, "--json");
  expect([code, out.length]).toEqual([1, 1]);
  const document = JSON.parse(out[0]!) as { ok: boolean; findings: { verdict: string; what: string }[] };
  expect(document.ok).toBe(false);
  expect(document.findings).toContainEqual({
    verdict: "bad",
    what: "mail server",
    sentence: expect.stringMatching(/^127\.0\.0\.1:1 cannot be used .*smtp\.host/),
  });
});

it("prints German where LANG is German, unless --lang or --json says otherwise", async () => {
  const german = { LANG: "de_AT.UTF-8" };
  const { code, out } = await doctorIn(german, QUIET);
  expect(code).toBe(0);
  expect(out[0]).toMatch(/^ok {7}Konfiguration +— .*: in Ordnung\.$/);
  expect(out.join("\n")).toMatch(/^Warnung +Preisquellen +— Keine eingerichtet/m);
  expect(out.join("\n")).not.toMatch(/\b(the|is|are|of|not|has|it)\b/i);
  expect((await doctorIn(german, QUIET, {}, "--lang", "en")).out[0]).toContain("correct.");
  expect((await doctorIn(german, QUIET, {}, "--json")).out[0]).toContain("correct.");
  expect((await doctorIn({}, QUIET, {}, "--lang", "de")).out[0]).toContain("in Ordnung.");
  expect(await doctor(QUIET, "--lang", "fr")).toMatchObject({
    code: 2,
    error: ['--lang must be de or en, not "fr".'],
  });
});

it("requires the same Node.js version as the package", () => {
  const { engines } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")) as {
    engines: { node: string };
  };
  expect(`>=${OLDEST_NODE}`).toBe(`${engines.node}.0`);
});

it("warns of a configuration that every user can read and that contains a password", async () => {
  const secret = `${QUIET}\nowner: { key: hg_live_${"k".repeat(43)} }`;
  const { out } = await doctorIn({}, secret, { mode: 0o644 });
  expect(out.join("\n")).toMatch(
    /^warn +configuration .*contains a password or key \(owner\.key\): run "chmod 600 /m,
  );
  for (const [text, mode] of [
    [secret, 0o640],
    [QUIET, 0o644],
  ] as const)
    expect((await doctorIn({}, text, { mode })).out.join("\n")).not.toContain("contains a password or key");
});
