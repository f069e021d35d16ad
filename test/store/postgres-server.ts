import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

/** Debian keeps the programs of the server in a folder per version. */
const DEBIAN = "/usr/lib/postgresql";
const folders = [
  ...(process.env.PATH ?? "").split(delimiter),
  ...(existsSync(DEBIAN) ? readdirSync(DEBIAN).sort().reverse() : []).map((version) =>
    join(DEBIAN, version, "bin"),
  ),
];
const binaries = folders.find((folder) =>
  ["initdb", "postgres"].every((name) => existsSync(join(folder, name))),
);

/** Whether this machine has PostgreSQL; without it its tests are skipped, but never where CI runs them. */
export function hasPostgres(): boolean {
  if (binaries !== undefined) return true;
  if (process.env.CI !== undefined) throw new Error("CI needs PostgreSQL: install the package postgresql.");
  console.warn("SKIPPED: the tests of the PostgreSQL store need PostgreSQL; install the package postgresql.");
  return false;
}

/** The server refuses to run as root; this is the user nobody. */
const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** A real PostgreSQL server with its data in a folder of its own, which survives `kill`. */
export interface PostgresServer {
  port: number;
  /** Address of the database, with a password. */
  url: string;
  /** Resolves when it accepts connections. */
  start(): Promise<void>;
  /** Ids of all its processes. */
  pids(): number[];
  /** Ends all its processes as a power failure would. */
  kill(): Promise<void>;
  /** Kills it and removes its folder. */
  remove(): Promise<void>;
}

/** The password of the server; it must not appear in any output. */
export const POSTGRES_PASSWORD = "sixteen-secrets";

/** Creates the data of a server, which `start` starts. */
export async function postgresServer(): Promise<PostgresServer> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), "hourgate-postgres-"));
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, "data");
  // Only the creation is not flushed; the server itself flushes what it acknowledges.
  const init = [
    "-D",
    data,
    "-U",
    "hourgate",
    "-E",
    "UTF8",
    "--locale=C",
    "--auth=scram-sha-256",
    "--no-sync",
  ];
  const passwordFile = join(folder, "password");
  writeFileSync(passwordFile, POSTGRES_PASSWORD, { mode: 0o644 });
  execFileSync(join(binaries!, "initdb"), [...init, "--pwfile", passwordFile], {
    stdio: "pipe",
    cwd: "/",
    ...user,
  });
  const options = [
    "-p",
    String(port),
    "-c",
    "listen_addresses=127.0.0.1",
    "-k",
    folder,
    "-c",
    "shared_buffers=32MB",
  ];
  let child: ChildProcess | undefined;
  const kill = async () => {
    const running = child;
    child = undefined;
    if (running === undefined || running.exitCode !== null) return;
    const exited = once(running, "exit");
    process.kill(-running.pid!, "SIGKILL");
    await exited;
  };
  return {
    port,
    url: `postgresql://hourgate:${POSTGRES_PASSWORD}@127.0.0.1:${port}/postgres`,
    start: () => {
      // A process group of its own, so that the server processes of the connections are killed too.
      const started = spawn(join(binaries!, "postgres"), ["-D", data, ...options], {
        stdio: ["ignore", "ignore", "pipe"],
        detached: true,
        cwd: "/",
        ...user,
      });
      child = started;
      return new Promise((resolve, reject) => {
        let output = "";
        started.stderr!.on("data", (chunk: Buffer) => {
          output += chunk.toString();
          if (output.includes("ready to accept connections")) resolve();
        });
        started.once("exit", () => reject(new Error(`postgres ended:\n${output}`)));
        started.once("error", reject);
      });
    },
    pids: () => {
      const { pid } = child!;
      return [
        pid!,
        ...readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number),
      ];
    },
    kill,
    remove: async () => {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A port that was free a moment ago; a server that gets the same one after a restart cannot use 0. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}
