export const redisSchema = {
  type: "object",
  description:
    "A Redis server for call counters shared by several gateways, and for the leases of a fleet. Without it, or while it is not reachable, each gateway counts in memory.",
  additionalProperties: false,
  default: {},
  properties: {
    url: {
      type: ["string", "null"],
      format: "redis-url",
      writeOnly: true,
      default: null,
      description:
        "Address of the server, with the database number if it is not 0, such as redis://192.168.1.10:6379/2; rediss:// for TLS; null: calls are counted in memory.",
    },
    username: {
      type: ["string", "null"],
      default: null,
      description: "User name; null: the one in the address, otherwise the default user.",
    },
    password: {
      type: ["string", "null"],
      writeOnly: true,
      default: null,
      description: "Password of that user; null: the one in the address, if any.",
    },
    prefix: {
      type: "string",
      minLength: 1,
      maxLength: 100,
      default: "hourgate",
      description: "Prefix of all keys in Redis; gateways with the same prefix share their counters.",
    },
  },
} as const;
