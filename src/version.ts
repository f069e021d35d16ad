import { readFileSync } from "node:fs";

/** Version of this gateway, as in package.json: one folder up both from the sources and from what is built of them. */
export const VERSION: string = (
  JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string }
).version;
