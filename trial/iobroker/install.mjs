#!/usr/bin/env node
// Installs an ioBroker of its own from npm: controller, admin, and the adapters mqtt, javascript, parser and simple-api.
//   node install.mjs FOLDER [FIRST_PORT]      default: hourgate-trial-iobroker below the temporary folder, 21910
// Ports: objects FIRST_PORT, states +1, admin +2, simple-api +3. Everything listens on 127.0.0.1. Nothing outside FOLDER is written.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";

const folder = resolve(process.argv[2] ?? join(tmpdir(), "hourgate-trial-iobroker"));
const first = Number(process.argv[3] ?? 21910);
mkdirSync(folder, { recursive: true });

// The MQTT adapter 8.1 and the admin adapter 8 need Node.js 22; an older one is replaced by one from npm, in the folder.
let node = process.execPath;
if (Number(process.versions.node.split(".")[0]) < 22) {
  const own = join(folder, "node");
  mkdirSync(own, { recursive: true });
  if (!existsSync(join(own, "package.json"))) writeFileSync(join(own, "package.json"), '{"private":true}');
  execFileSync("npm", ["install", "--no-audit", "--no-fund", "node@24"], { cwd: own, stdio: "inherit" });
  node = join(own, "node_modules/node/bin/node");
}
const env = { ...process.env, PATH: [dirname(node), process.env.PATH].join(delimiter) };
const app = join(folder, "app");
mkdirSync(app, { recursive: true });
// The override: one release of a dependency of the controller is missing in some copies of the registry.
if (!existsSync(join(app, "package.json")))
  writeFileSync(
    join(app, "package.json"),
    JSON.stringify({
      name: "iobroker-trial",
      version: "1.0.0",
      private: true,
      overrides: { "@iobroker/plugin-sentry": "^3.1.2" },
    }),
  );
const adapters = ["mqtt", "javascript", "parser", "simple-api"];
execFileSync(
  "npm",
  [
    "install",
    "--no-audit",
    "--no-fund",
    "iobroker.js-controller",
    "iobroker.admin",
    ...adapters.map((name) => `iobroker.${name}`),
  ],
  { cwd: app, env, stdio: "inherit" },
);
const command = (...args) =>
  execFileSync(node, ["node_modules/iobroker.js-controller/iobroker.js", ...args], {
    cwd: app,
    env,
    stdio: "pipe",
  });
command("setup", "first");
const settings = join(app, "iobroker-data/iobroker.json");
const json = JSON.parse(readFileSync(settings, "utf8"));
json.objects.port = first;
json.states.port = first + 1;
writeFileSync(settings, JSON.stringify(json, null, 2));
command("add", "admin", "--enabled", "false");
// The controller makes an admin instance of its own on port 8081, enabled or not: all instances are moved and stopped.
for (const [at, name] of ["admin.0", "admin.1"].entries()) {
  try {
    command("set", name, "--port", `${first + 2 + at * 4}`, "--bind", "127.0.0.1");
    command("stop", name);
  } catch {
    /* there is no second one */
  }
}
for (const name of adapters) command("add", name, "--enabled", "false");
command("set", "simple-api.0", "--port", `${first + 3}`, "--bind", "127.0.0.1");
writeFileSync(
  join(folder, "installed.json"),
  JSON.stringify({
    node,
    app,
    ports: { objects: first, states: first + 1, admin: first + 2, api: first + 3 },
  }),
);
console.log(`ioBroker is installed in ${folder}`);
