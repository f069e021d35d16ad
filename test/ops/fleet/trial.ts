/**
 * Kills workers of a fleet at random times while telemetry arrives over HTTP and MQTT, and prints how many acknowledged
 * samples are missing afterwards and for how long homes were without a plan. Needs PostgreSQL, Redis and Mosquitto:
 *
 *     npm run build && npx tsx test/ops/fleet/trial.ts [kills] [lease seconds]
 */
import { setTimeout as wait } from "node:timers/promises";
import { seeded } from "../../support/random.js";
import { TestFleet } from "./fleet.js";
import { HomeTraffic } from "./traffic.js";

const SHARDS = 2;
const [kills = 20, leaseSeconds = 3] = process.argv.slice(2).map(Number);
const random = seeded(Number(process.env.SEED ?? 1));

/** Waits until the check succeeds, up to a minute. */
async function until<Result>(what: string, check: () => Promise<Result | undefined>): Promise<Result> {
  let last: unknown;
  for (const endMs = performance.now() + 60_000; performance.now() < endMs; await wait(50)) {
    const result = await check().catch((error: unknown) => {
      last = error;
      return undefined;
    });
    if (result !== undefined) return result;
  }
  throw new Error(`After a minute there is still no ${what}.`, { cause: last });
}

const fleet = await TestFleet.create({ workers: SHARDS + 1, shards: SHARDS, leaseSeconds });
try {
  fleet.launch();
  const homes = await until("fleet", async () => {
    for (let shard = 0; shard < SHARDS; shard++) await fleet.holderOf(shard);
    return Array.from({ length: SHARDS }, (_, shard) => new HomeTraffic(fleet, fleet.home(shard)));
  });
  for (const home of homes) home.start();
  for (let kill = 1; kill <= kills; kill++) {
    await wait(random.between(0, 2_000));
    const shard = random.integer(0, SHARDS - 1);
    const worker = await until("worker", () => fleet.holderOf(shard));
    await worker.end("SIGKILL");
    // Its service manager starts it again, sometimes at once and sometimes after the takeover.
    await wait(random.between(0, 1_500 * leaseSeconds));
    worker.start();
    await until("plan", async () => {
      const answer = await fleet.call("/v1/decision/hours-demand", fleet.keys()[shard]!, {});
      return answer.ok ? true : undefined;
    });
    console.log(`kill ${kill} of ${kills}: shard ${shard}`);
  }
  await wait(3_000);
  for (const home of homes) await home.stop();
  for (const home of homes) {
    // The broker still delivers what it has acknowledged.
    const missing = await until("complete history", async () =>
      (await home.missing()).length === 0 ? [] : undefined,
    ).catch(() => home.missing());
    const { soc_pct, pv_power_kw } = home.acknowledged;
    const gaps = home.gaps.sort((a, b) => a - b);
    console.log(
      `shard ${home.home.shard}: ${soc_pct.size} samples acknowledged over HTTP, ${pv_power_kw.size} over MQTT; ${missing.length} missing. ` +
        `Refused: ${JSON.stringify(Object.fromEntries(home.refused))}. ${home.plans} plans; without a plan (ms): ${gaps.join(", ")}`,
    );
    for (const one of missing.slice(0, 10)) console.log(one);
    if (missing.length > 0) process.exitCode = 1;
  }
  const all = homes.flatMap(({ gaps }) => gaps).sort((a, b) => a - b);
  console.log(
    `without a plan: median ${all[Math.floor(all.length / 2)]} ms, longest ${all.at(-1)} ms, ${all.length} times`,
  );
} finally {
  await fleet.remove();
}
