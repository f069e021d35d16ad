import { integer, nullableText, section } from "./kinds.js";

export const dataStoreSchema = section(
  "Where accounts, settings, prices, telemetry and plans are stored: in the data folder, or in a PostgreSQL database (operations.md).",
  {
    postgres: section(
      "A PostgreSQL database (13 or later) instead of the data folder, so that another machine can take over a gateway.",
      {
        url: nullableText(
          { format: "postgres-url", writeOnly: true },
          "Address of the database with user and password, such as postgresql://hourgate:secret@192.168.1.10:5432/hourgate; null: data is stored in the data folder.",
        ),
        shard: integer(
          { minimum: 0, maximum: 9999, unit: "shard number", default: 0 },
          "Number of this installation in the database, which can hold several. Only one gateway at a time serves a shard: the last one started.",
        ),
      },
    ),
  },
);
