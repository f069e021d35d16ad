import { execFileSync, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { eventually } from "../support/eventually.js";

const ROOT = resolve(import.meta.dirname, "../..");
const work = mkdtempSync(join(tmpdir(), "hourgate-prepare-"));
/** A clone with one package, in a folder with a blank, and what `npm start` has made of it; each test has a copy of one. */
const clone = join(work, "a clone");
const installed = join(work, "an installed clone");
const folder = join(work, "my gate");

/** Says what it was started with, and what stops it. */
const PROGRAM = `
import greeting from "greeting";
console.log(greeting, process.pid, JSON.stringify(process.argv.slice(2)));
if (process.argv.includes("--wait")) setInterval(() => {}, 1000);
process.once("SIGTERM", () => { console.log("stopped by SIGTERM"); process.exit(0); });`;

const environment = {
  ...process.env,
  NODE_ENV: "production",
  npm_config_fetch_retries: "0",
  npm_config_cache: join(work, "npm cache"),
};

const read = (name: string) => readFileSync(join(folder, name), "utf8");
const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
/** The script of `npm start`, without npm itself, which takes longer than the script. */
const start = () =>
  spawnSync(manifest.scripts.start, { cwd: folder, encoding: "utf8", env: environment, shell: true });
/** What it does first. */
const prepare = () =>
  spawnSync(process.execPath, ["scripts/prepare.cjs"], { cwd: folder, encoding: "utf8", env: environment });
const installedVersion = () => JSON.parse(read("node_modules/greeting/package.json")).version;
/** Copies with the times of the files, by which the script knows what has changed. */
const copy = (from: string, to: string) =>
  cpSync(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });

/** A package of that version, as a file that npm installs without a registry. */
function packGreeting(version: string): void {
  const source = join(work, `greeting-${version}`);
  mkdirSync(join(source, "package"), { recursive: true });
  writeFileSync(
    join(source, "package/package.json"),
    JSON.stringify({ name: "greeting", version, main: "index.js" }),
  );
  writeFileSync(join(source, "package/index.js"), `module.exports = "greeting ${version}";`);
  execFileSync("tar", ["-czf", join(clone, `greeting-${version}.tgz`), "-C", source, "package"]);
}

/** Writes package.json and package-lock.json with a development dependency on that version, as after a git pull. */
function depend(inFolder: string, version: string, source = `file:greeting-${version}.tgz`): void {
  const { name, type, engines, scripts } = manifest;
  const build =
    "node --eval \"fs.cpSync('src', 'dist', { recursive: true }); fs.appendFileSync('builds', 'built ')\"";
  const root = { name, version: "1.0.0", devDependencies: { greeting: source } };
  const packages = {
    "": root,
    "node_modules/greeting": { version, resolved: source, integrity: integrityOf(version), dev: true },
  };
  writeFileSync(
    join(inFolder, "package.json"),
    JSON.stringify({ ...root, type, engines, scripts: { ...scripts, build } }),
  );
  writeFileSync(
    join(inFolder, "package-lock.json"),
    JSON.stringify({ name, version: "1.0.0", lockfileVersion: 3, requires: true, packages }),
  );
}

const integrityOf = (version: string) =>
  `sha512-${createHash("sha512")
    .update(readFileSync(join(clone, `greeting-${version}.tgz`)))
    .digest("base64")}`;

beforeAll(() => {
  mkdirSync(join(clone, "src"), { recursive: true });
  mkdirSync(join(clone, "scripts"));
  cpSync(join(ROOT, "scripts/prepare.cjs"), join(clone, "scripts/prepare.cjs"));
  writeFileSync(join(clone, "src/cli.js"), PROGRAM);
  writeFileSync(join(clone, "tsconfig.json"), "{}");
  packGreeting("1.0.0");
  packGreeting("1.1.0");
  depend(clone, "1.0.0");
});
beforeEach(() => {
  rmSync(folder, { recursive: true, force: true });
  copy(existsSync(installed) ? installed : clone, folder);
});
afterAll(() => rmSync(work, { recursive: true, force: true }));

