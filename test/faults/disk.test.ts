import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { LevelSeries } from "../../src/store/level-series.js";
import { SampleArchive } from "../../src/store/sample-archive.js";
import { call, type GatewayProcess } from "../e2e/gateway-process.js";
import { device, refusalOf, started, stateOf, temporaryFolder, testSite } from "./support/gateway.js";

const DISK_BYTES = 6 * 1024 * 1024;
const firstMs = Date.parse("2026-01-14T00:00:00Z");

/** Mounts a small file system at `folder`; returns false if the system does not allow it. */
function mountSmallDisk(folder: string): boolean {
  mkdirSync(folder);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${DISK_BYTES}`, "hourgate-test", folder], {
      stdio: "ignore",
    });
  } catch {
    return false;
  }
  onTestFinished(() => void execFileSync("umount", ["--lazy", folder]));
  return true;
}

/** The stored values of `import_kwh` in a data folder. */
async function importsIn(data: string): Promise<number[]> {
  const database = await LevelSeries.open(join(data, "series"));
  const samples = await SampleArchive.open(database);
  const held = await samples.range("home", "import_kwh", new Date(0), new Date(1e13));
  await samples.close();
  await database.close();
  return held.map(({ value }) => value);
}

/** Writes zeros until the disk is full. */
function fill(path: string): void {
  const chunk = Buffer.alloc(4096);
  try {
    for (;;) writeFileSync(path, chunk, { flag: "a" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  }
}

/** Counter of the sample with this index: 3.6 kW, as a home can draw. */
const importKwhOf = (index: number) => index / 1000;

const post = (gateway: GatewayProcess, index: number) =>
  call(gateway, "/v1/plant/telemetry", {
    body: { timestamp: new Date(firstMs + index * 1000).toISOString(), import_kwh: importKwhOf(index) },
  });

it("a data folder that is removed while the gateway runs: 503 and no false acknowledgement; recovers when it is back", async () => {
  const { config, data } = testSite();
  const gateway = await started(config);
  expect((await post(gateway, 1)).status).toBe(200);
  const elsewhere = `${data}-elsewhere`;
  renameSync(data, elsewhere);
  const refused = await post(gateway, 2);
  expect([refused.status, refused.json.error.code]).toEqual([503, "storage_unavailable"]);
  const { components } = (await call(gateway, "/v1/status")).json;
  const store = components.find(({ name }: { name: string }) => name === "store");
  expect(store.detail).toMatch(/was removed or replaced.*Restore the folder, or restart/);
  const unhealthy = await call(gateway, "/health", { key: null });
  expect([unhealthy.status, unhealthy.json]).toEqual([503, { status: "down", component: "store" }]);
  expect((await post(gateway, 3)).status).toBe(503);
  expect((await call(gateway, "/v1/forecast")).json.prices).toHaveLength(168);
  // The gateway must not create a new folder: it would look like an empty installation.
  expect(existsSync(data)).toBe(false);

  renameSync(elsewhere, data);
  await expect.poll(() => call(gateway, "/health").then(({ status }) => status), { timeout: 8000 }).toBe(200);
  expect((await post(gateway, 4)).status).toBe(200);
  await gateway.end("SIGKILL");
  expect(await importsIn(data)).toEqual(expect.arrayContaining([1, 4].map(importKwhOf)));
});

it("a read-only disk: serves forecast and plan from what is stored, changes nothing, and stores when it is writable again", async ({
  skip,
}) => {
  const disk = join(temporaryFolder(), "disk");
  if (!mountSmallDisk(disk)) skip("No tmpfs can be mounted here: the test of a read-only disk needs root.");
  const { config } = testSite({ data_dir: join(disk, "data") });
  await (await started(config)).end("SIGTERM");
  const held = () => readdirSync(disk, { recursive: true }).sort();
  const before = held();
  execFileSync("mount", ["-o", "remount,ro", disk]);
  const gateway = await started(config);
  expect(gateway.output()).toMatch(/read-only.*nothing is stored/i);
  expect((await call(gateway, "/v1/plant/device-schedules")).status).toBe(200);
  expect(held()).toEqual(before);
  execFileSync("mount", ["-o", "remount,rw", disk]);
  await expect.poll(() => call(gateway, "/health").then(({ status }) => status), { timeout: 8000 }).toBe(200);
  await gateway.end("SIGTERM");

  const empty = testSite({ data_dir: join(disk, "new") });
  execFileSync("mount", ["-o", "remount,ro", disk]);
  expect(await refusalOf(empty.config)).toMatch(/cannot start: .*read-only/i);
});

it("a full disk: 503 with what to do, /health names the store, recovers automatically, nothing is lost", async ({
  skip,
}) => {
  const disk = join(temporaryFolder(), "disk");
  if (!mountSmallDisk(disk)) skip("No tmpfs can be mounted here: the test of a full disk needs root.");
  const { config } = testSite({ data_dir: join(disk, "data") });
  const gateway = await started(config);
  const acknowledged: number[] = [];
  let index = 0;
  for (; index < 20; index++) if ((await post(gateway, index)).status === 200) acknowledged.push(index);
  expect(acknowledged).toHaveLength(20);

  const filler = join(disk, "filler");
  fill(filler);
  let refused = await post(gateway, index);
  // The database may have allocated space in advance.
  for (; refused.status === 200 && index < 500; refused = await post(gateway, ++index))
    acknowledged.push(index);
  expect(refused.status).toBe(503);
  expect(refused.json.error.code).toBe("storage_unavailable");
  expect(refused.json.error.message).toMatch(/disk/);
  expect(refused.headers.get("retry-after")).toMatch(/^\d+$/);
  const unhealthy = await call(gateway, "/health", { key: null });
  expect([unhealthy.status, unhealthy.json]).toEqual([503, { status: "down", component: "store" }]);
  expect((await call(gateway, "/v1/forecast")).json.prices).toHaveLength(168);
  expect((await call(gateway, "/v1/decision/hours-demand", { body: {} })).status).toBeLessThan(500);
  expect((await post(gateway, 1000)).status).toBe(503);

  rmSync(filler);
  // The health recovers without a request; otherwise a monitor would keep restarting the gateway.
  await expect.poll(() => call(gateway, "/health").then(({ status }) => status), { timeout: 8000 }).toBe(200);
  expect((await post(gateway, 2000)).status).toBe(200);
  acknowledged.push(2000);
  expect(await gateway.end("SIGKILL")).toBeNull();

  const values = new Set(await importsIn(join(disk, "data")));
  expect(acknowledged.filter((index) => !values.has(importKwhOf(index)))).toEqual([]);
});

it("a restart with a full disk: what is stored is read, forecast and plan are served, and it stores again when there is space", async ({
  skip,
}) => {
  const disk = join(temporaryFolder(), "disk");
  if (!mountSmallDisk(disk)) skip("No tmpfs can be mounted here: the test of a full disk needs root.");
  const { config } = testSite({ data_dir: join(disk, "data") });
  const before = await started(config);
  expect((await post(before, 1)).status).toBe(200);
  expect(
    (await call(before, "/v1/plant/telemetry", { body: { timestamp: "2026-01-15T01:30:00Z", soc_pct: 61 } }))
      .status,
  ).toBe(200);
  await before.end("SIGKILL");
  const filler = join(disk, "filler");
  fill(filler);

  const gateway = await started(config);
  expect(gateway.output()).toMatch(/disk that holds .* is full.*nothing is stored/i);
  const unhealthy = await call(gateway, "/health", { key: null });
  expect([unhealthy.status, unhealthy.json]).toEqual([503, { status: "down", component: "store" }]);
  const { components } = (await call(gateway, "/v1/status")).json;
  const store = components.find(({ name }: { name: string }) => name === "store");
  expect([store.state, store.detail]).toEqual(["down", expect.stringMatching(/is full; free some space/)]);
  expect((await call(gateway, "/v1/forecast")).json.prices).toHaveLength(168);
  const plan = await call(gateway, "/v1/decision/hours-demand", { body: {} });
  // The plan begins with the state of charge that was stored.
  expect([plan.status, plan.json.day_plan[0].soc_start_pct]).toEqual([200, 61]);
  expect((await post(gateway, 2)).status).toBe(503);
  const page = await fetch(`${gateway.http}/login`, {
    headers: { Accept: "text/html", "Accept-Language": "en" },
  });
  expect(await page.text()).toContain("The gateway cannot store anything at the moment");
  // Devices at the embedded broker still get their commands.
  expect(await stateOf(gateway, "broker")).toBe("degraded");
  const client = await device(gateway);
  const granted = await client.subscribeAsync("hourgate/home/#", { qos: 1 });
  expect(granted[0]?.qos).toBe(1);

  rmSync(filler);
  await expect.poll(() => call(gateway, "/health").then(({ status }) => status), { timeout: 8000 }).toBe(200);
  expect((await post(gateway, 3)).status).toBe(200);
  await expect.poll(() => stateOf(gateway, "broker"), { timeout: 12_000 }).toBe("ok");
  await gateway.end("SIGKILL");
  expect(await importsIn(join(disk, "data"))).toEqual([1, 3].map(importKwhOf));
});
