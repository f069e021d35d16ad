import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { VERSION } from "../../../src/core/version.js";
import { runCommand } from "../../support/run-command.js";

const folder = mkdtempSync(join(tmpdir(), "hourgate-cli-"));
afterAll(() => rmSync(folder, { recursive: true }));

const empty = join(folder, "empty.yaml");
const wrong = join(folder, "wrong.yaml");
writeFileSync(empty, "");
writeFileSync(wrong, "http:\n  prot: 1\n  port: x\n");

async function run(typed: string[], environment: Record<string, string> = {}) {
  return runCommand(typed, { environment });
}

describe("hourgate", () => {
  it("prints version and help", async () => {
    expect(await run(["--version"])).toEqual({ code: 0, out: VERSION, error: "" });
    expect(VERSION).toMatch(/^\d+\.\d+\.\d+/);
    const help = await run(["--help"]);
    expect(help.code).toBe(0);
    expect(help.out).toContain("serve");
    expect(help.out).toContain("check");
    for (const typed of [
      ["check", "--help"],
      ["help", "check"],
      ["check", "-h"],
      ["--help", "check"],
    ])
      expect((await run(typed)).out).toContain(
        "Usage: hourgate check [--config FILE] [--lang de|en] [--json]",
      );
  });

  it("without a command shows how it is used and fails", async () => {
    const { code, out, error } = await run([]);
    expect([code, out]).toEqual([2, ""]);
    expect(error).toContain("Usage: hourgate COMMAND");
  });

  it.each([
    [["sevre"], '"sevre" is not a command of hourgate. Did you mean "serve"? See hourgate --help.'],
    [
      ["--versoin"],
      '"--versoin" is not an option of hourgate. Did you mean "--version"? See hourgate --help.',
    ],
    [
      ["check", "--jsno"],
      '"--jsno" is not an option of hourgate check. Did you mean "--json"? See hourgate check --help.',
    ],
    [["check", "--config"], "--config needs a value, such as --config FILE. See hourgate check --help."],
    [["check", "--config="], "--config needs a value, such as --config FILE. See hourgate check --help."],
    [["check", "--json=1"], "--json takes no value. See hourgate check --help."],
    [
      ["check", "--config", "--json"],
      "--config needs a value, such as --config FILE. See hourgate check --help.",
    ],
    [
      ["account"],
      '"account" must be followed by create or list or reset-password or unlock or delete. See hourgate --help.',
    ],
    [
      ["acount", "create"],
      '"acount" is not a command of hourgate. Did you mean "account create"? See hourgate --help.',
    ],
    [
      ["serve", "x"],
      '"x" is one argument too many; hourgate serve accepts no positional arguments. See hourgate serve --help.',
    ],
  ])("%j: a sentence and exit code 2", async (typed, sentence) => {
    expect(await run(typed)).toEqual({ code: 2, out: "", error: sentence });
  });
});

it("says that there is nothing to read from a device that only takes commands", async () => {
  const device = ["--template", "fronius-gen24-http", "--with", "host=127.0.0.1:9"];
  expect(await run(["devices", "read", ...device, "--config", empty])).toEqual({
    code: 1,
    out: "",
    error: 'The template "fronius-gen24-http" reads nothing: it only takes commands.',
  });
});

describe("hourgate demo", () => {
  it.each(["--http-port", "--mqtt-port"])(
    "says how to choose another port in place of a taken one: %s",
    async (option) => {
      const other = createServer();
      await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
      const { port } = other.address() as AddressInfo;
      const ports = ["--http-port", "0", "--mqtt-port", "0", option, String(port)];
      const { code, error } = await run(["demo", ...ports]);
      other.close();
      expect([code, error]).toEqual([
        1,
        `Port ${port} is in use by another program: choose another one with ${option}, such as ${option} 0 for any free one.`,
      ]);
    },
  );
});

