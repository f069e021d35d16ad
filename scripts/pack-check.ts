import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { call, sandbox, startGateway } from "../test/e2e/gateway-process.js";

/**
 * `npm run pack:check`: packs the gateway and the palette, installs each into an empty folder, starts the installed gateway
 * and an installed Node-RED with the palette, and asks both. Needs a package registry for the dependencies.
 */
const ROOT = resolve(import.meta.dirname, "..");
const READY_MS = 60_000;
const work = mkdtempSync(join(tmpdir(), "hourgate-pack-"));

function npm(args: string[], cwd: string): string {
  return execFileSync("npm", [...args, "--loglevel=error"], {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
}

/** Packs a folder of the repository; gives the path of the package. */
function pack(folder: string): string {
  // A build before packing writes to stdout too: the file's name is the last line.
  const name = npm(["pack", "--pack-destination", work], folder).trim().split("\n").at(-1)!;
  return join(work, name);
}

/** Installs a package into an empty folder of its own. */
function install(name: string, ...packages: string[]): string {
  const folder = join(work, name);
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: `try-${name}`, private: true }));
  const began = performance.now();
  npm(["install", "--omit=dev", "--no-audit", "--no-fund", ...packages], folder);
  console.log(`${name} installed in ${seconds(began)}`);
  return folder;
}

const seconds = (began: number) => `${((performance.now() - began) / 1000).toFixed(1)} s`;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((listening) => server.once("listening", listening));
  const { port } = server.address() as { port: number };
  await new Promise((closed) => server.close(closed));
  return port;
}

async function checkGateway(folder: string): Promise<void> {
  const box = sandbox({ market: { sources: [] }, weather: { sources: [] } });
  const program = join(folder, "node_modules/hourgate/dist/cli.js");
  const gateway = await startGateway(box.config, {}, program);
  try {
    const { status, json } = await call(gateway, "/v1/forecast");
    if (status !== 200 || json.prices.length !== 168)
      throw new Error(`The installed gateway answered ${status} instead of a forecast of 168 hours.`);
    const help = await fetch(`${gateway.http}/help/configuration`);
    if (help.status !== 200)
      throw new Error(`The installed package lacks its documentation: ${help.status}.`);
    console.log(`gateway started in ${(gateway.readyMs / 1000).toFixed(1)} s, /v1/forecast answered`);
  } finally {
    await gateway.end("SIGTERM");
    box.remove();
  }
}

/** Node-RED's own list of the nodes that it has loaded. */
async function loadedNodes(url: string): Promise<{ module: string; err?: string }[] | undefined> {
  try {
    const response = await fetch(`${url}/nodes`, { headers: { Accept: "application/json" } });
    return response.ok ? ((await response.json()) as { module: string; err?: string }[]) : undefined;
  } catch {
    return undefined;
  }
}

async function checkPalette(palette: string, nodeRed: string): Promise<void> {
  const port = await freePort();
  const program = join(nodeRed, "node_modules/node-red/red.js");
  const child = spawn(process.execPath, [program, "--userDir", palette, "--port", `${port}`], {
    stdio: "ignore",
  });
  try {
    for (const until = performance.now() + READY_MS; performance.now() < until; ) {
      const nodes = await loadedNodes(`http://127.0.0.1:${port}`);
      const ours = nodes?.filter(({ module }) => module === "@hourgate/node-red") ?? [];
      const broken = ours.find(({ err }) => err !== undefined);
      if (broken) throw new Error(`A node of the palette does not load: ${broken.err}`);
      if (ours.length > 0) {
        console.log(`Node-RED has loaded the palette's ${ours.length} nodes`);
        return;
      }
      await new Promise((over) => setTimeout(over, 200));
    }
    throw new Error(`Node-RED did not load the palette within ${READY_MS / 1000} s.`);
  } finally {
    child.kill();
  }
}

const began = performance.now();
try {
  const gateway = install("gateway", pack(ROOT));
  const palette = install("palette", pack(join(ROOT, "node-red-nodes")));
  await checkGateway(gateway);
  await checkPalette(palette, gateway);
  console.log(`pack:check passed in ${seconds(began)}`);
} finally {
  rmSync(work, { recursive: true, force: true });
}
