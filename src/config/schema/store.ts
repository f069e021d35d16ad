export const dataStoreSchema = {
  type: "object",
  description:
    "Where accounts, settings, prices, telemetry and plans are stored: in the data folder, or in a PostgreSQL database (operations.md).",
  additionalProperties: false,
  default: {},
  properties: {
    postgres: {
      type: "object",
      description:
        "A PostgreSQL database (13 or later) in place of the data folder, so that another machine can take over a gateway.",
      additionalProperties: false,
      default: {},
      properties: {
        url: {
          type: ["string", "null"],
          format: "postgres-url",
          writeOnly: true,
          default: null,
          description:
            "Address of the database with user and password, such as postgresql://hourgate:secret@192.168.1.10:5432/hourgate; null: data is stored in the data folder.",
        },
        shard: {
          type: "integer",
          minimum: 0,
          maximum: 9999,
          unit: "shard number",
          default: 0,
          description:
            "Number of this installation in the database, which can hold several. Only one gateway at a time serves a shard: the last one started.",
        },
      },
    },
  },
} as const;
