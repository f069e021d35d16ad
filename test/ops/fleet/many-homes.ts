import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { newKeyOf } from "../../../src/accounts/key-record.js";
import { newKey } from "../../../src/accounts/keys.js";
import { seriesKey, seriesPrefix } from "../../../src/store/sample-keys.js";
import { openConfiguredStore } from "../../../src/store/store.js";
import { residentMb } from "../../bench/memory.js";
import { Devices } from "../../bench/sites/devices.js";
import { type BenchSite, BOUNDARY, benchSites, plantOf, prices } from "../../bench/sites/fleet.js";
import { cpuSeconds } from "../../bench/sites/process-usage.js";
import type { Home, TestFleet } from "./fleet.js";

/** A home of the trial, each with an account of its own. */
export interface TrialHome extends Home {
  email: string;
  bench: BenchSite;
}

/** Figures are taken from this long before the hour until this long after it. */
const BEFORE_MS = 45_000;
const AFTER_MS = 60_000;
const HISTORY_DAYS = 30;

/** Creates the homes of all shards, before the workers are started. */
export async function createHomes(fleet: TestFleet, perShard: number): Promise<TrialHome[]> {
  const homes: TrialHome[] = [];
  for (let shard = 0; shard < fleet.shards; shard++) {
    const place = {
      data_dir: join(fleet.folder, "provision"),
      store: { postgres: { url: fleet.postgres.url, shard } },
    };
    const store = await openConfiguredStore(place, { info: () => {}, warn: () => {} });
    const own = benchSites(perShard).map((bench, index): TrialHome => {
      const site = `home-${shard}-${index + 1}`;
      const key = newKey({ number: shard, of: fleet.shards });
      const email = `${site}@example.org`;
      return {
        site,
        shard,
        key,
        topics: `hourgate/${shard}/${site}`,
        email,
        bench: { ...bench, id: site, key },
      };
    });
    await store.state.update((draft) => {
      const createdAt = new Date().toISOString();
      draft.shard = { number: shard, of: fleet.shards };
      for (const [index, { site, key, email, bench }] of own.entries()) {
        const accountId = randomUUID();
        const account = { id: accountId, email, passwordHash: "none", administrator: false, createdAt };
        draft.accounts.push({ ...account, plan: "professional" });
        draft.sites.push({ id: site, accountId, createdAt });
        draft.keys.push(newKeyOf(draft, { siteId: site, accountId, label: "", createdAt }, key).record);
        const { id: _, ...plant } = plantOf(bench, index);
        draft.settings[site] = { plant, telemetry: null };
      }
    });
    await store.prices.save(prices());
    await store.close();
    homes.push(...own);
  }
  return homes;
}

/** Gives a home a reading every 10 s of the last 30 days, of four kinds. Returns the number of readings. */
export async function addHistory(fleet: TestFleet, { shard, site }: Home): Promise<number> {
  const client = new pg.Client(fleet.postgres.url);
  await client.connect();
  let count = 0;
  for (const reading of ["load_power_kw", "grid_power_kw", "import_kwh", "export_kwh"] as const) {
    const prefix = seriesPrefix(site, reading);
    const first = seriesKey("", Date.now() - HISTORY_DAYS * 86_400_000);
    const { rowCount } = await client.query(
      `INSERT INTO hourgate.series SELECT $1, $2 || lpad(($3::bigint + i * 10000::bigint)::text, 15, '0'), '\\x0000000000001440'
       FROM generate_series(0, ${HISTORY_DAYS * 8640 - 1}) AS i ON CONFLICT DO NOTHING`,
      [shard, prefix, first],
    );
    count += rowCount ?? 0;
  }
  await client.end();
  return count;
}

/** The devices of the homes, each shard with its own clock. */
export async function devicesOf(fleet: TestFleet, homes: readonly TrialHome[]): Promise<Devices[]> {
  const all: Devices[] = [];
  for (let shard = 0; shard < fleet.shards; shard++) {
    const own = homes.filter((home) => home.topics.startsWith(`hourgate/${shard}/`));
    const answer = await fleet.call("/v1/status", own[0]!.key);
    const { time } = (await answer.json()) as { time: string };
    const devices = new Devices(
      own.map(({ bench }) => bench),
      {
        transport: "http",
        url: fleet.router.url,
        mqttUrl: `mqtt://127.0.0.1:${fleet.broker.port}`,
        prefix: `hourgate/${shard}`,
        boundaryInMs: BOUNDARY.getTime() - Date.parse(time),
      },
    );
    await devices.start();
    all.push(devices);
  }
  return all;
}

