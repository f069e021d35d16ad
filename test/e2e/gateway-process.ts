import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { stringify } from "yaml";

/** The command as `npm run build` makes it. */
export const COMMAND = resolve(import.meta.dirname, "../../dist/cli.js");

/** An API key of valid form for tests. */
export const TEST_KEY = `hg_live_${"t".repeat(43)}`;

/** The built gateway as a separate process on free ports. */
export interface GatewayProcess {
  http: string;
  mqttPort: number;
  /** Time from the start of the process to the log line that it serves, ms. */
  readyMs: number;
  output(): string;
  /** Resolves with the first line of the output from `from` on that contains the text. */
  logged(text: string, from?: number): Promise<string>;
  /** Moves the monotonic time of a process that was started with `isStepped`, ms since its start. */
  stepTo(ms: number): void;
  /** Sends `signal` and waits for the exit; resolves with the exit code (null if the signal killed the process). */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** A temporary folder with a configuration. */
export function sandbox(settings: Record<string, unknown>) {
  const folder = mkdtempSync(join(tmpdir(), "hourgate-e2e-"));
  // The user of the Node-RED editor must be able to enter the data folder in it.
  chmodSync(folder, 0o711);
  const config = join(folder, "hourgate.yaml");
  writeFileSync(
    config,
    stringify({
      data_dir: join(folder, "data"),
      http: { host: "127.0.0.1", port: 0 },
      owner: { key: TEST_KEY },
      // It starts a second process; the tests of Node-RED enable it.
      node_red: { enabled: false },
      ...settings,
      mqtt: { broker: { host: "127.0.0.1", port: 0 }, ...(settings.mqtt as object) },
    }),
  );
  return { folder, config, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/**
 * Starts `hourgate serve` and resolves when it serves; rejects with its output if it exits earlier. `environment`
 * extends that of the test. `program` may be another build of the command, such as an installed one. `isStepped`: its
 * monotonic time stands still until `stepTo` is called.
 */
export function startGateway(
  config: string,
  environment: Record<string, string> = {},
  program = COMMAND,
  isStepped = false,
): Promise<GatewayProcess> {
  const started = performance.now();
  const preload = isStepped ? ["--import", join(import.meta.dirname, "stepped-clock.mjs")] : [];
  const child = spawn(process.execPath, [...preload, program, "serve", "--config", config], {
    stdio: ["ignore", "pipe", "pipe", ...(isStepped ? ["ipc" as const] : [])],
    env: { ...process.env, ...environment },
  });
  let output = "";
  let isReady = false;
  const waiting = new Set<() => void>();
  const logged = (text: string, from = 0) =>
    new Promise<string>((found, fail) => {
      const look = () => {
        const lines = output.slice(from).split("\n").slice(0, -1);
        const line = lines.find((one) => one.includes(text));
        // Node-RED never runs: nothing is to be waited for.
        const closed = lines.find((one) => one.includes("which cannot enter"));
        if (line !== undefined) found(line);
        else if (closed !== undefined) fail(new Error(closed));
        else return;
        waiting.delete(look);
      };
      waiting.add(look);
      look();
    });
  return new Promise((ready, fail) => {
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      for (const look of [...waiting]) look();
      if (isReady) return;
      const line = output
        .split("\n")
        .find((candidate) => candidate.includes('"http":') && candidate.includes("serves"));
      if (line === undefined || !line.endsWith("}")) return;
      isReady = true;
      // With an external broker there is no own MQTT port.
      const { http, mqtt = 0 } = JSON.parse(line) as { http: number; mqtt?: number };
      ready({
        http: `http://127.0.0.1:${http}`,
        mqttPort: mqtt,
        readyMs: performance.now() - started,
        output: () => output,
        logged,
        stepTo: (ms) => void child.send(ms),
        end: (signal) => end(child, signal),
      });
    };
    child.stdout!.on("data", read);
    child.stderr!.on("data", read);
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

/** Sends a GET or POST request with the test key; body and response are JSON. */
export async function call(
  gateway: GatewayProcess,
  path: string,
  { body, key = TEST_KEY }: { body?: unknown; key?: string | null } = {},
) {
  const response = await fetch(gateway.http + path, {
    ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
    headers: {
      "Content-Type": "application/json",
      // On a busy machine the gateway closes an idle connection at the moment that it is used again.
      Connection: "close",
      ...(key !== null && { "X-API-Key": key }),
    },
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: JSON.parse(text) };
}
