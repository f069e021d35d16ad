import { spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
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
 * Builds docker/Dockerfile with buildah for amd64 and, emulated by qemu-user, for arm64, and runs the images as
 * docs/docker.md says: with a read-only root, as user 1000 without capabilities, and as root with six. Where no image
 * registry can be reached, the base image is made of Debian's packages, and of Node.js and npm from the npm registry.
 * Needs root on an amd64 machine, 3 GB in the temporary folder and the packages of PROGRAMS and EMULATOR. Takes 14 minutes
 * on two busy cores; every step has a time limit. `--no-arm64` leaves the second image out.
 */
const ROOT = resolve(import.meta.dirname, "../..");
const RELEASE = "bookworm";
/** Programs and the Debian packages that have them. */
const PROGRAMS = { buildah: "buildah", mmdebstrap: "mmdebstrap", unshare: "util-linux" };
const EMULATOR = { "qemu-aarch64-static": "qemu-user-static" };
const BINFMT = "/proc/sys/fs/binfmt_misc";
/** What the gateway and the installation of its packages need of Debian. */
const BASE_PACKAGES = "base-files,libc6,libstdc++6,libgcc-s1,libc-bin,dash,coreutils,util-linux";
const NAMES = { x64: "amd64", arm64: "arm64" } as const;
type Architecture = keyof typeof NAMES;
/** Emulated, everything takes ten times as long. */
const SLOW_MS = 300_000;
const BUILD_MS = 1_200_000;
const DOCKERFILE = readFileSync(join(ROOT, "docker/Dockerfile"), "utf8");
const NODE_VERSION = /^ARG NODE_VERSION=(\d+)$/m.exec(DOCKERFILE)![1]!;
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
  architecture: Architecture;
  root: string;
  configuration: ImageConfiguration;
}

/** Throws with all that is missing and how to get it. */
function checkRequirements(withArm64: boolean): void {
  if (process.getuid?.() !== 0) throw new Error("Run it as root: it mounts file systems.");
  if (process.arch !== "x64") throw new Error(`Run it on an amd64 machine; this one is ${process.arch}.`);
  const missing = Object.entries(withArm64 ? { ...PROGRAMS, ...EMULATOR } : PROGRAMS)
    .filter(([program]) => programPath(program) === undefined)
    .map(([, name]) => name);
  if (missing.length > 0) throw new Error(`Packages are missing: apt-get install ${missing.join(" ")}`);
  if (withArm64 && !/\bbinfmt_misc$/m.test(readFileSync("/proc/filesystems", "utf8")))
    throw new Error("Linux cannot run programs for arm64: modprobe binfmt_misc, or use --no-arm64.");
}

/** Has Linux run programs for arm64 with qemu-user; undone at the end where it was not so before. */
async function registerEmulator(of: Trial): Promise<void> {
  if (!existsSync(join(BINFMT, "register"))) {
    await execute("mount", ["-t", "binfmt_misc", "binfmt_misc", BINFMT]);
    of.atEnd(() => execute("umount", [BINFMT]));
  }
  const entry = join(BINFMT, "qemu-aarch64");
  if (existsSync(entry)) return;
  await execute("sh", ["-c", `cat /usr/lib/binfmt.d/qemu-aarch64*.conf > ${join(BINFMT, "register")}`]);
  of.atEnd(() => writeFileSync(entry, "-1"));
}

/** buildah with a store of its own; chroot isolation needs no daemon. */
class Buildah {
  readonly #options: string[];

  constructor(of: Trial) {
    const driver = ["--storage-driver", "overlay"];
    this.#options = [...driver, "--root", join(of.folder, "store"), "--runroot", join(of.folder, "runroot")];
    of.atEnd(() => this.run("rm", "--all"));
  }

