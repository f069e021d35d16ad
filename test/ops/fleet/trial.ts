/**
 * Kills workers of a fleet at random times while telemetry arrives over HTTP and MQTT, and prints how many acknowledged
 * samples are missing afterwards and for how long homes were without a plan. With `--homes`, each shard has so many that send
 * every ten seconds, and one of them, with 30 days of readings, is moved to another shard first. With `--hour` nothing is
 * killed: prints figures of the minutes before and after a full hour. Needs PostgreSQL, Redis and Mosquitto:
 *
 *     npm run build && npx tsx test/ops/fleet/trial.ts [kills] [lease seconds] [--shards 4] [--homes 250] [--hour]
 */
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { BOUNDARY } from "../../bench/sites/fleet.js";
import { seeded } from "../../support/random.js";
import { TestFleet } from "./fleet.js";
import {
  addHistory,
  createHomes,
  devicesOf,
  figuresOf,
  longestPause,
  lostSamples,
  type TrialHome,
} from "./many-homes.js";
import { HomeTraffic } from "./traffic.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    shards: { type: "string", default: "2" },
    homes: { type: "string", default: "0" },
    hour: { type: "boolean", default: false },
  },
});
const [kills = 20, leaseSeconds = 3] = positionals.map(Number);
const [shards, perShard] = [Number(values.shards), Number(values.homes)];
const random = seeded(Number(process.env.SEED ?? 1));
/** From the start of the workers to the hour: a base, and more for each home to start and to have its first plan. */
const LEAD_MS = 90_000 + shards * perShard * 200;
const CONNECTIONS = { total: 3_000, per_address: 3_000 };

/** Waits until the check succeeds, up to five minutes: a thousand homes on two processors start slowly. */
async function until<Result>(what: string, check: () => Promise<Result | undefined>): Promise<Result> {
  let last: unknown;
  for (const endMs = performance.now() + 300_000; performance.now() < endMs; await wait(50)) {
    const result = await check().catch((error: unknown) => {
      last = error;
      return undefined;
    });
    if (result !== undefined) return result;
  }
  throw new Error(`After five minutes there is still no ${what}.`, { cause: last });
}

const served = () =>
  until("fleet", async () => {
    for (let shard = 0; shard < shards; shard++) await fleet.holderOf(shard);
    return Array.from({ length: shards }, (_, shard) => fleet.home(shard));
  });

/** The hour of homes that are only measured. */
async function measure(homes: readonly TrialHome[]): Promise<void> {
  const start = new Date(BOUNDARY.getTime() - LEAD_MS).toISOString();
  fleet.launch({ HOURGATE_CLOCK__START: start });
  const boundaryMs = performance.now() + LEAD_MS;
  await served();
  const devices = await devicesOf(fleet, homes);
  const boundaryInMs = boundaryMs - performance.now();
  const lines = await figuresOf(fleet, { homes: homes.length, devices, boundaryInMs });
  for (const line of lines) console.log(line);
  await Promise.all(devices.map((one) => one.stop()));
}

async function kill(number: number): Promise<void> {
  await wait(random.between(0, 2_000));
  const shard = random.integer(0, shards - 1);
  const worker = await until("worker", () => fleet.holderOf(shard));
  await worker.end("SIGKILL");
  // Its service manager starts it again, sometimes at once and sometimes after the takeover.
  await wait(random.between(0, 1_500 * leaseSeconds));
  worker.start();
  await until("worker", () => fleet.holderOf(shard));
  await until("plan", async () => {
    const body = { battery: { soc_pct: 50, capacity_kwh: 10 } };
    const answer = await fleet.call("/v1/decision/hours-demand", fleet.keys()[shard]!, body);
    return answer.ok ? true : undefined;
  });
  console.log(`kill ${number} of ${kills}: shard ${shard}`);
}

async function move(home: TrialHome, target: number): Promise<void> {
  const startMs = performance.now();
  const { code, output } = await fleet.run("fleet", "move", home.email, "--to", String(target));
  console.log(`move: ${output.trim()} (${((performance.now() - startMs) / 1000).toFixed(1)} s in total)`);
  if (code !== 0) throw new Error("The home was not moved.");
  home.shard = target;
  await wait(5_000);
}

/** Moves a home and kills workers while all homes send. */
async function disturb(homes: readonly TrialHome[]): Promise<void> {
  const [moved] = homes;
  if (moved !== undefined)
    console.log(`history of ${moved.site}: ${await addHistory(fleet, moved)} readings`);
  const sinceMs = Date.now();
  fleet.launch();
  const traffic = [...(await served()), ...(moved === undefined ? [] : [moved])].map(
    (home) =>
      new HomeTraffic(fleet, home, {
        pauseMs: moved === undefined ? 200 : 1_000,
        hasDevices: home === moved,
      }),
  );
  const devices = moved === undefined ? [] : await devicesOf(fleet, homes);
  for (const home of traffic) home.start();
  if (moved !== undefined) {
    // Until the first plans are made.
    await wait(20_000 + homes.length * 200);
    await move(moved, 1);
    console.log(`longest pause of its samples every 10 s: ${longestPause(devices, moved.site).toFixed(1)} s`);
  }
  for (let number = 1; number <= kills; number++) await kill(number);
  await wait(3_000);
  for (const home of traffic) await home.stop();
  await Promise.all(devices.map((one) => one.stop()));
  for (const home of traffic) {
    // The broker still delivers what it has acknowledged.
    const missing = await until("complete history", async () =>
      (await home.missing()).length === 0 ? [] : undefined,
    ).catch(() => home.missing());
    const { soc_pct, pv_power_kw } = home.acknowledged;
    const gaps = home.gaps.sort((a, b) => a - b);
    console.log(
      `${home.home.topics}: ${soc_pct.size} samples acknowledged over HTTP, ${pv_power_kw.size} over MQTT; ${missing.length} missing. ` +
        `Refused: ${JSON.stringify(Object.fromEntries(home.refused))}. ${home.plans} plans; without a plan (ms): ${gaps.join(", ")}`,
    );
    for (const one of missing.slice(0, 10)) console.log(one);
    if (missing.length > 0) process.exitCode = 1;
  }
  const all = traffic.flatMap(({ gaps }) => gaps).sort((a, b) => a - b);
  console.log(
    `without a plan: median ${all[Math.floor(all.length / 2)]} ms, longest ${all.at(-1)} ms, ${all.length} times`,
  );
  if (devices.length > 0) {
    const { acknowledged, lost } = await lostSamples(fleet, devices, sinceMs);
    console.log(`all homes: ${acknowledged} samples acknowledged every 10 s, ${lost} missing`);
    if (lost > 0) process.exitCode = 1;
  }
}

const fleet = await TestFleet.create({
  workers: shards + 1,
  shards,
  leaseSeconds,
  given: { limits: { http: { connections: CONNECTIONS } }, market: { resolution_minutes: 15, sources: [] } },
});
try {
  const homes = await createHomes(fleet, perShard);
  await (values.hour ? measure(homes) : disturb(homes));
} finally {
  await fleet.remove();
}
