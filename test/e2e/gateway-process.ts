import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { stringify } from "yaml";

const root = resolve(import.meta.dirname, "../..");

/** A key for tests that has the form of a real one. */
export const TEST_KEY = `hg_live_${"t".repeat(43)}`;

/** The built gateway as a process of its own, on ports that the system picks. */
export interface GatewayProcess {
  http: string;
  mqttPort: number;
  /** From the start of the process until it said that it serves, ms. */
  readyMs: number;
  output(): string;
  /** Ends it with `signal` and waits for it; gives the exit code (null when the signal killed it). */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** A folder for one test, with a configuration in it. */
export function sandbox(settings: Record<string, unknown>) {
  const folder = mkdtempSync(join(tmpdir(), "hourgate-e2e-"));
  const config = join(folder, "hourgate.yaml");
  writeFileSync(
    config,
    stringify({
      data_dir: join(folder, "data"),
      http: { host: "127.0.0.1", port: 0 },
      owner: { key: TEST_KEY },
      // A second process each time: its own tests switch it on.
      node_red: { enabled: false },
      ...settings,
      mqtt: { broker: { host: "127.0.0.1", port: 0 }, ...(settings.mqtt as object) },
    }),
  );
  return { folder, config, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/**
 * Starts `node dist/cli.js serve` and resolves when it serves; rejects with its output when it ends before. `environment`
 * is laid over that of the test. `program` is another build of the command, such as an installed one.
 */
export function startGateway(
  config: string,
  environment: Record<string, string> = {},
  program = join(root, "dist/cli.js"),
): Promise<GatewayProcess> {
  const started = performance.now();
  const child = spawn(process.execPath, [program, "serve", "--config", config], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...environment },
  });
  let output = "";
  return new Promise((ready, fail) => {
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      const line = output
        .split("\n")
        .find((candidate) => candidate.includes('"http":') && candidate.includes("serves"));
      if (line === undefined || !line.endsWith("}")) return;
      // With a broker of others there is no port of its own.
      const { http, mqtt = 0 } = JSON.parse(line) as { http: number; mqtt?: number };
      ready({
        http: `http://127.0.0.1:${http}`,
        mqttPort: mqtt,
        readyMs: performance.now() - started,
        output: () => output,
        end: (signal) => end(child, signal),
      });
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("exit", (code) => fail(new Error(`The gateway ended with ${code}:\n${output}`)));
  });
}

function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode);
  return new Promise((ended) => {
    child.once("exit", (code) => ended(code));
    child.kill(signal);
  });
}

/** GET or POST with the test key; the body and the parsed answer are JSON. */
export async function call(
  gateway: GatewayProcess,
  path: string,
  { body, key = TEST_KEY }: { body?: unknown; key?: string | null } = {},
) {
  const response = await fetch(gateway.http + path, {
    ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
    headers: {
      "Content-Type": "application/json",
      ...(key !== null && { "X-API-Key": key }),
    },
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: JSON.parse(text) };
}
