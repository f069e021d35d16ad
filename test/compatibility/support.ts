import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { arch, tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { type GatewayProcess, sandbox, startGateway } from "../e2e/gateway-process.js";
import { HOURLY_PRICES, recordedFile } from "../support/recorded-data.js";

const run = promisify(execFile);
const WAIT_MS = 60_000;
/** Limit for a program that runs to its end, such as an installation. */
const LIMIT_MS = 600_000;
const LARGEST_OUTPUT = 64 * 1024 * 1024;

/** One trial with a real counterpart: its folder, its log, and what is to be ended after it. */
export interface Trial {
  /** A temporary folder, removed at the end. */
  folder: string;
  /** Prints a line of the log. */
  step(text: string): void;
  /** Registers work for the end, also after a failure; the last one first. */
  atEnd(work: () => unknown): void;
}

/** Runs a trial, prints its log, and exits with 1 if it fails or is interrupted. */
export async function trial(name: string, work: (trial: Trial) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "hourgate-trial-"));
  const ends: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })];
  const began = performance.now();
  const seconds = () => `${((performance.now() - began) / 1000).toFixed(0)} s`.padStart(6);
  const end = async () => {
    for (const work of ends.splice(0).reverse()) await work();
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => void end().then(() => process.exit(1)));
  console.log(`${name}, ${new Date().toISOString().slice(0, 10)}, Node.js ${process.versions.node}`);
  try {
    await work({
      folder,
      step: (text) => console.log(`${seconds()}  ${text}`),
      atEnd: (end) => ends.push(end),
    });
    console.log(`${seconds()}  passed; what it installed is removed now`);
  } catch (error) {
    console.error(`${seconds()}  FAILED: ${error instanceof Error ? error.stack : String(error)}`);
    process.exitCode = 1;
  } finally {
    await end();
  }
}

/** Throws with both values if they differ as JSON. */
export function expectEqual(what: string, seen: unknown, expected: unknown): void {
  if (JSON.stringify(seen) === JSON.stringify(expected)) return;
  throw new Error(`${what}: ${JSON.stringify(seen)} instead of ${JSON.stringify(expected)}.`);
}

/** Asks until the answer is neither undefined nor false; an error counts as no answer. Throws after `ms`. */
export async function eventually<Answer>(
  what: string,
  ask: () => Answer | Promise<Answer>,
  ms = WAIT_MS,
): Promise<Exclude<Answer, undefined | null | false>> {
  let last: unknown;
  for (const until = performance.now() + ms; performance.now() < until; await delay(250)) {
    try {
      last = await ask();
      if (last !== undefined && last !== null && last !== false) return last as never;
    } catch (error) {
      last = error;
    }
  }
  throw new Error(`${what} did not happen within ${ms / 1000} s; last: ${String(last)}`);
}

/** A port that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((listening) => server.once("listening", listening));
  const { port } = server.address() as { port: number };
  await new Promise((closed) => server.close(closed));
  return port;
}

/** Runs a program to its end; resolves with its output. Rejects if it fails, or has not ended within `limitMs`. */
export async function execute(
  program: string,
  args: readonly string[],
  {
    cwd,
    env = process.env,
    limitMs = LIMIT_MS,
  }: { cwd?: string; env?: NodeJS.ProcessEnv; limitMs?: number } = {},
): Promise<string> {
  const options = { cwd, env, maxBuffer: LARGEST_OUTPUT, timeout: limitMs };
  const { stdout, stderr } = await run(program, [...args], options).catch((error) => {
    if (error.killed !== true) throw error;
    throw new Error(`${program} has not ended within ${limitMs / 1000} s: ${error.stderr.slice(-2000)}`);
  });
  return stdout + stderr;
}

