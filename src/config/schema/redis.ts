import { nullableText, section, text } from "./kinds.js";

export const redisSchema = section(
  "A Redis server for call counters shared by several gateways, and for the leases of a fleet. Without it, or while it is not reachable, each gateway counts in memory.",
  {
    url: nullableText(
      { format: "redis-url", writeOnly: true },
      "Address of the server, with the database number if it is not 0, such as redis://192.168.1.10:6379/2; rediss:// for TLS; null: calls are counted in memory.",
    ),
    username: {
      type: ["string", "null"],
      default: null,
      description: "User name; null: the one in the address, otherwise the default user.",
    },
    password: nullableText(
      { writeOnly: true },
      "Password of that user; null: the one in the address, if any.",
    ),
    prefix: text(
      { minLength: 1, maxLength: 100, default: "hourgate" },
      "Prefix of all keys in Redis; gateways with the same prefix share their counters.",
    ),
  },
);
