import { integer, nullableText, section } from "./kinds.js";

export const dataStoreSchema = section("A PostgreSQL database in place of the data folder (operations.md).", {
  postgres: section(
    "A PostgreSQL database (13 or later) instead of the data folder, so that another machine can take over a gateway.",
    {
      url: nullableText(
        { format: "postgres-url", writeOnly: true },
        "Address of the database; null: the data folder.",
      ),
      shard: integer(
        { minimum: 0, maximum: 9999, unit: "shard number", default: 0 },
        "Number of this installation in the database.",
      ),
    },
  ),
});
