import { expect, it } from "vitest";
import { ConfigError } from "../../src/config/error.js";
import { parse } from "../../src/config/load.js";
import { isFleet, redisWarning, shardSettings } from "../../src/ops/fleet/settings.js";

const FLEET = `
fleet: { shards: 4 }
store: { postgres: { url: "postgresql://hourgate:secret@db/hourgate" } }
redis: { url: "redis://redis" }
mqtt: { prefix: energy/at, external: { url: "mqtt://broker" } }
http: { base_url: "https://energy.example.org", trust_proxy: [10.0.0.1] }
`;

function problems(text: string): string[] {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(({ key, message }) => `${key} ${message}`);
    throw error;
  }
  return [];
}

it("a fleet needs its servers and its public address", () => {
  expect(problems("fleet: { shards: 4 }\nhttp: { port: 0 }")).toEqual([
    "fleet.shards also needs redis.url, store.postgres.url, mqtt.external.url, http.base_url, http.trust_proxy, http.port.",
  ]);
  expect(problems(FLEET)).toEqual([]);
});

it("a fleet needs a secret: its own, or the password of its database", () => {
  const without = FLEET.replace("hourgate:secret@", "hourgate@");
  expect(problems(without)).toEqual(["fleet.shards also needs fleet.secret."]);
  expect(problems(without.replace("shards: 4", `shards: 4, secret: ${"s".repeat(32)}`))).toEqual([]);
});

it("what each shard has of its own cannot be set for all", () => {
  const key = `owner: { key: hg_live_${"k".repeat(43)} }\n`;
  const text = FLEET.replace("base_url", "base_path: /hourgate, base_url").replace(
    "shards: 4",
    'shards: 4, address: "https://w"',
  );
  expect(problems(key + text)).toEqual([
    "owner.key must be null in a fleet: each shard has its own.",
    "fleet.address must start with http://: the fleet encrypts the connections of its routers itself, without certificates.",
    "http.base_path must be null in a fleet: each shard has its own.",
  ]);
});

it("a shard has its own data, topics and portal path, and no editor", () => {
  const { settings } = parse(FLEET);
  expect(isFleet(settings) && shardSettings(settings, 3)).toMatchObject({
    store: { postgres: { shard: 3 } },
    mqtt: { prefix: "energy/at/3" },
    http: { base_path: "/shard/3" },
    node_red: { enabled: false },
  });
  expect(isFleet(parse("").settings)).toBe(false);
});

it.each([
  ["redis://redis.example.org:6379", true],
  ["rediss://redis.example.org:6379", true],
  ["redis://:secret@redis.example.org", false],
  ["redis://127.0.0.1", false],
  ["redis://localhost:6379", false],
  ["redis://[::1]", false],
])("Redis at %s is without protection: %s", (url, expected) => {
  const { settings } = parse(FLEET.replace("redis://redis", url));
  expect(isFleet(settings) && redisWarning(settings) !== undefined).toBe(expected);
});
