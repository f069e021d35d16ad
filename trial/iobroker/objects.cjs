// Stores objects in the database of a running ioBroker: node objects.cjs APP_FOLDER < { "id": object or null to delete }
const { createRequire } = require("node:module");
const { readFileSync } = require("node:fs");
const app = process.argv[2];
const { Client } = createRequire(`${app}/node_modules/iobroker.js-controller/package.json`)(
  "@iobroker/db-objects-jsonl",
);
const connection = JSON.parse(readFileSync(`${app}/iobroker-data/iobroker.json`, "utf8")).objects;
const objects = JSON.parse(readFileSync(0, "utf8"));
const quiet = () => {};
const client = new Client({
  connection,
  hostname: "trial",
  logger: { debug: quiet, silly: quiet, info: quiet, warn: console.error, error: console.error },
  connected: async () => {
    for (const [id, object] of Object.entries(objects))
      await new Promise((done, fail) => {
        const end = (error) => (error ? fail(error) : done());
        if (object === null) client.delObject(id, end);
        else client.setObject(id, object, end);
      });
    process.exit(0);
  },
});
setTimeout(() => {
  console.error("no connection to the database of ioBroker");
  process.exit(1);
}, 15_000);
