import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import express from "express";

/** Bare Express that serves prepared bytes: `{ path: body }` from the file named first; POST reads its JSON body first. */
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