  run(...args: string[]): Promise<string> {
    return execute("buildah", [...this.#options, ...args], { cwd: ROOT, limitMs: BUILD_MS });
  }

  async build(args: readonly string[]): Promise<string> {
    // npm opens many files at once: as many as this machine allows, instead of buildah's default.
    const files = (await execute("sh", ["-c", "ulimit -Hn"])).trim().replace("unlimited", "65536");
    const limit = ["--ulimit", `nofile=${files}:${files}`];
    const kind = ["--pull-never", "--isolation", "chroot", "--format", "docker", "--layers"];
    return this.run("build", ...kind, ...limit, ...args);
  }
}

/** The name of the base image of an architecture. */
const baseOf = (architecture: Architecture) => `localhost/node-${NAMES[architecture]}`;

/** An image of Debian's files, Node.js and npm, in place of node:24-slim. */
async function buildBase(of: Trial, buildah: Buildah, architecture: Architecture): Promise<void> {
  const context = join(of.folder, `base-${architecture}`);
  mkdirSync(context);
  const uri = await execute("sh", [
    "-c",
    "apt-get indextargets --format '$(REPO_URI)' | sort -u | grep -v security | head -1",
  ]);
  const options = [
    `--architectures=${NAMES[architecture]}`,
    "--variant=extract",
    `--include=${BASE_PACKAGES}`,
  ];
  await execute("mmdebstrap", [...options, RELEASE, join(context, "debian.tar"), uri.trim()]);
  const name = `node-linux-${architecture}`;
  const installed = await npmInstall(of, `node-${architecture}`, [
    "--force",
    `${name}@${NODE_VERSION}`,
    "npm@11",
  ]);
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
    "RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm",
  ];
  const file = join(context, "Containerfile");
  writeFileSync(file, `${lines.join("\n")}\n`);
  await buildah.build(["--arch", NAMES[architecture], "-t", baseOf(architecture), "-f", file, context]);
  of.step(`base image for ${architecture} built of Debian ${RELEASE}`);
}

async function buildImage(of: Trial, buildah: Buildah, architecture: Architecture): Promise<Image> {
  await buildBase(of, buildah, architecture);
  // buildah 1.28 builds for one platform at a time: the base images have names of their own instead of --platform.
  const file = join(of.folder, `Dockerfile-${architecture}`);
  const lines = DOCKERFILE.replace(/--platform=\$BUILDPLATFORM node:\S+/, baseOf("x64"));
  writeFileSync(file, lines.replaceAll(/^FROM node:\S+/gm, `FROM ${baseOf(architecture)}`));
  const tag = `localhost/hourgate-${architecture}`;
  await buildah.build(["-t", tag, "-f", file, ROOT]);
  await buildah.run("from", "--pull-never", "--arch", NAMES[architecture], "--name", architecture, tag);
  const root = (await buildah.run("mount", architecture)).trim();
  const { OCIv1, Docker } = JSON.parse(await buildah.run("inspect", "--type", "image", tag));
  const configuration = Docker.config as ImageConfiguration;
  const { User, Entrypoint, Cmd, Volumes, Healthcheck } = configuration;
  expectEqual("architecture", OCIv1.architecture, NAMES[architecture]);
  expectEqual("user", User, "1000:1000");
  expectEqual("command", [...Entrypoint, ...Cmd], ["node", "dist/cli.js", "serve"]);
  expectEqual("volumes", Object.keys(Volumes), ["/data"]);
  expectEqual("health check", Healthcheck.Test, ["CMD", "node", "docker/healthcheck.js"]);
  const { mode, uid } = statSync(join(root, "data"));
  expectEqual("mode and owner of /data", [(mode & 0o777).toString(8), uid], ["700", 1000]);
  const size = (await execute("du", ["-sm", join(root, "app")])).split("\t")[0];
  of.step(`docker/Dockerfile built for ${architecture}; /app has ${size} MB`);
  return { architecture, root, configuration };
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
    "unshare",
    ...["--mount", "sh", "-c", script, "sh", root, options.data, options.mounted],
    ...variables,
    ...inside,
  ] as [string, ...string[]];
}

/** Runs a command in the image to its end: its exit code and output. */
function finished([program, ...args]: readonly [string, ...string[]]) {
  return new Promise<{ code: number | null; output: string }>((ended) => {
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], timeout: SLOW_MS });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => {
        output += chunk.toString();
      });
    child.once("close", (code) => ended({ code, output }));
  });
}

