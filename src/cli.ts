#!/usr/bin/env node
import { main } from "./commands/main.js";

const code = await main(process.argv.slice(2), {
  environment: process.env,
  out: (line) => process.stdout.write(`${line}\n`),
  error: (line) => process.stderr.write(`${line}\n`),
});
// Whatever still holds the event loop (a source that hangs, an open connection) must not keep the process alive; but
// what was written to a pipe has to arrive first.
process.stdout.write("", () => process.stderr.write("", () => process.exit(code)));
