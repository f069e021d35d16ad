import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Environment } from "../../src/config/environment.js";
import { ConfigError, problemText } from "../../src/config/error.js";
import { parse } from "../../src/config/load.js";

const folder = mkdtempSync(join(tmpdir(), "hourgate-environment-"));
afterAll(() => rmSync(folder, { recursive: true }));

const settingsOf = (environment: Environment, text = "") =>
  parse(text, { file: "x.yaml", environment }).settings;

function linesOf(environment: Environment, text = ""): string[] {
  try {
    parse(text, { file: "x.yaml", environment });
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(problemText);
    throw error;
  }
  throw new Error("expected a ConfigError");
}

describe("environment variables", () => {
  it("override the file in any letter case", () => {
    const settings = settingsOf(
      { HOURGATE_HTTP__PORT: "8081", Hourgate_Http__Trust_Proxy: "[127.0.0.1]", HOURGATE_DATA_DIR: "/d" },
      "http: { port: 1, host: 127.0.0.1 }\ndata_dir: x",
    );
    expect(settings.http).toEqual({
      host: "127.0.0.1",
      port: 8081,
      base_url: null,
      tls: null,
      hosts: [],
      trust_proxy: ["127.0.0.1"],
      base_path: null,
    });
    expect(settings.data_dir).toBe("/d");
  });

  it("are parsed as YAML for null, lists and sections", () => {
    const settings = settingsOf({
      HOURGATE_PLANTS: "[{ id: a }, { id: b, battery: {} }]",
      HOURGATE_HTTP: "{ port: 1 }",
      HOURGATE_HTTP__HOST: "::1",
      HOURGATE_MQTT__BROKER__WS_PORT: "null",
      HOURGATE_OWNER__PASSWORD: "null",
    });
    expect(settings.plants.map((plant) => [plant.id, plant.battery?.capacity_kwh])).toEqual([
      ["a", undefined],
      ["b", 10],
    ]);
    expect(settings.http).toMatchObject({ port: 1, host: "::1" });
    expect(settings.mqtt.broker.ws_port).toBeNull();
    expect(settings.owner.password).toBeNull();
  });

  it("remain text for text keys", () => {
    const settings = settingsOf({
      HOURGATE_OWNER__PASSWORD: "12345",
      HOURGATE_DATA_DIR: "007",
      HOURGATE_FORECAST__SCHEDULE: "0 * * * *",
    });
    expect(settings.owner.password).toBe("12345");
    expect(settings.data_dir).toBe("007");
    expect(settings.forecast.schedule).toBe("0 * * * *");
  });

  it("address list entries by number, also of default lists", () => {
    const settings = settingsOf({
      HOURGATE_PLANTS__0__BATTERY__CAPACITY_KWH: "12",
      HOURGATE_PLANTS__1__ID: "garage",
      HOURGATE_MARKET__SOURCES__0__URL: "http://127.0.0.1:9/",
      HOURGATE_MARKET__SOURCES__1__TYPE: "file",
      HOURGATE_MARKET__SOURCES__1__PATH: "p.csv",
    });
    expect(settings.plants.map((plant) => [plant.id, plant.battery?.capacity_kwh])).toEqual([
      ["home", 12],
      ["garage", undefined],
    ]);
    expect(settings.market.sources).toMatchObject([
      { type: "awattar", url: "http://127.0.0.1:9/" },
      { type: "file", path: "p.csv" },
    ]);
  });

  it("create a section that the file set to null", () => {
    const settings = settingsOf(
      { HOURGATE_PLANTS__0__TARIFF__VAT_PCT: "20" },
      "plants: [{ id: a, tariff: null }]",
    );
    expect(settings.plants[0]?.tariff).toMatchObject({ vat_pct: 20 });
  });

  it("read secrets from files", () => {
    const path = join(folder, "secret");
    writeFileSync(path, "geheim\n");
    expect(settingsOf({ HOURGATE_OWNER__PASSWORD_FILE: path }).owner.password).toBe("geheim");
    expect(settingsOf({ HOURGATE_MQTT__EXTERNAL__PASSWORD_FILE: path }).mqtt.external.password).toBe(
      "geheim",
    );
    const token = settingsOf(
      { HOURGATE_MARKET__SOURCES__0__TOKEN_FILE: path },
      "market: { sources: [{ type: entsoe }] }",
    );
    expect(token.market.sources[0]).toMatchObject({ token: "geheim" });
    expect(linesOf({ HOURGATE_OWNER__KEY_FILE: `${path}x` })[0]).toBe(
      `HOURGATE_OWNER__KEY_FILE: owner.key: cannot be read from its file: there is no file ${path}x.`,
    );
    writeFileSync(path, " \n");
    expect(linesOf({ HOURGATE_OWNER__PASSWORD_FILE: path })[0]).toContain("the file is empty");
    expect(linesOf({ HOURGATE_HTTP__PORT_FILE: path })[0]).toContain("is not a known key");
  });

  it("are named in problems, with the probable variable", () => {
    expect(linesOf({ HOURGATE_HTTP__PROT: "1" })).toEqual([
      "HOURGATE_HTTP__PROT: http.prot: is not a known key. Did you mean HOURGATE_HTTP__PORT?",
    ]);
    expect(linesOf({ HOURGATE_HTTP__PORT: "abc" }, "http: { port: 1 }")).toEqual([
      'HOURGATE_HTTP__PORT: http.port: must be a whole number from 0 to 65535 (TCP port); found the text "abc".',
    ]);
    expect(linesOf({ HOURGATE_HTTP__PORT: "" })[0]).toContain("found nothing");
    expect(linesOf({ HOURGATE_PLANTS: "[" })[0]).toContain(
      "HOURGATE_PLANTS: plants: is not readable as YAML",
    );
    expect(linesOf({ HOURGATE_PLANTS__7__ID: "x" })[0]).toContain("names entry 7 of a list of 1");
    expect(linesOf({ HOURGATE_OWNER__PASSWORD: "a", Hourgate_owner__password: "b" })[0]).toContain(
      "is also set by",
    );
    expect(linesOf({ HOURGATE_PLANTS__1__NAME: "x" })).toEqual([
      "HOURGATE_PLANTS__1__NAME: plants.1.id: is missing: must be 1 to 32 characters of a-z, 0-9, _ and -.",
    ]);
    expect(linesOf({ HOURGATE_A__PROTO__: "1" })[0]).toContain("is not a known key");
  });

  it("similar to a section are rejected", () => {
    expect(linesOf({ HOURGATE_DATADIR: "/x" })).toEqual([
      "HOURGATE_DATADIR: datadir: is not a known key. Did you mean HOURGATE_DATA_DIR?",
    ]);
  });

  it("of other programs are ignored; a single underscore is noted", () => {
    const { settings, notes } = parse("", {
      environment: {
        HOURGATE_SERVICE_HOST: "10.0.0.1",
        HOURGATE_HTTP_PORT: "9",
        HOURGATE_MQTT_BROKER_PORT: "tcp://10.0.0.1:1",
        HOURGATE_CONFIG: "elsewhere",
        PATH: "/bin",
      },
    });
    expect(settings.http.port).toBe(8080);
    expect(notes).toEqual([
      "HOURGATE_HTTP_PORT is ignored; sections are joined by two underscores: HOURGATE_HTTP__PORT.",
    ]);
  });
});
