#!/usr/bin/env node
// Installs a plain Node-RED from npm beside hourgate, with the palette installed as docs/node-red.md says.
//   node install.mjs FOLDER [VERSION] [PROJECT]     VERSION: 4 or 5 (default 5); PROJECT: hourgate's folder (default: HOURGATE_DIR or the working directory)
// FOLDER/app is Node-RED, FOLDER/user its user directory. Nothing outside FOLDER is written.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";

const version = process.argv[3] ?? "5";
const folder = resolve(process.argv[2] ?? join(tmpdir(), `hourgate-trial-node-red-${version}`));
const project = resolve(process.argv[4] ?? process.env.HOURGATE_DIR ?? ".");
const palette = join(project, "node-red-nodes");
if (!existsSync(join(palette, "package.json"))) throw new Error(`${project} is not hourgate's folder`);
const into = (name) => {
  const path = join(folder, name);
  mkdirSync(path, { recursive: true });
  if (!existsSync(join(path, "package.json"))) writeFileSync(join(path, "package.json"), '{"private":true}');
  return path;
};
const npm = (cwd, env, ...args) =>
  execFileSync("npm", [...args, "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd,
    env,
    stdio: ["ignore", "pipe", "inherit"],
    encoding: "utf8",
  });

// Node-RED 5 needs Node.js 22; an older one is replaced by one from npm, in the folder.
let node = process.execPath;
if (Number(process.versions.node.split(".")[0]) < 22) {
  const own = into("node");
  npm(own, process.env, "install", "node@24");
  node = join(own, "node_modules/node/bin/node");
}
const env = { ...process.env, PATH: [dirname(node), process.env.PATH].join(delimiter) };
npm(into("app"), env, "install", `node-red@${version}`);
// The palette is packed from a copy, so that the project's folder is only read.
const copy = join(folder, "palette");
rmSync(copy, { recursive: true, force: true });
cpSync(palette, copy, { recursive: true, filter: (path) => !path.includes("node_modules") });
const packed = npm(copy, env, "pack", "--pack-destination", folder).trim().split("\n").at(-1);
npm(into("user"), env, "install", join(folder, packed));
writeFileSync(
  join(folder, "user/settings.js"),
  `module.exports = {
  uiHost: '127.0.0.1', telemetry: { enabled: false }, editorTheme: { tours: false },
  contextStorage: { default: { module: 'localfilesystem', config: { flushInterval: 1 } } },
}
`,
);
writeFileSync(
  join(folder, "installed.json"),
  JSON.stringify({
    node,
    red: join(folder, "app/node_modules/node-red/red.js"),
    user: join(folder, "user"),
    version,
  }),
);
console.log(`Node-RED ${version} with the palette is installed in ${folder}`);
