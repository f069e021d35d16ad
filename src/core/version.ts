import { readFileSync } from "node:fs";
import { shippedPath } from "./installation.js";

export const VERSION: string = (
  JSON.parse(readFileSync(shippedPath("package.json"), "utf8")) as { version: string }
).version;