/** Figures before and after the hour, as lines. `boundaryInMs`: from now. */
export async function figuresOf(
  fleet: TestFleet,
  { homes, devices, boundaryInMs }: { homes: number; devices: readonly Devices[]; boundaryInMs: number },
): Promise<string[]> {
  const lines: string[] = [];
  await wait(Math.max(0, boundaryInMs - BEFORE_MS));
  for (const [name, ms] of [
    ["before the hour", Math.min(boundaryInMs, BEFORE_MS)],
    ["after the hour", AFTER_MS],
  ] as const) {
    for (const one of devices) one.reset();
    const before = usageOf(fleet);
    const startMs = performance.now();
    await wait(ms);
    const seconds = (performance.now() - startMs) / 1000;
    const after = usageOf(fleet);
    const share = (part: keyof typeof after) =>
      `${Math.round((100 * (after[part] - before[part])) / seconds)} %`;
    const answers = devices.flatMap(({ counts }) => counts.answers);
    const accepted = answers.filter(({ isAccepted }) => isAccepted).length;
    const times = answers.map((answer) => answer.ms);
    lines.push(
      `${name}: ${(accepted / seconds).toFixed(0)} samples/s, ${answers.length - accepted} refused; ` +
        `answers p50 ${percentile(times, 0.5).toFixed(0)} ms, p99 ${percentile(times, 0.99).toFixed(0)} ms; ` +
        `processor: workers ${share("workers")}, router ${share("router")}, PostgreSQL ${share("postgres")}`,
    );
  }
  const plans = devices.flatMap((one) => [...one.plans.values()].map((ms) => ms / 1000));
  const memory = fleet.workers.map(({ pid }) => Math.round(residentMb(pid)));
  lines.push(
    `plans after the hour: ${plans.length} of ${homes}; p50 ${percentile(plans, 0.5).toFixed(1)} s, p99 ${percentile(plans, 0.99).toFixed(1)} s`,
    `memory of the workers: ${memory.join(", ")} MB`,
  );
  return lines;
}

/** Processor time so far, s. */
function usageOf(fleet: TestFleet) {
  // Connections of PostgreSQL are processes that end at any time.
  const seconds = (pid: number) => {
    try {
      return cpuSeconds(pid).total;
    } catch {
      return 0;
    }
  };
  return {
    workers: fleet.workers.reduce((sum, { pid }) => sum + seconds(pid), 0),
    router: seconds(fleet.router.pid),
    postgres: fleet.postgres.pids().reduce((sum, pid) => sum + seconds(pid), 0),
  };
}

/** Homes of which fewer samples are stored since `sinceMs` than were acknowledged to their devices. */
export async function lostSamples(
  fleet: TestFleet,
  devices: readonly Devices[],
  sinceMs: number,
): Promise<{ acknowledged: number; lost: number }> {
  const client = new pg.Client(fleet.postgres.url);
  await client.connect();
  let acknowledged = 0;
  let lost = 0;
  const accepted = new Map<string, number>();
  for (const { counts } of devices)
    for (const { siteId, isAccepted } of counts.answers)
      accepted.set(siteId, (accepted.get(siteId) ?? 0) + Number(isAccepted));
  for (const [site, count] of accepted) {
    const prefix = seriesPrefix(site, "soc_pct");
    const { rows } = await client.query<{ count: number }>(
      `SELECT count(*)::int FROM hourgate.series WHERE key >= $1 AND key < $2
       AND shard = (SELECT shard FROM hourgate.state WHERE position($3 in document) > 0)`,
      [seriesKey(prefix, sinceMs), `${prefix}~`, `"id":"${site}","accountId"`],
    );
    acknowledged += count;
    lost += Math.max(0, count - (rows[0]?.count ?? 0));
  }
  await client.end();
  return { acknowledged, lost };
}

/** The longest time between two acknowledged samples of a home, s. */
export function longestPause(devices: readonly Devices[], site: string): number {
  const times = devices
    .flatMap(({ counts }) => counts.answers)
    .filter(({ siteId, isAccepted }) => isAccepted && siteId === site)
    .map(({ sentMs, ms }) => sentMs + ms)
    .sort((a, b) => a - b);
  return Math.max(...times.slice(1).map((ms, index) => ms - times[index]!)) / 1000;
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}
