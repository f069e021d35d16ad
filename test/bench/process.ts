import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { stringify } from "yaml";

/** A key that has the form of a real one. */
export const BENCH_KEY = `hg_live_${"b".repeat(43)}`;
const cli = process.env.HOURGATE_BENCH_CLI ?? resolve(import.meta.dirname, "../../dist/cli.js");
const MANY = 1e9;

/** The built gateway as a process of its own. */
export interface BenchGateway {
  pid: number;
  url: string;
  mqttPort: number;
  /** From the start of the process until `/v1/forecast` was answered, ms. */
  readyMs: number;
  /** Runs a command of hourgate on this gateway; gives what it printed. */
  command(...typed: string[]): Promise<string>;
  stop(): Promise<void>;
}

/** A folder with a configuration in it: no Node-RED, nothing from the internet, limits out of the way. */
export function benchFolder(settings: Record<string, unknown> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "hourgate-bench-"));
  const config = join(folder, "hourgate.yaml");
  writeFileSync(
    config,
    stringify({
      data_dir: join(folder, "data"),
      http: { host: "127.0.0.1", port: 0 },
      owner: { key: BENCH_KEY },
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
      ...settings,
    }),
  );
  return { config, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Starts the gateway and asks for the forecast as soon as it listens. */
export async function startBenchGateway(config: string): Promise<BenchGateway> {
  const began = performance.now();
  const child = spawn(process.execPath, [cli, "serve", "--config", config], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const line = await lineOf(child, (text) => text.includes("serves http"));
  const { http, mqtt } = JSON.parse(line) as { http: number; mqtt: number };
  const url = `http://127.0.0.1:${http}`;
  const { ok } = await fetch(`${url}/v1/forecast`, { headers: { "X-API-Key": BENCH_KEY } });
  if (!ok) throw new Error("The gateway under measurement does not answer /v1/forecast.");
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

/** Bare Express as a process of its own, serving `{ path: body }`. */
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

function lineOf(child: ChildProcess, isIt: (line: string) => boolean): Promise<string> {
  let output = "";
  return new Promise((found, fail) => {
    child.stdout!.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      const line = output.split("\n").slice(0, -1).find(isIt);
      if (line !== undefined) found(line);
    });
    child.once("exit", (code) =>
      fail(new Error(`A process under measurement ended with ${code}:\n${output}`)),
    );
  });
}

function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((over) => {
    child.once("exit", () => over());
    child.kill("SIGTERM");
  });
}