/** Starts a program that runs until the end of the trial, or until `stop`. */
export function runUntilEnd(
  trial: Trial,
  command: readonly [program: string, ...args: string[]],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
) {
  const [program, ...args] = command;
  const child = spawn(program, args, { ...options, stdio: ["ignore", "pipe", "pipe"], detached: true });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
  const stop = () => stopGroup(child);
  trial.atEnd(stop);
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  return { output: () => output, stop, hasEnded, exitCode: () => child.exitCode };
}

/** Ends a program with all that it has started: by SIGTERM, after ten seconds by SIGKILL. */
async function stopGroup(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const exited = new Promise((ended) => child.once("exit", ended));
  process.kill(-child.pid, "SIGTERM");
  const force = setTimeout(() => process.kill(-child.pid!, "SIGKILL"), 10_000);
  await exited;
  clearTimeout(force);
}

/**
 * Installs npm packages into a new folder of the trial; returns the folder. `overrides` as in package.json. npm chooses
 * versions that suit the Node.js of `env`.
 */
export async function npmInstall(
  { folder, step }: Trial,
  name: string,
  packages: readonly string[],
  { overrides, env }: { overrides?: Readonly<Record<string, string>>; env?: NodeJS.ProcessEnv } = {},
): Promise<string> {
  const into = join(folder, name);
  mkdirSync(into, { recursive: true });
  writeFileSync(join(into, "package.json"), JSON.stringify({ name, private: true, overrides }));
  const args = ["install", "--omit=dev", "--no-audit", "--no-fund", ...packages];
  await execute("npm", args, { cwd: into, ...(env && { env }) });
  const versions = Object.keys(manifestIn(into).dependencies ?? {}).map(
    (one) => `${one} ${manifestIn(join(into, "node_modules", one)).version}`,
  );
  step(`installed ${versions.join(", ")}`);
  return into;
}

const manifestIn = (folder: string) =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    version?: string;
    dependencies?: Record<string, string>;
  };

/**
 * The environment in which counterparts run: Node.js 22 or later. An older one is replaced by Node.js 24 from the npm
 * registry.
 */
export async function counterpartEnvironment(
  trial: Trial,
): Promise<{ node: string; env: NodeJS.ProcessEnv }> {
  if (Number(process.versions.node.split(".")[0]) >= 22) return { node: process.execPath, env: process.env };
  const name = `node-linux-${arch()}`;
  const installed = await npmInstall(trial, "node", [`${name}@24`]);
  const node = join(installed, "node_modules", name, "bin/node");
  const PATH = [dirname(node), process.env.PATH].join(delimiter);
  return { node, env: { ...process.env, PATH } };
}

/** Packs a folder of the repository; returns the path of the package. */
export async function npmPack({ folder }: Trial, source: string): Promise<string> {
  const { stdout } = await run("npm", ["pack", "--pack-destination", folder, "--loglevel=error"], {
    cwd: source,
  });
  // A build before packing writes to stdout too: the file's name is the last line.
  return join(folder, stdout.trim().split("\n").at(-1)!);
}

/** The built gateway at 02:30 on 2026-01-15 with recorded prices and a wallbox; ended with the trial. */
export async function gatewayOnRecordedPrices(
  trial: Trial,
  settings: Record<string, unknown> = {},
): Promise<GatewayProcess> {
  const box = sandbox({
    clock: { start: "2026-01-15T02:30:00+01:00", speed: 1 },
    market: { sources: [{ type: "file", path: recordedFile(HOURLY_PRICES) }] },
    weather: { sources: [] },
    plants: [
      {
        id: "home",
        battery: { capacity_kwh: 10 },
        slots: [{ slot: 1, kind: "wallbox", label: "Garage" }],
      },
    ],
    ...settings,
  });
  trial.atEnd(box.remove);
  const gateway = await startGateway(box.config);
  trial.atEnd(() => gateway.end("SIGTERM"));
  return gateway;
}

/** Whether a program is installed, in the path or where Debian keeps daemons. */
export const programPath = (name: string): string | undefined =>
  [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/sbin"]
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));
