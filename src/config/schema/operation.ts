/** Operation of the gateway: clock, owner, log and limits. */

import { choice, flag, integer, nullableInteger, nullableText, number, section, text } from "./kinds.js";

export const clockSchema = section("A clock for replays.", {
  start: nullableText({ format: "time" }, "Start of the clock (without offset: Vienna time); null: now."),
  speed: number(
    { minimum: 0, maximum: 100000, unit: "times real time", default: 1 },
    "Speed relative to real time; 0: the clock stands.",
  ),
  publish_at: nullableText(
    { format: "hour-minute" },
    "Vienna time at which a replay publishes tomorrow's prices; null: all of a file count as published.",
  ),
});

export const ownerSchema = section(
  "The administrator, created at the first start. Null values are generated and printed once.",
  {
    email: text(
      { format: "email", default: "owner@localhost" },
      "E-mail address of the owner, the user name in the portal.",
    ),
    password: nullableText({ minLength: 1, maxLength: 1024, writeOnly: true }, "Password of the owner."),
    key: nullableText({ format: "api-key", writeOnly: true }, "API key of the owner for the first plant."),
  },
);

export const accountsSchema = section("Accounts of the portal.", {
  registration: choice(
    ["auto", "open", "closed"],
    "auto",
    "Who can create an account. open: everybody; closed: who is invited; auto: closed, but open in a fleet, and where several accounts existed before version 0.2.",
  ),
});

export const logSchema = section("The log.", {
  level: choice(
    ["fatal", "error", "warn", "info", "debug", "trace", "silent"],
    "info",
    "Lowest level that is logged.",
  ),
  format: choice(
    ["auto", "json", "text"],
    "auto",
    "json: one JSON object per line; text: readable lines; auto: text if standard output is a terminal, else json.",
  ),
});

export const metricsSchema = section("Metrics for Prometheus.", {
  enabled: flag(false, "Serve GET /metrics without sign-in; it contains plant ids, but no secrets."),
});

export const forecastSchema = section("The price forecast.", {
  schedule: text(
    { format: "cron", default: "5 */6 * * *" },
    "Forecast runs besides those on new prices; Vienna time.",
  ),
});

export const telemetrySchema = section("Maximum age of the battery's state of charge.", {
  stale_minutes: number(
    { minimum: 1, maximum: 10080, unit: "minutes", default: 15 },
    "An older state of charge is extrapolated and marked stale.",
  ),
  lost_minutes: number(
    { minimum: 1, maximum: 10080, unit: "minutes", default: 120 },
    "An older state of charge activates the fail-safe: no charging, full discharge cap.",
  ),
});

export const webhooksSchema = section("Webhooks.", {
  allow_private_hosts: flag(
    false,
    "Also deliver to private addresses; opens the LAN to every account that can register a webhook.",
  ),
});

export const nodeRedSchema = section("The embedded Node-RED editor.", {
  enabled: flag(true, "Run the editor."),
  path: text({ format: "url-path", default: "/node-red" }, "Path of the editor and of the flows' pages."),
  port: integer(
    { minimum: 0, maximum: 65535, unit: "TCP port", default: 1880 },
    "Port of editor and flows; 0: any free one. The path on http.port redirects here.",
  ),
  base_url: nullableText(
    { format: "http-url" },
    "Address of the editor behind a reverse proxy, without the path; null: the requested host and the port.",
  ),
  uid: integer(
    { minimum: 1, maximum: 4_294_967_294, unit: "user id", default: 60_880 },
    "User and group of the editor where the gateway runs as root.",
  ),
});

export const fleetSchema = section(
  "Workers that share the homes of one installation (docs/fleet.md). Needs redis.url, store.postgres.url, mqtt.external.url, http.base_url and http.trust_proxy.",
  {
    shards: nullableInteger(
      { minimum: 1, maximum: 1000, unit: "shards" },
      "Number of parts of the homes; it cannot be changed later. Null: no fleet.",
    ),
    lease_seconds: integer(
      { minimum: 2, maximum: 300, unit: "seconds", default: 15 },
      "After this silence of a worker a waiting one takes over its shard.",
    ),
    secret: nullableText(
      { minLength: 32, maxLength: 1024, writeOnly: true },
      "Secret of all workers and routers. Null: the password in store.postgres.url.",
    ),
    address: nullableText(
      { format: "http-url" },
      "Address of this worker for the routers; null: the first LAN address and http.port.",
    ),
  },
);

export const redisSchema = section("A Redis server for shared call counters and the leases of a fleet.", {
  url: nullableText(
    { format: "redis-url", writeOnly: true },
    "Address, such as redis://192.168.1.10:6379/2; rediss:// for TLS.",
  ),
  username: {
    type: ["string", "null"],
    default: null,
    description: "User name; null: that of the address, or the default user.",
  },
  password: nullableText({ writeOnly: true }, "Password; null: that of the address."),
  prefix: text(
    { minLength: 1, maxLength: 100, default: "hourgate" },
    "Prefix of all keys; gateways with the same one share their counters.",
  ),
});
