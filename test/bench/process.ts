import { type ChildProcess, execFile, spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { stringify } from "yaml";

/** An API key of valid form. */
export const BENCH_KEY = `hg_live_${"b".repeat(43)}`;
const cli = process.env.HOURGATE_BENCH_CLI ?? resolve(import.meta.dirname, "../../dist/cli.js");
/** Options of Node for the gateway, such as `--cpu-prof`. */
const nodeOptions = process.env.HOURGATE_BENCH_NODE?.split(" ") ?? [];
const MANY = 1e9;

/** The built gateway as a separate process. */
export interface BenchGateway {
  pid: number;
  url: string;
  mqttPort: number;
  /** Time from the start of the process to the response of `/v1/forecast`, ms. */
  readyMs: number;
  /** Runs an hourgate command on this gateway; resolves with its output. */
  command(...typed: string[]): Promise<string>;
  stop(): Promise<void>;
}

/** A temporary folder with a configuration: no Node-RED, no internet sources, practically no quotas. */
export function benchFolder(settings: Record<string, unknown> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "hourgate-bench-"));
  // The user of the Node-RED editor must be able to enter the data folder in it.
  chmodSync(folder, 0o711);
  const config = join(folder, "hourgate.yaml");
  const dataDir = join(folder, "data");
  const { owner, ...others } = settings;
  writeFileSync(
    config,
    stringify({
      data_dir: dataDir,
      http: { host: "127.0.0.1", port: 0 },
      owner: { key: BENCH_KEY, ...(owner as object | undefined) },
      node_red: { enabled: false },
      mqtt: { broker: { host: "127.0.0.1", port: 0 } },
      market: { sources: [] },
      weather: { sources: [] },
      plants: [
        {
          id: "home",
          timezone: "Europe/Vienna",
          battery: { capacity_kwh: 10, max_charge_power_kw: 5, max_discharge_power_kw: 5 },
        },
      ],
      quotas: { professional: { decision: MANY, telemetry: MANY } },
      ...others,
    }),
  );
  return { config, dataDir, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Starts the gateway and requests the forecast as soon as it listens. */
export async function startBenchGateway(config: string): Promise<BenchGateway> {
  const began = performance.now();
  const child = spawn(process.execPath, [...nodeOptions, cli, "serve", "--config", config], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const line = await lineOf(child, (text) => text.includes("serves the portal"));
  const { http, mqtt } = JSON.parse(line) as { http: number; mqtt: number };
  const url = `http://127.0.0.1:${http}`;
  const { ok } = await fetch(`${url}/v1/forecast`, { headers: { "X-API-Key": BENCH_KEY } });
  if (!ok) throw new Error("The measured gateway does not respond to /v1/forecast.");
  return {
    pid: child.pid!,
    url,
    mqttPort: mqtt,
    readyMs: performance.now() - began,
    command: async (...typed) => {
      const { stdout } = await promisify(execFile)(process.execPath, [cli, ...typed, "--config", config]);
      return stdout;
    },
    stop: () => ended(child),
  };
}

/** Starts plain Express as a separate process serving `{ path: body }`. */
export async function startBareExpress(bodies: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), "hourgate-bench-"));
  const file = join(folder, "bodies.json");
  writeFileSync(file, JSON.stringify(bodies));
  const script = resolve(import.meta.dirname, "bare-express.ts");
  const child = spawn(process.execPath, ["--import", "tsx", script, file], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const line = await lineOf(child, (text) => text.startsWith("port "));
  return {
    url: `http://127.0.0.1:${line.slice(5)}`,
    stop: async () => {
      await ended(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function lineOf(child: ChildProcess, matches: (line: string) => boolean): Promise<string> {
  let output = "";
  return new Promise((found, fail) => {
    child.stdout!.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      const line = output.split("\n").slice(0, -1).find(matches);
      if (line !== undefined) found(line);
    });
    child.once("exit", (code) => fail(new Error(`A measured process exited with code ${code}:\n${output}`)));
  });
}

function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((over) => {
    child.once("exit", () => over());
    child.kill("SIGTERM");
  });
}
