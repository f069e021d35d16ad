/** Resource limits. The defaults suit a computer with 1 GB of memory, such as a small Raspberry Pi. */

import { integer, section } from "./kinds.js";

/** One limit. The default is part of the schema, from which it is documented and applied. */
const limit = <Default extends number>(standard: Default, unit: string, description: string, minimum = 1) =>
  integer({ minimum, maximum: 1_000_000_000, unit, default: standard }, description);

/** A budget for the whole gateway and the share of it that one sign-in can use. */
const budget = <Total extends number, Share extends number>(
  { total, perSignIn }: { total: Total; perSignIn: Share },
  unit: string,
  description: string,
) =>
  section(description, {
    total: limit(total, unit, "Limit for all clients together."),
    per_sign_in: limit(perSignIn, unit, "Limit for one sign-in (all keys and users of a plant)."),
  });

const mqttLimitsSchema = section("Limits of the embedded MQTT broker.", {
  connections: section("Open connections, TCP, TLS and WebSocket together.", {
    total: limit(400, "connections", "Limit for clients that have signed in."),
    per_sign_in: limit(100, "connections", "Limit for one sign-in (all keys and users of a plant)."),
    unauthenticated: limit(100, "connections", "Limit for connections that have not signed in yet."),
    unauthenticated_per_address: limit(20, "connections", "The same, from one address."),
  }),
  sessions: section("Persistent sessions (clean session off).", {
    total: limit(400, "sessions", "Limit for all clients together."),
    per_sign_in: limit(50, "sessions", "Limit for one sign-in; the session absent longest ends first."),
    expire_after_days: limit(7, "days", "A session ends after this absence of its client."),
  }),
  queued_bytes: budget(
    { total: 16_000_000, perSignIn: 2_000_000 },
    "bytes",
    "Messages kept for persistent sessions until their clients acknowledge them.",
  ),
  qos2_in_flight: budget(
    { total: 4000, perSignIn: 400 },
    "messages",
    "QoS 2 messages that clients have published and not released yet.",
  ),
  retained_messages: budget(
    { total: 10_000, perSignIn: 2000 },
    "messages",
    "Retained messages of clients; those of the gateway do not count.",
  ),
  retained_bytes: budget(
    { total: 16_000_000, perSignIn: 4_000_000 },
    "bytes",
    "Retained messages of clients; those of the gateway do not count.",
  ),
  subscriptions: section("Subscriptions of clients.", {
    total: limit(10_000, "filters", "Limit for all clients together."),
    per_client: limit(2000, "filters", "Limit for one client."),
    per_packet: limit(
      500,
      "filters",
      "Limit for one SUBSCRIBE packet; Home Assistant sends up to 500 filters and ignores a refusal.",
    ),
  }),
  publishes_per_second: budget(
    { total: 1000, perSignIn: 200 },
    "messages per second",
    "Messages that clients publish, as a long-term average; a client above it is read more slowly.",
  ),
});

const httpLimitsSchema = section(
  "Limits of the HTTP server; the port of the Node-RED editor has the same limits.",
  {
    connections: section(
      "Open connections. A new one above a limit replaces the oldest one that waits for a request.",
      {
        total: limit(800, "connections", "Limit for all clients together."),
        per_address: limit(
          200,
          "connections",
          "Limit for one address; addresses of http.trust_proxy have none.",
        ),
        reserve: limit(200, "connections", "Part of the total for clients that are signed in.", 0),
      },
    ),
    upgrades: section("Open WebSocket connections; they do not count as connections above.", {
      total: limit(100, "connections", "Limit for all clients together."),
      per_address: limit(20, "connections", "Limit for one address."),
    }),
    header_timeout_seconds: limit(15, "seconds", "Time for a client to send the headers of a request."),
    idle_timeout_seconds: limit(60, "seconds", "A connection without data in this time is closed."),
  },
);

export const limitsSchema = section(
  "Limits in total, for one address, and for one sign-in (all keys and users of a plant); /metrics and `hourgate doctor` show their use.",
  { http: httpLimitsSchema, mqtt: mqttLimitsSchema },
);
