import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import express from "express";

/** Plain Express with prepared responses: `{ path: body }` from the file in the first argument; POST parses its JSON body. */
const bodies = JSON.parse(readFileSync(process.argv[2]!, "utf8")) as Record<string, string>;
const app = express();
for (const [path, text] of Object.entries(bodies)) {
  const bytes = Buffer.from(text);
  const type = "application/json; charset=utf-8";
  app.get(path, (_req, res) => {
    res.set("Content-Type", type).send(bytes);
  });
  app.post(path, express.json(), (_req, res) => {
    res.set("Content-Type", type).send(bytes);
  });
}
const server = app.listen(0, "127.0.0.1", () => {
  console.log(`port ${(server.address() as AddressInfo).port}`);
});