describe("npm start", () => {
  it("installs and builds what a clone needs, passes arguments, and does neither when nothing has changed", () => {
    const first = spawnSync("npm", ["start", "--", "--config", "my file.yaml"], {
      cwd: folder,
      encoding: "utf8",
      env: environment,
    });
    expect(first.stdout).toContain("Installing packages with npm ci, because there are none yet.\n");
    expect(first.stdout).toContain("Building, because src has changed.\n");
    expect(first.stdout).toMatch(/^greeting 1\.0\.0 \d+ \["serve","--config","my file\.yaml"\]$/m);
    copy(folder, installed);

    const second = start();
    expect(second.stdout).not.toMatch(/Installing|Building/);
    expect(second.stdout).toContain("greeting 1.0.0");

    write("src/cli.js", `${PROGRAM}\nconsole.log("changed");`);
    const third = prepare();
    expect(third.stdout).toBe("Building, because src has changed.\n");
    expect(read("dist/cli.js")).toContain("changed");
    expect(read("builds")).toBe("built built ");
  });

  it("installs again when the lock file has changed, an installation was interrupted, or a package is missing", () => {
    depend(folder, "1.1.0");
    const changed = prepare();
    expect(changed.stdout).toContain("because package-lock.json has changed.");
    expect(installedVersion()).toBe("1.1.0");

    rmSync(join(folder, "node_modules/.package-lock.json"));
    const interrupted = prepare();
    expect(interrupted.stdout).toContain("because the last installation is incomplete.");
    expect(installedVersion()).toBe("1.1.0");

    rmSync(join(folder, "node_modules/greeting"), { recursive: true });
    const missing = prepare();
    expect(missing.stdout).toContain("because some are missing.");
    expect(installedVersion()).toBe("1.1.0");
  });

  it("builds again after a build that failed", () => {
    rmSync(join(folder, "src"), { recursive: true });
    write("src", "no folder");
    expect(start().status).not.toBe(0);
    rmSync(join(folder, "src"));
    copy(join(clone, "src"), join(folder, "src"));
    expect(start().stdout).toContain("greeting 1.0.0");
  });

  it("passes SIGTERM on to the program", async () => {
    const npm = spawn("npm", ["start", "--", "--wait"], { cwd: folder, env: environment });
    let output = "";
    npm.stdout.on("data", (text) => (output += text));
    await eventually(() => expect(output).toContain('"--wait"'));
    npm.kill("SIGTERM");
    await eventually(() => expect(output).toContain("stopped by SIGTERM"));
  });
});

describe("what prevents a start", () => {
  const isNew = () => rmSync(join(folder, "node_modules"), { recursive: true });

  it("says that the registry cannot be reached, and keeps the packages of before", () => {
    // Port 9 is not in use: the connection is refused, as without a network.
    depend(folder, "1.1.0", "http://127.0.0.1:9/greeting-1.1.0.tgz");
    rmSync(environment.npm_config_cache, { recursive: true });
    const offline = prepare();
    expect(offline.status).toBe(1);
    expect(offline.stderr).toContain(
      "The packages could not be downloaded: the npm registry cannot be reached. Connect this machine to the internet",
    );
    expect(installedVersion()).toBe("1.0.0");
    depend(folder, "1.0.0");
    expect(start().stdout).toContain("greeting 1.0.0");
  });

  it("names the version of Node.js that is too old, the one needed and the one recommended", () => {
    isNew();
    const older = join(work, "older.cjs");
    writeFileSync(
      older,
      `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "18.19.1" } });`,
    );
    const { status, stderr } = spawnSync(process.execPath, ["--require", older, "scripts/prepare.cjs"], {
      cwd: folder,
      encoding: "utf8",
    });
    expect(status).toBe(1);
    expect(stderr).toContain("hourgate needs Node.js 20.19 or later; this is 18.19.1");
    expect(stderr).toContain(`Install Node.js ${readFileSync(join(ROOT, ".nvmrc"), "utf8").trim()} (LTS)`);
    expect(existsSync(join(folder, "node_modules"))).toBe(false);
  });

  it("says that the folder is not writable", () => {
    isNew();
    chmodSync(work, 0o755);
    chmodSync(folder, 0o555);
    const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    const { status, stderr } = spawnSync(process.execPath, ["scripts/prepare.cjs"], {
      cwd: folder,
      encoding: "utf8",
      ...user,
    });
    chmodSync(folder, 0o755);
    expect(status).toBe(1);
    expect(stderr).toContain(`The folder ${folder} is not writable for the user `);
    expect(stderr).toContain("clone hourgate into a folder of your own.");
  });
});
