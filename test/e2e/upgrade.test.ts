import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import mqtt from "mqtt";
import { expect, it, onTestFinished } from "vitest";
import { stringify } from "yaml";
import { createGateway } from "../../src/app/gateway.js";
import { parse } from "../../src/config/load.js";
import { silentLog } from "../../src/core/log.js";
import { openStore } from "../../src/store/store.js";
import { Browser } from "../portal/form-browser.js";
import { eventually } from "../support/eventually.js";
import { recentPricesFile } from "../support/recorded-data.js";

const FIXTURES = resolve(import.meta.dirname, "../fixtures/upgrade");

/** What the commands of 0.1.0 printed when the folder was made; test/fixtures/README.md. */
const OWNER = {
  email: "owner@example.org",
  password: "correct horse battery",
  key: `hg_live_${"u".repeat(43)}`,
};
const ANNA = {
  email: "anna@example.org",
  password: "another good one 7",
  key: "hg_live_Z2ZDDdSvp49FHQvVKbRmFdyToPFFAa3R0SEFFsGqO9o",
};
const LINK = "m7K2EP9hNc7p0vvcjL3NVZz9c90Iq07u";
const SOC = [64, 71, 60, 58, 55, 71];

it("opens a data folder of 0.1.0 with its accounts, keys, links, plans, telemetry and topics", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hourgate-upgrade-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const archive = brotliDecompressSync(readFileSync(join(FIXTURES, "data-0.1.0.tar.br")));
  execFileSync("tar", ["-x", "-C", folder], { input: archive });
  const dataDir = join(folder, "data");
  const { settings } = parse(
    stringify({
      data_dir: dataDir,
      http: { host: "127.0.0.1", port: 0 },
      owner: { email: OWNER.email },
      clock: { start: "2026-01-15T10:00:00+01:00", speed: 0 },
      market: { sources: [{ type: "file", path: recentPricesFile() }] },
      weather: { sources: [] },
      mqtt: { broker: { host: "127.0.0.1", port: 0 } },
      node_red: { enabled: false },
      plants: [
        {
          id: "home",
          name: "Home",
          latitude: 48.21,
          longitude: 16.37,
          battery: { capacity_kwh: 10, max_charge_power_kw: 5, max_discharge_power_kw: 5 },
          pv: [{ peak_kw: 8, tilt_deg: 30, azimuth_deg: 180 }],
          slots: [{ slot: 1, kind: "boiler", label: "Boiler", power_kw: 2, energy_kwh: 4 }],
        },
      ],
    }),
  );
  const gateway = createGateway(settings, { log: silentLog, sampledLoads: 2 });
  await gateway.start();
  let isStopped = false;
  const stop = async () => {
    if (!isStopped) await gateway.stop();
    isStopped = true;
  };
  onTestFinished(stop);
  const url = `http://127.0.0.1:${gateway.ports.http}`;

  const tierOf = async (key: string) => {
    const response = await fetch(`${url}/v1/plant/device-schedules`, { headers: { "X-API-Key": key } });
    return (await response.json()).access.tier;
  };
  expect(await tierOf(OWNER.key)).toBe("full_active");
  expect(await tierOf(ANNA.key)).toBe("full_active");
  const line = await fetch(`${url}/c/${LINK}/value/soc`);
  expect([line.status, Number(await line.text())]).toEqual([200, SOC.at(-1)]);
  for (const { email, password } of [OWNER, ANNA]) {
    const browser = new Browser(url, {});
    await browser.get("/login");
    expect((await browser.post("/login", { email, password })).status, email).toBe(303);
    if (email !== OWNER.email) continue;
    const { text } = await browser.get("/admin");
    // The plan that 0.1.0 gave the account.
    expect(text).toContain(`${ANNA.email}</th><td data-label="Plan">Professional</td>`);
  }

  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${gateway.ports.mqtt}`, {
    username: "owner",
    password: OWNER.key,
  });
  onTestFinished(() => client.endAsync(true));
  const seen = new Set<string>();
  client.on("message", (topic) => void seen.add(topic));
  await client.subscribeAsync(["hourgate/#", "homeassistant/#"]);
  const former = readFileSync(join(FIXTURES, "topics-0.1.0.txt"), "utf8").trim().split("\n");
  expect(former.length).toBeGreaterThan(40);
  await eventually(() => expect(former.filter((topic) => !seen.has(topic))).toEqual([]));
  await client.endAsync(true);

  await stop();
  const store = await openStore(dataDir, silentLog, () => {});
  onTestFinished(() => store.close());
  const day = [new Date("2026-01-15T00:00:00Z"), new Date("2026-01-16T00:00:00Z")] as const;
  const kept = await store.samples.range("home", "soc_pct", ...day);
  expect(kept.map(({ value }) => value)).toEqual(SOC);
  expect((await store.samples.range("home", "pv_power_kw", ...day)).map(({ value }) => value)).toEqual([1.5]);
});
