/** Operation of the gateway: clock, owner, log and limits. */

import { choice, flag, integer, nullableText, number, section, text } from "./kinds.js";

export const clockSchema = section(
  "A replay clock for timestamps, quotas and plans. The defaults are real time.",
  {
    start: nullableText(
      { format: "time" },
      "Time at which the clock starts, ISO 8601 (without offset: Vienna time); null: it starts now.",
    ),
    speed: number(
      { minimum: 0, maximum: 100000, unit: "times real time", default: 1 },
      "Speed of the clock relative to real time; 0: the clock does not advance.",
    ),
    publish_at: nullableText(
      { format: "hour-minute" },
      "Vienna time of day at which a replay makes tomorrow's prices public; null: all of a file's prices count as published.",
    ),
  },
);

export const ownerSchema = section(
  "The account created at the first start, administrator of the gateway. Null values are generated and printed once.",
  {
    email: text(
      { format: "email", default: "owner@localhost" },
      "E-mail address of the owner, the user name in the portal.",
    ),
    password: nullableText({ minLength: 1, maxLength: 1024, writeOnly: true }, "Password of the owner."),
    key: nullableText(
      { format: "api-key", writeOnly: true },
      "API key of the owner for the first plant: hg_live_ and 43 characters of A-Z, a-z, 0-9, - and _.",
    ),
  },
);

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
  enabled: flag(
    false,
    "Serve GET /metrics on the HTTP server without sign-in; contains plant ids, but no secrets.",
  ),
});

export const forecastSchema = section("The price forecast.", {
  schedule: text(
    { format: "cron", default: "5 */6 * * *" },
    "Schedule of forecast runs in addition to runs on new prices; a cron pattern in Vienna time.",
  ),
});

export const telemetrySchema = section("Maximum age of the battery's state of charge.", {
  stale_minutes: number(
    { minimum: 1, maximum: 10080, unit: "minutes", default: 15 },
    "An older state of charge is carried forward by the plan and marked stale.",
  ),
  lost_minutes: number(
    { minimum: 1, maximum: 10080, unit: "minutes", default: 120 },
    "An older state of charge activates the fail-safe: no charging, full discharge cap.",
  ),
});

export const webhooksSchema = section("Webhooks.", {
  allow_private_hosts: flag(
    false,
    "Also deliver to private and loopback addresses; opens the LAN to every account that can register a webhook.",
  ),
});

export const nodeRedSchema = section("The embedded Node-RED editor.", {
  enabled: flag(true, "Run the editor."),
  path: text({ format: "url-path", default: "/node-red" }, "Path of the editor and of the flows' pages."),
  port: integer(
    { minimum: 0, maximum: 65535, unit: "TCP port", default: 1880 },
    "Port of the editor and of the flows' pages, apart from the portal's; 0 takes any free one. The path on http.port redirects here.",
  ),
  base_url: nullableText(
    { format: "http-url" },
    "Address of the editor behind a reverse proxy, without the path; null: the host of the request and the port.",
  ),
  uid: integer(
    { minimum: 1, maximum: 4_294_967_294, unit: "user id", default: 60_880 },
    "User and group id of the editor's process where the gateway runs as root. It needs no entry in /etc/passwd; its folder in the data folder belongs to it.",
  ),
});
