export const redisSchema = {
  type: "object",
  description:
    "A Redis server in which several gateways count their calls together. Without it, or while it is away, each gateway counts in its own memory.",
  additionalProperties: false,
  default: {},
  properties: {
    url: {
      type: ["string", "null"],
      format: "redis-url",
      writeOnly: true,
      default: null,
      description:
        "Its address, with the number of the database where that is not 0, such as redis://192.168.1.10:6379/2, rediss:// for TLS; null: calls are counted in memory.",
    },
    username: {
      type: ["string", "null"],
      default: null,
      description: "User name; null: the one in the address, else the default user.",
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
      description:
        "First part of the names of all that is kept there; the gateways that share it count together.",
    },
  },
} as const;
