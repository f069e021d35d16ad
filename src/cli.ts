#!/usr/bin/env node
import { text } from "node:stream/consumers";
import { setFlagsFromString } from "node:v8";

/** The newest V8 (that of Node 26) seen to know the flag below; one that does not says so on stderr, with each command. */
const KNOWN_V8 = 14;

// V8 would let the young generation grow to 32 MB (Node 24: 128 MB) while the program is read in, and keep it. At 2 MB
// nothing that the gateway does takes measurably longer, but for a training of the forecast: 5 %. Before all else is loaded.
if (Number.parseInt(process.versions.v8, 10) <= KNOWN_V8) setFlagsFromString("--semi-space-growth-factor=1");
const { main } = await import("./commands/main.js");

const { stdout, stderr } = process;
// Whoever reads the output may stop before its end (`| head`): that is no fault.
stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));

const code = await main(process.argv.slice(2), {
  environment: process.env,
  out: (line) => stdout.write(`${line}\n`) || new Promise((resolve) => stdout.once("drain", resolve)),
  error: (line) => stderr.write(`${line}\n`),
  input: () => text(process.stdin),
  ...(stderr.isTTY && { status: (line: string) => stderr.write(`\r\u001b[K${line}`) }),
});
// Whatever still holds the event loop (a source that hangs, an open connection) must not keep the process alive; but
// what was written to a pipe has to arrive first.
stdout.write("", () => stderr.write("", () => process.exit(code)));
