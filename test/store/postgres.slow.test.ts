import { join } from "node:path";
import fc from "fast-check";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { StoreError } from "../../src/store/errors.js";
import { LevelSeries } from "../../src/store/level-series.js";
import { openShard } from "../../src/store/postgres/open.js";
import type { SeriesOperation } from "../../src/store/series.js";
import { StateFile } from "../../src/store/state.js";
import { eventually } from "../support/eventually.js";
import { hasPostgres, POSTGRES_PASSWORD, type PostgresServer, postgresServer } from "./postgres-server.js";
import { recordingLog, temporaryFolder } from "./support/folder.js";

const put = (key: string, value: string): SeriesOperation => ({
  type: "put",
  key,
  value: Buffer.from(value),
});
const ALL = { gte: "", lt: "\u{10ffff}" };

describe.skipIf(!hasPostgres())("the store in PostgreSQL", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await postgresServer();
    await server.start();
  });
  afterAll(() => server.remove());

  const query = async (text: string) => {
    const client = new pg.Client(server.url);
    await client.connect();
    return (await client.query({ text, rowMode: "array" }).finally(() => client.end())).rows;
  };
  const open = async (shard: number, { url = server.url, isOffline = false } = {}) => {
    const health: (string | undefined)[] = [];
    const lost: StoreError[] = [];
    const data = await openShard(
      { url, shard, isOffline },
      { onHealth: (fault) => health.push(fault?.message), onLost: (fault) => lost.push(fault) },
    );
    onTestFinished(() => data.series.close());
    return { ...data, health, lost };
  };

  it("answers every call as the embedded database does", async () => {
    const level = await LevelSeries.open(join(await temporaryFolder(), "series"));
    onTestFinished(() => level.close());
    const { series } = await open(1);
    // In UTF-16 the order of the last two would be the reverse.
    const units = ["a", "b", "Z", "0", "/", "~", "%", "\u0001", "ä", "\uffff", "😀"];
    const key = fc.array(fc.constantFrom(...units), { maxLength: 3 }).map((parts) => `k${parts.join("")}`);
    const operation = fc.oneof(
      { weight: 3, arbitrary: fc.tuple(key, fc.uint8Array({ maxLength: 4 })) },
      { weight: 1, arbitrary: fc.tuple(key, fc.constant(undefined)) },
    );
    const range = fc.record(
      { gte: key, lt: key, limit: fc.integer({ min: 1, max: 4 }), reverse: fc.boolean() },
      { requiredKeys: ["gte", "lt"] },
    );
    const portionsOf = async (database: typeof series | LevelSeries) => {
      const found: [string, string][] = [];
      for await (const portion of database.portions(ALL, 3))
        found.push(...portion.map(([name, value]): [string, string] => [name, value.toString("hex")]));
      return found;
    };
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(operation, { maxLength: 4 }), { maxLength: 6 }),
        fc.array(range, { minLength: 3, maxLength: 3 }),
        fc.array(key, { maxLength: 5 }),
        async (drawn, ranges, keys) => {
          const batches = drawn.map((batch) =>
            batch.map(
              ([name, value]): SeriesOperation =>
                value === undefined
                  ? { type: "del", key: name }
                  : { type: "put", key: name, value: Buffer.from(value) },
            ),
          );
          for (const batch of batches) await level.write(batch);
          // At once, so that they share transactions.
          await Promise.all(batches.map((batch) => series.write(batch)));
          for (const one of ranges) {
            expect(await series.entries(one)).toEqual(await level.entries(one));
            expect(await series.keys(one)).toEqual(await level.keys(one));
          }
          expect(await series.hasMany(keys)).toEqual(await level.hasMany(keys));
          for (const one of keys) expect(await series.get(one)).toEqual(await level.get(one));
          expect(await portionsOf(series)).toEqual(await portionsOf(level));
        },
      ),
      { numRuns: 40 },
    );
  });

  it("commits concurrent writes together", async () => {
    const { series } = await open(2);
    await Promise.all(Array.from({ length: 50 }, (_, index) => series.write([put(`key${index}`, "")])));
    expect(
      await query(
        "SELECT count(*)::int, count(DISTINCT xmin::text)::int FROM hourgate.series WHERE shard = 2",
      ),
    ).toEqual([[50, 2]]);
  });

  it("stores nothing of a process after another one has opened the shard", async () => {
    const first = await open(3);
    const state = await StateFile.open(first.state, recordingLog());
    await first.series.write([put("key", "first")]);
    const second = await open(3);
    const refused = {
      code: "storage_in_use",
      message: expect.stringContaining("Another process took over shard 3"),
    };
    await expect(first.series.write([put("key", "late")])).rejects.toMatchObject(refused);
    await expect(state.update(() => {})).rejects.toMatchObject(refused);
    await expect(first.series.get("key")).rejects.toMatchObject(refused);
    expect(first.lost).toHaveLength(1);
    expect(first.health.at(-1)).toContain("took over shard 3");
    await second.series.write([put("other", "second")]);
    expect((await second.series.entries(ALL)).map(([key, value]) => `${key}=${value}`)).toEqual([
      "key=first",
      "other=second",
    ]);
    expect(second.lost).toEqual([]);
    // A lost connection is a reason to connect again, but not to take the shard back.
    await first.series.close();
  });

  it("does not take a shard back after its connection broke", async () => {
    const first = await open(4);
    const kill = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'hourgate'";
    await open(4);
    await query(kill);
    await eventually(() =>
      expect(first.series.write([put("key", "")])).rejects.toMatchObject({ code: "storage_in_use" }),
    );
    expect(first.lost).toHaveLength(1);
  });

  it("refuses a command while a gateway serves the shard, and a gateway while a command works", async () => {
    const serving = await open(5);
    await expect(open(5, { isOffline: true })).rejects.toMatchObject({
      code: "storage_in_use",
      message: expect.stringContaining("a gateway serves it"),
    });
    await serving.series.write([put("key", "")]);
    await serving.series.close();
    const command = await open(5, { isOffline: true });
    await expect(open(5, { url: `${server.url}?statement_timeout=200` })).rejects.toMatchObject({
      code: "storage_in_use",
      message: expect.stringContaining("a command works on it"),
    });
    await command.series.close();
    await (await open(5)).series.write([put("key", "")]);
  });

  it("creates its tables once when several processes start at the same time", async () => {
    await query("CREATE DATABASE fresh");
    const url = server.url.replace(/postgres$/, "fresh");
    const opened = await Promise.all([0, 1, 2, 3].map((shard) => open(shard, { url })));
    for (const { series } of opened) await series.write([put("key", "")]);
    for (const { series } of opened) expect(await series.keys(ALL)).toEqual(["key"]);
  });

  it("keeps every acknowledged write when the server is killed, and recovers by itself", async () => {
    const { series, state: adapter, health, lost } = await open(6);
    const state = await StateFile.open(adapter, recordingLog());
    const acknowledged: string[] = [];
    let settings = 0;
    const lane = async (number: number) => {
      for (let index = 0; ; index++) {
        const key = `${number}/${index}`;
        await series.write([put(key, key)]);
        acknowledged.push(key);
      }
    };
    const settingsLane = async () => {
      for (let index = 1; ; index++) {
        await state.update((draft) => {
          draft.settings = { home: { plant: { counter: index }, telemetry: null } };
        });
        settings = index;
      }
    };
    const ended = Promise.allSettled([
      settingsLane(),
      ...Array.from({ length: 8 }, (_, number) => lane(number)),
    ]);
    await eventually(() => expect(Math.min(acknowledged.length / 100, settings)).toBeGreaterThan(3));
    await server.kill();
    for (const outcome of await ended)
      expect(outcome).toMatchObject({ status: "rejected", reason: { code: "storage_unavailable" } });
    await expect(series.get("0/0")).rejects.toMatchObject({ code: "storage_unavailable" });
    expect(health.at(-1)).toContain("cannot be used");
    await server.start();
    await eventually(() => expect(health.at(-1)).toBeUndefined());
    const stored = new Set(await series.keys(ALL));
    expect(acknowledged.filter((key) => !stored.has(key))).toEqual([]);
    const document = (await adapter.read())?.settings.home?.plant.counter;
    expect(document).toBeGreaterThanOrEqual(settings);
    await series.write([put("after", "")]);
    expect(lost).toEqual([]);
  });

  it("fails in bounded time while the server does not answer, without its password in a sentence", async () => {
    const { series, health } = await open(7, { url: `${server.url}?query_timeout=200` });
    const lock = new pg.Client(server.url);
    await lock.connect();
    await lock.query("BEGIN; LOCK TABLE hourgate.series");
    const unread: unknown = await series.get("key").catch((error: unknown) => error);
    expect(unread).toMatchObject({ code: "storage_unavailable" });
    expect(health.splice(0).at(-1)).toContain("cannot be used");
    const failure = await series.write([put("key", "")]).catch((error: unknown) => error);
    await lock.end();
    expect(failure).toMatchObject({ code: "storage_unavailable" });
    expect(health.at(-1)).toContain(`PostgreSQL at 127.0.0.1:${server.port}/postgres cannot be used`);
    const wrong = server.url.replace(POSTGRES_PASSWORD, "another-secret");
    const denied: unknown = await openShard({ url: wrong, shard: 7 }).catch((error: unknown) => error);
    expect(denied).toMatchObject({ message: expect.stringContaining("user name or password is wrong") });
    for (const error of [unread, failure, denied] as StoreError[])
      expect(`${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`).not.toMatch(/secret/);
    await series.write([put("key", "")]);
    expect(health.at(-1)).toBeUndefined();
  });
});