describe("hourgate check", () => {
  it("accepts", async () => {
    const { code, out } = await run(["check", "--config", empty]);
    expect(code).toBe(0);
    expect(out).toBe(`${empty}: correct. Plants: home.`);
    expect((await run(["check"], { HOURGATE_CONFIG: empty })).out).toContain(empty);
  });

  it("names file, line, key and what is allowed", async () => {
    expect(await run(["check", "-c", wrong])).toEqual({
      code: 1,
      out: "",
      error: [
        `${wrong}:2: http.prot: is not a known key. Did you mean "port"?`,
        `${wrong}:3: http.port: must be a whole number from 0 to 65535 (TCP port); found the text "x".`,
      ].join("\n"),
    });
    expect((await run(["check", "-c", join(folder, "none.yaml")])).code).toBe(1);
  });

  it("names a file of a source that does not exist", async () => {
    const config = join(folder, "no-prices.yaml");
    writeFileSync(config, "market: { sources: [{ type: file, path: /nowhere/prices.csv }] }\n");
    expect(await run(["check", "-c", config])).toEqual({
      code: 1,
      out: "",
      error: `${config}:1: market.sources.0.path: there is no file /nowhere/prices.csv; set the path of a file that hourgate can read.`,
    });
  });

  it("names a certificate that a start would refuse", async () => {
    const config = join(folder, "tls.yaml");
    const tls = `{ cert_file: ${empty}, key_file: ${empty} }`;
    writeFileSync(config, `data_dir: ${folder}\nhttp:\n  tls: ${tls}\n`);
    const { code, error } = await run(["check", "-c", config]);
    expect(code).toBe(1);
    expect(error).toMatch(new RegExp(`^${config}:3: http\\.tls: cannot be used: .+`));
  });

  it("names devices that the gateway could not use, and what is left out of the plan", async () => {
    const config = join(folder, "devices.yaml");
    const lines = [
      `data_dir: ${folder}`,
      "plants:",
      "  - id: home",
      "    battery: { capacity_kwh: 10, max_charge_power_kw: 5, max_discharge_power_kw: 5 }",
      "    devices:",
      "      - { id: a, template: fronius-gen24x, with: { host: 10.0.0.1 } }",
      "      - { id: b, template: fronius-gen24, with: { hots: 10.0.0.1 } }",
      "      - { id: c, template: sdm630, with: { host: 10.0.0.2 }, reads: [battery] }",
      "      - { id: d, template: sdm630, with: { host: 8.8.8.8 }, reads: [grid] }",
      "      - { id: e, template: sma-energy-meter, with: {}, reads: [load] }",
      "    actuators:",
      "      - { id: plug, template: shelly-gen2, controls: slot 1, with: { host: 10.0.0.3 } }",
      "      - { id: plug2, template: shelly-gen2, controls: slot 2, with: { host: 10.0.0.3 } }",
      "      - { id: none, template: shelly-gen2, controls: battery, with: { host: 10.0.0.4 } }",
    ];
    writeFileSync(config, lines.join("\n"));
    const { code, error } = await run(["check", "-c", config]);
    expect(code).toBe(1);
    const at = (line: number, key: string, sentence: RegExp) =>
      expect(error).toMatch(new RegExp(`${config}:${line}: plants\\.0\\.${key}: ${sentence.source}`));
    at(6, "devices\\.0", /There is no template "fronius-gen24x"\. Did you mean "fronius-gen24"\?/);
    at(7, "devices\\.1", /hots is not a parameter of this template.*host is missing/);
    at(8, "devices\\.2", /The template "sdm630" does not read battery; it reads grid/);
    at(9, "devices\\.3", /The host 8\.8\.8\.8 is not in the local network/);
    at(13, "actuators\\.1", /drives the same device as home\/plug/);
    at(14, "actuators\\.2", /The template "shelly-gen2" is for .*, not for battery/);
    writeFileSync(config, lines.slice(0, 5).join("\n"));
    expect((await run(["check", "-c", config])).code).toBe(0);
  });

  it("prints one JSON document on request", async () => {
    const good = await run(["check", "--json", "--config", empty]);
    expect(JSON.parse(good.out)).toMatchObject({ ok: true, file: empty, plants: ["home"], problems: [] });
    const bad = await run(["check", "--json", "--config", wrong]);
    expect([bad.code, bad.error]).toEqual([1, ""]);
    expect(JSON.parse(bad.out)).toMatchObject({
      ok: false,
      problems: [
        { file: wrong, line: 2, column: 3, key: "http.prot" },
        { file: wrong, line: 3, column: 3, key: "http.port" },
      ],
    });
  });

  it("a wrong configuration does not start half a gateway", async () => {
    const { code, error } = await run(["serve", "--config", wrong]);
    expect(code).toBe(1);
    expect(error).toContain(`${wrong}:2: http.prot:`);
  });
});
