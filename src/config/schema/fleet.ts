import { integer, nullableInteger, nullableText, section } from "./kinds.js";

export const fleetSchema = section(
  "A fleet of workers that share the homes of one installation (docs/fleet.md). It needs redis.url, store.postgres.url, mqtt.external.url, http.base_url and http.trust_proxy. Workers run without the Node-RED editor.",
  {
    shards: nullableInteger(
      { minimum: 1, maximum: 1000, unit: "shards" },
      "Number of parts that the homes are divided into, the same for all workers and routers; it cannot be changed later. Each part is served by one worker. Null: no fleet.",
    ),
    lease_seconds: integer(
      { minimum: 2, maximum: 300, unit: "seconds", default: 15 },
      "How long a worker that no longer answers keeps its shard before a waiting worker takes it over.",
    ),
    address: nullableText(
      { format: "http-url" },
      "Address under which the routers reach this worker, such as http://10.0.0.7:8080; null: the first LAN address and http.port.",
    ),
  },
);
