import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join, resolve } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse as parseYaml } from "yaml";
// @ts-expect-error plain JavaScript without types
import { brokerOf, environmentOf } from "../../docker/home-assistant/environment.js";
import { parse } from "../../src/config/load.js";

const root = resolve(import.meta.dirname, "../..");
const folder = join(root, "docker/home-assistant");
const addOn = parseYaml(readFileSync(join(folder, "config.yaml"), "utf8"));

describe("the Home Assistant add-on", () => {
  it("has the version of the package, whose image it builds on", () => {
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    expect(addOn.version).toBe(version);
  });

  it("has defaults that its schema allows, and both languages name all options and ports", () => {
    for (const [option, value] of Object.entries(addOn.options)) {
      const [, choices] = /^list\((.*)\)$/.exec(addOn.schema[option])!;
      expect(choices!.split("|")).toContain(value);
    }
    for (const language of ["de", "en"]) {
      const texts = parseYaml(readFileSync(join(folder, `translations/${language}.yaml`), "utf8"));
      expect(Object.keys(texts.configuration)).toEqual(Object.keys(addOn.schema));
      expect(Object.keys(texts.network)).toEqual(Object.keys(addOn.ports));
    }
  });

  it("starts the gateway with its options behind the ingress, at Home Assistant's broker", () => {
    const broker = {
      host: "core-mosquitto",
      port: 1883,
      ssl: false,
      username: "addons",
      password: "a: secret",
    };
    const options = { ...addOn.options, base_url: "http://192.168.1.20:8080", owner_email: "a@example.org" };
    const environment = environmentOf({ options, broker });
    const { settings } = parse("", { environment });
    expect(settings.http).toMatchObject({
      port: addOn.ingress_port,
      trust_proxy: ["172.30.32.2"],
      base_path: "ingress",
      base_url: "http://192.168.1.20:8080",
    });
    expect(settings.mqtt.external).toMatchObject({
      url: "mqtt://core-mosquitto:1883",
      username: "addons",
      password: "a: secret",
    });
    expect(settings.owner.email).toBe("a@example.org");
    expect(settings.node_red.enabled).toBe(false);
    // Below /data, which also contains the Supervisor's own file with the options.
    expect(settings.data_dir).toBe("/data/hourgate");
    const alone = parse("", { environment: environmentOf({ options: addOn.options }) }).settings;
    expect([alone.mqtt.external.url, alone.http.base_url]).toEqual([null, null]);
  });

  it("gets the broker from the Supervisor, and none where the Supervisor has none", async () => {
    const data = { host: "core-mosquitto", port: 1883, ssl: false, username: "addons", password: "p" };
    const supervisor = createServer((req, res) => {
      const isKnown = req.url === "/services/mqtt" && req.headers.authorization === "Bearer right";
      res.writeHead(isKnown ? 200 : 400, { "Content-Type": "application/json" });
      res.end(JSON.stringify(isKnown ? { result: "ok", data } : { result: "error", message: "no service" }));
    });
    onTestFinished(() => void supervisor.close());
    await new Promise<void>((listening) => supervisor.listen(0, "127.0.0.1", listening));
    const url = `http://127.0.0.1:${(supervisor.address() as { port: number }).port}`;
    expect(await brokerOf({ token: "right", url })).toEqual(data);
    expect(await brokerOf({ token: "wrong", url })).toBeUndefined();
  });
});