/** A start, a plan, the health check, doctor and a stop of the gateway in the image. Returns the plan. */
async function tryImage(of: Trial, image: Image, user: RunOptions["user"]): Promise<unknown> {
  const name = `${image.architecture}-${user.replace(":", "-")}`;
  const data = join(of.folder, `data-${name}`);
  const mounted = join(of.folder, `mounted-${name}`);
  for (const folder of [data, mounted]) mkdirSync(folder);
  chmodSync(of.folder, 0o755);
  const isRoot = user === "root";
  const uid = isRoot ? 0 : 1000;
  chmodSync(data, 0o700);
  chownSync(data, uid, uid);
  copyFileSync(recordedFile(HOURLY_PRICES), join(mounted, "prices.csv"));
  const [http, mqtt, editor] = [await freePort(), await freePort(), await freePort()];
  const configuration = {
    // The clock stands still, so that a slow gateway makes the same plan.
    clock: { start: "2026-01-15T02:30:00+01:00", speed: 0 },
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
    const request = body ? { method: "POST", body: JSON.stringify(body) } : {};
    const signal = AbortSignal.timeout(SLOW_MS);
    const response = await fetch(url + path, { ...request, headers, signal });
    return { status: response.status, json: await response.json() };
  };
  await eventually(
    "/health 200",
    async () => running.hasEnded() || (await ask("/health")).status === 200,
    SLOW_MS,
  );
  if (running.hasEnded()) throw new Error(running.output());
  of.step(`${name}: /health answers 200 after ${((performance.now() - began) / 1000).toFixed(1)} s`);
  await ask("/v1/plant/telemetry", { soc_pct: 20 });
  const { json: plan } = await ask("/v1/decision/hours-demand", {});
  expectEqual("the SOC of the plan", plan.day_plan[0].soc_start_pct, 20);
  of.step(`${name}: plan ${plan.plan_hash}, charge now ${plan.charge_now} with ${plan.charge_power_kw} kW`);

  // While its price model is trained, an emulated gateway does not answer within the limits of health check and doctor.
  const logged = (text: string) => () => running.output().includes(text);
  await eventually("the training", logged('"msg":"The price model is trained."'), SLOW_MS);
  await eventually("the start of Node-RED", logged('"msg":"Node-RED is running."'), SLOW_MS);
  const exitsWith0 = (command: readonly [string, ...string[]]) => async () =>
    (await finished(command)).code === 0;
  const healthCheck = commandIn(image, image.configuration.Healthcheck.Test.slice(1), options);
  await eventually("the health check exits with 0", exitsWith0(healthCheck), SLOW_MS);
  await eventually("doctor exits with 0", exitsWith0(gatewayOf("doctor", ...config)), SLOW_MS);
  of.step(`${name}: health check and doctor exit with 0`);

  const forbidden = await finished(commandIn(image, ["touch", "/app/x", "/etc/x"], options));
  expectEqual("files written outside /data", forbidden.output.match(/Read-only file system/g)?.length, 2);
  const { state, nodeRed } = usersOf(data);
  expectEqual(
    "owners of the data and of the editor's folder",
    [state, nodeRed],
    isRoot ? [0, 60880] : [1000, 1000],
  );
  of.step(`${name}: the root is read-only; data belong to ${state}, the editor's folder to ${nodeRed}`);
  await running.stop();
  expectEqual("the health check after the stop", (await finished(healthCheck)).code, 1);
  if (running.exitCode() !== 0)
    throw new Error(`SIGTERM ends it with ${running.exitCode()}: ${running.output().slice(-2000)}`);
  return { charge_hours: plan.charge_hours, day_plan: plan.day_plan };
}

function usersOf(data: string): { state: number; nodeRed: number } {
  return { state: statSync(join(data, "state.json")).uid, nodeRed: statSync(join(data, "node-red")).uid };
}

const withArm64 = !process.argv.includes("--no-arm64");
await trial("container image", async (of) => {
  checkRequirements(withArm64);
  if (withArm64) await registerEmulator(of);
  const buildah = new Buildah(of);
  const image = await buildImage(of, buildah, "x64");
  const plan = await tryImage(of, image, "1000:1000");
  expectEqual("the plan as root", await tryImage(of, image, "root"), plan);
  if (!withArm64) return;
  const emulated = await buildImage(of, buildah, "arm64");
  expectEqual("the plan on arm64", await tryImage(of, emulated, "1000:1000"), plan);
  of.step("the plan on arm64 is that on amd64 in every value");
});
