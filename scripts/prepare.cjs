"use strict";

/**
 * Runs before every npm script that needs packages or the built program: checks the version of Node.js, installs the packages
 * of package-lock.json if they are missing or outdated, and builds what has changed in src. Does nothing, in a tenth of a
 * second, when all is up to date. `--install-only` leaves out the build.
 *
 * CommonJS without newer syntax, and without packages: an old Node.js must come as far as the sentence about its version.
 */
const MANIFEST = require("../package.json");

const oldest = /(\d+)\.(\d+)/.exec(MANIFEST.engines.node).slice(1).map(Number);
const present = process.versions.node.split(".").map(Number);
if (present[0] < oldest[0] || (present[0] === oldest[0] && present[1] < oldest[1])) {
  fail(
    `hourgate needs Node.js ${oldest.join(".")} or later; this is ${process.versions.node} (${process.execPath}). ` +
      "Install Node.js 24 (LTS) from https://nodejs.org/en/download, then run the command again.",
  );
}

const { spawnSync } = require("node:child_process");
const { accessSync, constants, existsSync, readdirSync, readFileSync } = require("node:fs");
const { renameSync, rmSync, statSync, writeFileSync } = require("node:fs");
const { createHash } = require("node:crypto");
const { userInfo } = require("node:os");
const { basename, join, resolve } = require("node:path");

const ROOT = resolve(__dirname, "..");
const LOCK = join(ROOT, "package-lock.json");
const MODULES = join(ROOT, "node_modules");
/** Written by npm when an installation is complete; `npm ci` deletes it first. */
const INSTALLED = join(MODULES, ".package-lock.json");
/** The packages of before, while new ones are installed. */
const PREVIOUS = join(ROOT, "node_modules.previous");
const BUILT = join(ROOT, "dist", ".built");

install();
if (!process.argv.includes("--install-only")) build();

function install() {
  const reason = whyInstall();
  if (reason === undefined) return;
  requireWritable(existsSync(MODULES) ? [ROOT, MODULES] : [ROOT]);
  console.log(`Installing packages with npm ci, because ${reason}.`);
  keepPrevious();
  // Development packages too, whatever NODE_ENV says: the compiler is one.
  const { status, stderr } = npm(["ci", "--include=dev", "--loglevel=error"], {
    npm_config_fetch_retry_mintimeout: "1000",
    npm_config_fetch_retry_maxtimeout: "10000",
  });
  if (status === 0) {
    rmSync(PREVIOUS, { recursive: true, force: true });
    return;
  }
  restorePrevious();
  fail(
    /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|EHOSTUNREACH|E?TIMEDOUT|ERR_SOCKET_TIMEOUT|FETCH_ERROR)\b/.test(
      stderr,
    )
      ? "The packages could not be downloaded: the npm registry cannot be reached. Connect this machine to the internet " +
          "(behind a proxy: npm config set proxy http://…), then run the command again."
      : "The packages could not be installed: see npm's messages above.",
  );
}

/** Why packages have to be installed; undefined if they are as package-lock.json says. */
function whyInstall() {
  if (!existsSync(MODULES)) return "there are none yet";
  if (!existsSync(INSTALLED)) return "the last installation is incomplete";
  const wanted = packagesOf(LOCK);
  const present = packagesOf(INSTALLED);
  if (wanted === undefined || present === undefined) return "the list of installed packages cannot be read";
  const isWanted = (path) => path !== "" && (!wanted[path].optional || present[path] !== undefined);
  const paths = Object.keys(wanted).filter(isWanted);
  const isSame = (path) =>
    present[path] !== undefined &&
    present[path].version === wanted[path].version &&
    present[path].integrity === wanted[path].integrity;
  if (!paths.every(isSame) || Object.keys(present).length !== paths.length)
    return "package-lock.json has changed";
  if (!paths.every((path) => existsSync(join(ROOT, path, "package.json")))) return "some are missing";
  return undefined;
}

function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8")).packages;
  } catch (_error) {
    return undefined;
  }
}

/** `npm ci` deletes all packages before it downloads: without a network nothing would be left. */
function keepPrevious() {
  if (!existsSync(INSTALLED)) return;
  rmSync(PREVIOUS, { recursive: true, force: true });
  try {
    renameSync(MODULES, PREVIOUS);
  } catch (_error) {
    // A mounted folder cannot be renamed.
  }
}

function restorePrevious() {
  if (!existsSync(PREVIOUS)) return;
  rmSync(MODULES, { recursive: true, force: true });
  renameSync(PREVIOUS, MODULES);
}

function build() {
  const inputs = fingerprint();
  if (existsSync(BUILT) && readFileSync(BUILT, "utf8") === inputs) return;
  const dist = join(ROOT, "dist");
  requireWritable(existsSync(dist) ? [dist] : [ROOT]);
  console.log("Building, because src has changed.");
  rmSync(BUILT, { force: true });
  if (npm(["run", "--silent", "build"]).status !== 0)
    fail("The build has failed: see the compiler's messages above.");
  writeFileSync(BUILT, inputs);
}

/** Names, sizes and times of all that the build reads. */
function fingerprint() {
  const hash = createHash("sha256");
  const add = (path) => {
    const { size, mtimeMs } = statSync(path);
    hash.update(`${path} ${size} ${mtimeMs}\n`);
  };
  const addFolder = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) addFolder(path);
      else add(path);
    }
  };
  for (const file of ["package.json", "package-lock.json", "tsconfig.json"]) add(join(ROOT, file));
  for (const folder of ["scripts", "src"]) addFolder(join(ROOT, folder));
  return hash.digest("hex");
}

/** Runs npm, the same that runs this script, and gives its status and its messages. */
function npm(args, environment) {
  const cli = process.env.npm_execpath;
  const isNpm = cli !== undefined && basename(cli) === "npm-cli.js";
  const { status, stderr, error } = spawnSync(
    isNpm ? process.execPath : "npm",
    isNpm ? [cli, ...args] : args,
    {
      cwd: ROOT,
      env: Object.assign({}, environment, process.env),
      stdio: ["ignore", "inherit", "pipe"],
      encoding: "utf8",
      shell: !isNpm && process.platform === "win32",
    },
  );
  if (error !== undefined) fail(`npm cannot be run: ${error.message}`);
  process.stderr.write(stderr);
  return { status, stderr };
}

function requireWritable(folders) {
  for (const folder of folders) {
    try {
      accessSync(folder, constants.W_OK);
    } catch (_error) {
      fail(
        `The folder ${folder} is not writable for the user ${userInfo().username}. ` +
          "Run the command as the folder's owner, or clone hourgate into a folder of your own.",
      );
    }
  }
}

function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}
