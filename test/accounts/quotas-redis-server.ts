import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** False, said aloud, where this machine has no redis-server; CI must have one. */
export function redisIsThere(): boolean {
  const there = spawnSync("redis-server", ["--version"]).status === 0;
  if (!there && process.env.CI !== undefined) throw new Error("CI needs redis-server: install it.");
  if (!there) console.warn("SKIPPED: the tests of shared quotas need redis-server, which is not installed.");
  return there;
}

/** A real Redis on a port of its own, which keeps nothing on disk. */
export interface RedisServer {
  url: string;
  port: number;
  /** Resolves when it takes connections. */
  start(): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  /** Kills it and waits until it is gone. */
  kill(): Promise<void>;
  /** Kills it and removes its folder. */
  remove(): Promise<void>;
}

export async function redisServer(...options: string[]): Promise<RedisServer> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), "hourgate-redis-"));
  let child: ChildProcess | undefined;
  const kill = async () => {
    const running = child;
    child = undefined;
    if (running === undefined || running.exitCode !== null) return;
    const gone = new Promise((resolve) => running.once("exit", resolve));
    running.kill("SIGKILL");
    await gone;
  };
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    start: () => {
      const place = ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder];
      const started = spawn("redis-server", [...place, "--save", "", "--appendonly", "no", ...options]);
      child = started;
      return new Promise((resolve, reject) => {
        let output = "";
        started.stdout.on("data", (chunk: Buffer) => {
          output += chunk.toString();
          if (output.includes("Ready to accept connections")) resolve();
        });
        started.once("exit", () => reject(new Error(`redis-server ended:\n${output}`)));
        started.once("error", reject);
      });
    },
    signal: (signal) => void child?.kill(signal),
    kill,
    remove: async () => {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A port that was free a moment ago; one that a server is to get again after a restart can't be 0. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
