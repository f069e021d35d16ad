#!/usr/bin/env node
import { text } from "node:stream/consumers";
import { setFlagsFromString } from "node:v8";
import { printable } from "./core/one-line.js";
import type { Terminal } from "./ops/commands/command.js";
import { keepCompiledCode } from "./ops/commands/compile-cache.js";

/** Latest V8 (Node 26) known to support the flag below; a version that does not prints a warning with each command. */
const KNOWN_V8 = 14;

const isGateway = process.argv[2] === "serve";
// V8 compiles the modules of Node.js anew once a flag has been set: those that a gateway needs are loaded before.
if (isGateway)
  await Promise.all([
    import("node:https"),
    import("node:worker_threads"),
    import("node:child_process"),
    import("node:dns/promises"),
    import("node:perf_hooks"),
    import("node:zlib"),
    import("node:cluster"),
  ]);
// V8 would let the young generation grow to 32 MB (Node 24: 128 MB) while the modules are loaded, and keep that size. A
// gateway mostly waits, and 2 MB are enough for it; commands that compute for minutes, such as compare and demo, would
// spend a third of their time collecting garbage. Must be set before anything of the gateway is loaded.
if (isGateway && Number.parseInt(process.versions.v8, 10) <= KNOWN_V8)
  setFlagsFromString("--semi-space-growth-factor=1");
// The files of the gateway contain secrets and measurements: only its own user may read them, also those of libraries.
process.umask(0o077);
keepCompiledCode(process.env);
const { main } = await import("./ops/commands/main.js");
const { servers } = await import("./app/servers.js");
const { endProcess } = await import("./ops/commands/end-process.js");

const { stdout, stderr } = process;
// The reader of the output may stop early (`| head`); this is not an error. A full disk is: a part of the output is missing.
stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") stderr.write(`The output cannot be written: ${error.message}.\n`);
  process.exit(error.code === "EPIPE" ? 0 : 1);
});

// Files and pipes get texts as they are; on a terminal, names that devices and accounts gave themselves must not control it.
const shownOn = ({ isTTY }: { isTTY?: boolean }, line: string) => (isTTY ? printable(line) : line);
const terminal: Terminal = {
  environment: process.env,
  out: (line) =>
    stdout.write(`${shownOn(stdout, line)}\n`) || new Promise((resolve) => stdout.once("drain", resolve)),
  error: (line) => stderr.write(`${shownOn(stderr, line)}\n`),
  input: () => text(process.stdin),
  ...(stderr.isTTY && { status: (line: string) => stderr.write(`\r\u001b[K${line}`) }),
};
const code = await main(process.argv.slice(2), terminal, servers);
// Open handles (a hanging source, an open connection) must not keep the process alive, but output written to a pipe has to
// be flushed first.
stdout.write("", (fault) => {
  // The listener above ends the process.
  if (!fault) stderr.write("", () => void endProcess(code));
});
