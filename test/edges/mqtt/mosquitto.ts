import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer } from "node:net";
import { delimiter, join } from "node:path";

// Debian keeps daemons where a user's PATH does not lead.
const env = { ...process.env, PATH: [process.env.PATH, "/usr/sbin", "/usr/local/sbin"].join(delimiter) };

/** Whether this machine has a Mosquitto; without one its tests are skipped, but never where CI runs them. */
export function hasMosquitto(): boolean {
  const isThere = spawnSync("mosquitto", ["-h"], { env }).error === undefined;
  if (isThere) return true;
  if (process.env.CI === "true" || process.env.CI === "1")
    throw new Error("The tests of the external broker need mosquitto; install the package of that name.");
  console.warn("SKIPPED: the tests of the external broker need mosquitto; install the package of that name.");
  return false;
}

/** A port that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** A real Mosquitto that keeps its sessions on disk in the folder. */
export class Mosquitto {
  readonly port: number;
  readonly #configuration: string;
  readonly #folder: string;
  #process: ChildProcess | undefined;

  constructor(folder: string, port: number) {
    this.port = port;
    this.#folder = folder;
    this.#configuration = join(folder, "mosquitto.conf");
  }

  /** Resolves when it takes connections. */
  async start(): Promise<void> {
    const lines = [
      `listener ${this.port} 127.0.0.1`,
      "allow_anonymous true",
      "persistence true",
      `persistence_location ${this.#folder}/`,
    ];
    if (process.getuid?.() === 0) lines.push("user root");
    await writeFile(this.#configuration, `${lines.join("\n")}\n`);
    const child = spawn("mosquitto", ["-c", this.#configuration, "-v"], {
      stdio: ["ignore", "ignore", "pipe"],
      env,
    });
    this.#process = child;
    let said = "";
    await new Promise<void>((resolve, reject) => {
      child.stderr!.setEncoding("utf8");
      child.stderr!.on("data", (text: string) => {
        said += text;
        if (/mosquitto version \S+ running/.test(said)) resolve();
      });
      child.once("exit", () => reject(new Error(`mosquitto did not start: ${said}`)));
    });
    const probe = connect(this.port, "127.0.0.1");
    await once(probe, "connect");
    probe.destroy();
  }

  /** Ends it as a power failure does: nothing is written down any more. */
  async kill(): Promise<void> {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null) return;
    this.#process = undefined;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  }

  /** Has it write down what it holds, at once. */
  writeDown(): void {
    this.#process?.kill("SIGUSR1");
  }

  /** Ends it; it writes its sessions down before. */
  async stop(): Promise<void> {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null) return;
    this.#process = undefined;
    const exited = once(child, "exit");
    child.kill("SIGTERM");
    await exited;
  }
}
