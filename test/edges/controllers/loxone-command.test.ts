import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { stringify } from "yaml";
import { SiteRegistry } from "../../../src/accounts/site-registry.js";
import { servers } from "../../../src/app/servers.js";
import { parsePlant } from "../../../src/config/plant.js";
import { createBus } from "../../../src/core/bus.js";
import { silentLog } from "../../../src/core/log.js";
import { realClock } from "../../../src/core/time/clock.js";
import { loxoneFile } from "../../../src/edges/controllers/loxone.js";
import { main } from "../../../src/ops/commands/main.js";
import { openStore } from "../../../src/store/store.js";

let folder: string;
let config: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hourgate-loxone-"));
  config = join(folder, "hourgate.yaml");
  await writeFile(
    config,
    stringify({
      data_dir: join(folder, "data"),
      http: { base_url: "http://gateway.lan:8080" },
      plants: [
        {
          id: "home",
          name: "Home",
          slots: [
            { slot: 2, label: "Boiler" },
            { slot: 5, enabled: false },
            { slot: 7, kind: "heat_pump" },
          ],
        },
      ],
    }),
  );
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function run(...typed: string[]) {
  const out: string[] = [];
  const errors: string[] = [];
  const code = await main(
    [...typed, "--config", config],
    {
      environment: {},
      out: (line) => out.push(line),
      error: (line) => errors.push(line),
    },
    servers,
  );
  return { code, out: `${out.join("\n")}\n`, errors: errors.join("\n") };
}

it("creates a link and prints the template of a site", async () => {
  const input = await run("loxone", "--site", "home");
  expect(input.code, input.errors).toBe(0);
  const token = /Address="http:\/\/gateway\.lan:8080\/c\/([\w-]{16,})\/line"/.exec(input.out)?.[1];
  expect(token).toBeDefined();
  expect(input.out.endsWith("</VirtualInHttp>\r\n")).toBe(true);
  expect(input.out).toContain('Title="S2" Comment="Boiler ein"');
  expect(input.out).not.toContain('Title="S5"');
  // Devices without a name have one in the language of the plant's user.
  expect(input.out).toContain('Comment="Wärmepumpe 7 ein"');
  expect(input.errors).toContain("VI_hourgate_home.xml");

  const output = await run("loxone", "--kind", "http-output", "--language", "en");
  expect(output.out).toContain('Comment="Send state of charge"');
  expect(output.out).toContain('Comment="Heat pump 7 flex_pack"');
  const { links } = JSON.parse((await run("link", "list", "--site", "home", "--json")).out);
  expect(links).toMatchObject([
    { scope: "read", label: "Loxone http-input", prefix: token!.slice(0, 6) },
    { scope: "telemetry", label: "Loxone http-output" },
  ]);

  const named = await run("loxone", `--token=${token}`);
  expect(named.out).toBe(input.out);
  const topics = await run("loxone", "--kind", "mqtt");
  expect(topics.out).toContain(' Topic="hourgate/home/outputs/O1" ');
  const after = JSON.parse((await run("link", "list", "--site", "home", "--json")).out);
  expect(after.links).toHaveLength(2);
});

it("uses the settings of the portal: the file is the portal's", async () => {
  const store = await openStore(join(folder, "data"), silentLog);
  const home = parsePlant({ id: "home", name: "Home" }, []);
  if ("findings" in home) throw new Error("The plant of this test is invalid.");
  const sites = new SiteRegistry({
    state: store.state,
    clock: realClock(),
    bus: createBus(),
    plants: [home.plant],
    telemetry: [],
    log: silentLog,
  });
  await sites.change("home", {
    plant: {
      name: "Cabin",
      slots: [
        { slot: 3, label: "Sauna" },
        { slot: 4, label: "Pool", enabled: false },
      ],
    },
  });
  const { plant } = sites.get("home")!;
  await store.close();

  const token = "0123456789abcdefghij";
  const { content } = loxoneFile({
    kind: "http-input",
    siteId: "home",
    siteName: plant.name,
    baseUrl: "http://gateway.lan:8080",
    token,
    slots: plant.slots,
    language: "en",
  });
  const printed = await run("loxone", "--token", token, "--language", "en");
  expect(printed.out).toBe(content);
  expect(content).toContain('Title="hourgate Cabin"');
  expect(content).toContain('Title="S3" Comment="Sauna on"');
  expect(content).not.toContain("Pool");
});

it.each([
  [["--kind", "virtual"], 2, /--kind must be http-input, http-output or mqtt, not "virtual"/],
  [["--token", "short"], 2, /--token must be the part of a link/],
  [["--language", "fr"], 2, /--language must be de or en/],
  [["--site", "cabin"], 2, /There is no plant "cabin"/],
  [["--site", "cabin", "--kind", "mqtt"], 2, /There is no plant "cabin"/],
])("refuses %j with a sentence", async (typed, code, sentence) => {
  const answer = await run("loxone", ...typed);
  expect(answer.code).toBe(code);
  expect(answer.errors).toMatch(sentence);
  expect(answer.out.trim()).toBe("");
});
