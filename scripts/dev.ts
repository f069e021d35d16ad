import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { bundle } from "./bundle.js";

/**
 * `npm run dev`: checks the types on every change, and bundles the code and restarts the gateway if there is no error. Arguments that
 * begin with `--inspect` go to Node.js, all others to `hourgate serve`: `npm run dev -- --inspect --config my.yaml`.
 */
const ROOT = resolve(import.meta.dirname, "..");
const given = process.argv.slice(2);
const nodeArguments = [
  "--enable-source-maps",
  ...given.filter((argument) => argument.startsWith("--inspect")),
];
const serveArguments = given.filter((argument) => !argument.startsWith("--inspect"));

let gateway: ChildProcess | undefined;
let restarting = Promise.resolve();
let isStopping = false;

async function stopGateway(): Promise<void> {
  const stopped = gateway;
  gateway = undefined;
  if (stopped === undefined || stopped.exitCode !== null || stopped.signalCode !== null) return;
  const ended = once(stopped, "exit");
  stopped.kill("SIGTERM");
  await ended;
}

async function restartGateway(): Promise<void> {
  await bundle();
  await stopGateway();
  if (isStopping) return;
  const started = spawn(process.execPath, [...nodeArguments, "dist/cli.js", "serve", ...serveArguments], {
    cwd: ROOT,
    stdio: "inherit",
  });
  gateway = started;
  started.once("exit", (code) => {
    if (gateway === started)
      console.log(`dev: the gateway ended with code ${code}; the next change starts it again.`);
  });
}

const compiler = spawn(
  process.execPath,
  ["node_modules/typescript/bin/tsc", "--build", "--watch", "--preserveWatchOutput"],
  { cwd: ROOT, stdio: ["ignore", "pipe", "inherit"] },
);
createInterface({ input: compiler.stdout }).on("line", (line) => {
  console.log(line);
  if (!/Found 0 errors/.test(line)) return;
  // One after the other: the port and the data folder belong to one gateway at a time.
  restarting = restarting
    .then(restartGateway)
    .catch((error: Error) => console.error(`dev: ${error.message}`));
});

async function stop(): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  compiler.kill();
  await restarting;
  await stopGateway();
  process.exit(0);
}
process.on("SIGINT", stop);
process.on("SIGTERM", stop);
