import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse as parseYaml } from "yaml";
import { defaultSettings, parse } from "../../src/config/load.js";
import { serve } from "../edges/http/serve.js";
import { detailOf } from "../support/components.js";

const root = resolve(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

interface Instruction {
  name: string;
  rest: string;
}

/** Instructions of a Dockerfile, continued lines joined, comments left out. */
function instructionsOf(path: string): Instruction[] {
  const text = read(path)
    .replace(/^#.*\n/gm, "")
    .replace(/\\\n\s*/g, " ");
  return [...text.matchAll(/^([A-Z]+) +(.*)$/gm)].map(([, name, rest]) => ({ name: name!, rest: rest! }));
}

const dockerfile = instructionsOf("docker/Dockerfile");
const only = (name: string) =>
  dockerfile.filter((instruction) => instruction.name === name).map(({ rest }) => rest);

/** The build context: the allow-list of .dockerignore. */
const allowed = read(".dockerignore")
  .split("\n")
  .filter((line) => line.startsWith("!"))
  .map((line) => line.slice(1));

describe("Dockerfile", () => {
  it("runs on a Node.js that the package allows", () => {
    const { engines } = JSON.parse(read("package.json")) as { engines: { node: string } };
    const version = Number(/^NODE_VERSION=(\d+)$/.exec(only("ARG")[0]!)?.[1]);
    expect(version).toBeGreaterThan(Number(/^>=(\d+)\./.exec(engines.node)![1]));
    // Odd versions get no long-term support.
    expect(version % 2).toBe(0);
    for (const from of only("FROM")) expect(from).toMatch(/(^| )node:\$\{NODE_VERSION\}-slim( |$)/);
  });

  it.each(["docker/Dockerfile", "docker/node-red.Dockerfile"])(
    "%s copies existing files of the build context only",
    (file) => {
      const copied = instructionsOf(file)
        .filter(({ name, rest }) => name === "COPY" && !rest.includes("--from="))
        .flatMap(({ rest }) =>
          rest
            .split(" ")
            .filter((word) => !word.startsWith("--"))
            .slice(0, -1),
        );
      expect(copied.length).toBeGreaterThan(0);
      for (const path of copied) {
        expect(existsSync(join(root, path)), `${path} exists`).toBe(true);
        expect(allowed, `${path} is not ignored`).toContain(path);
      }
    },
  );

  it("excludes data and all other files from the build context", () => {
    expect(
      read(".dockerignore")
        .split("\n")
        .filter((line) => !line.startsWith("#"))[0],
    ).toBe("*");
    for (const path of ["data", "node_modules", "dist", ".git", "docker", "docker/secrets"])
      expect(allowed).not.toContain(path);
  });

  it("exposes the default ports, stores data in the volume, and does not run as root", () => {
    const { http, mqtt, node_red } = defaultSettings();
    const withTls = parse("mqtt: { broker: { tls: { cert_file: a.crt, key_file: a.key } } }").settings;
    expect(only("EXPOSE")).toEqual([
      `${http.port} ${mqtt.broker.port} ${node_red.port} ${withTls.mqtt.broker.tls!.port}`,
    ]);
    expect(only("USER")).toEqual(["1000:1000"]);
    const [volume] = only("VOLUME");
    const environment = Object.fromEntries(
      [...only("ENV")[0]!.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name!, value!]),
    );
    expect(parse("", { environment }).settings.data_dir).toBe(volume);
    expect(only("RUN").at(-1)).toBe(`install -d -o 1000 -g 1000 -m 0700 ${volume}`);
  });

  it("starts the program of the package", () => {
    const { bin } = JSON.parse(read("package.json")) as { bin: { hourgate: string } };
    expect([...JSON.parse(only("ENTRYPOINT")[0]!), ...JSON.parse(only("CMD")[0]!)]).toEqual([
      "node",
      bin.hourgate,
      "serve",
    ]);
  });
});

describe("the health check", () => {
  const [, command] = /CMD (\[.*\])$/.exec(only("HEALTHCHECK")[0]!)!;
  const [, script] = JSON.parse(command!) as [string, string];

  const check = (port: number) =>
    new Promise<number | null>((ended) => {
      const environment = { ...process.env, HOURGATE_HTTP__PORT: String(port) };
      spawn(process.execPath, [join(root, script)], { env: environment }).once("exit", ended);
    });

  it("succeeds when all vital components work, and fails when the broker is down", async () => {
    const { port, services } = await serve();
    expect(await check(port)).toBe(0);
    services.components.report("broker", "down", detailOf("gone"), { vital: true });
    expect(await check(port)).toBe(1);
  });

  it("fails without a response", async () => {
    const server = createServer();
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const { port } = server.address() as { port: number };
    await new Promise((done) => server.close(done));
    expect(await check(port)).toBe(1);
  });
});

interface Service {
  image: string;
  build?: { context: string; dockerfile: string };
  environment?: Record<string, string>;
  ports?: string[];
  volumes?: string[];
  tmpfs?: string[];
  secrets?: string[];
  depends_on?: string[];
  [key: string]: unknown;
}

interface Compose {
  services: Record<string, Service>;
  volumes?: Record<string, unknown>;
  secrets?: Record<string, { file: string }>;
}

describe.each(["compose.yaml", "compose.home.yaml", "compose.fleet.yaml"])("%s", (file) => {
  const compose = parseYaml(read(`docker/${file}`), { merge: true }) as Compose;
  const services = Object.entries(compose.services);
  const isFleet = file === "compose.fleet.yaml";
  const gateways = services.filter(([, { image }]) => image === "hourgate").map(([, service]) => service);
  const fromHere = (path: string) => resolve(root, "docker", path);

  /** The gateway's settings in the container: its configuration file overridden by its environment. */
  function settingsOf({ environment = {}, volumes = [] }: Service) {
    const folder = mkdtempSync(join(tmpdir(), "hourgate-compose-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const filled = Object.entries(environment).map(([name, value]) => {
      if (name.endsWith("_FILE")) {
        expect(compose.secrets).toHaveProperty(value.replace("/run/secrets/", ""));
        const secret = join(folder, name);
        writeFileSync(
          secret,
          name.includes("URL") ? "postgresql://hourgate:secret@postgres/hourgate\n" : "a secret\n",
        );
        return [name, secret];
      }
      return [name, value.replace(/\$\{\w+:-([^}]*)\}/, "$1")];
    });
    const mounted = volumes.find((volume) => volume.includes(":/app/config/hourgate.yaml"))!.split(":")[0]!;
    return parse(readFileSync(fromHere(mounted), "utf8"), { environment: Object.fromEntries(filled) });
  }

  it("uses existing configuration keys only", () => {
    expect(gateways.length).toBeGreaterThan(0);
    for (const gateway of gateways) expect(settingsOf(gateway).notes).toEqual([]);
  });

  it("publishes the ports that the gateway listens on", () => {
    // Workers of a fleet are reached through its router.
    for (const gateway of gateways.filter((one) => one !== compose.services.worker)) {
      const { http, mqtt, node_red } = settingsOf(gateway).settings;
      const listening = [
        http.port,
        ...(mqtt.external.url === null ? [mqtt.broker.port] : []),
        ...(node_red.enabled && !isFleet ? [node_red.port] : []),
      ];
      expect(gateway.ports!.map((port) => Number(port.split(":").at(-1)))).toEqual(listening);
    }
  });

  it("makes everything except the data folder read-only", () => {
    for (const gateway of gateways) {
      expect(gateway).toMatchObject({
        read_only: true,
        tmpfs: isFleet ? ["/tmp", "/data:uid=1000,gid=1000,mode=0700"] : ["/tmp"],
        cap_drop: ["ALL"],
        security_opt: ["no-new-privileges:true"],
        init: true,
        mem_limit: expect.stringMatching(/^\d+m$/),
        pids_limit: expect.any(Number),
      });
      // The editor's process gets a user of its own only where the gateway may switch it.
      const hasEditor = !isFleet && settingsOf(gateway).settings.node_red.enabled;
      expect(gateway.user).toBe(hasEditor ? "0:0" : undefined);
      expect(gateway.cap_add).toEqual(
        hasEditor ? ["CHOWN", "DAC_OVERRIDE", "FOWNER", "KILL", "SETGID", "SETUID"] : undefined,
      );
      const writable = gateway.volumes!.filter((volume) => !volume.endsWith(":ro"));
      expect(writable).toEqual(isFleet ? [] : [expect.stringMatching(/^[a-z]+:\/data$/)]);
      // The gateway takes up to 5 s to stop; a shorter grace period would kill it.
      expect(Number.parseInt(String(gateway.stop_grace_period), 10)).toBeGreaterThan(5);
    }
  });

  it("refers to existing files, volumes, secrets and services", () => {
    const hostPorts: string[] = [];
    for (const [
      name,
      { build, volumes = [], secrets = [], depends_on: others = [], restart, ports = [] },
    ] of services) {
      expect(restart, name).toBe("unless-stopped");
      if (build !== undefined)
        expect(existsSync(resolve(fromHere(build.context), build.dockerfile))).toBe(true);
      for (const volume of volumes) {
        const [from] = volume.split(":") as [string];
        // Created by the operator, see docs/docker.md.
        if (from.startsWith("./secrets/")) continue;
        if (from.startsWith(".")) expect(existsSync(fromHere(from)), from).toBe(true);
        else expect(compose.volumes).toHaveProperty(from);
      }
      for (const secret of secrets) expect(compose.secrets).toHaveProperty(secret);
      for (const other of others) expect(compose.services).toHaveProperty(other);
      hostPorts.push(...ports.map((port) => port.split(":").at(-2)!));
    }
    expect(new Set(hostPorts).size).toBe(hostPorts.length);
    const manual = read("docs/docker.md");
    for (const { file: secret } of Object.values(compose.secrets ?? {}))
      expect(manual).toContain(`docker/secrets/${secret.split("/").at(-1)}`);
    expect(manual).toContain(`docker/${file}`);
  });
});

it("a fleet has a worker more than it has shards, and all use one configuration", () => {
  const { services } = parseYaml(read("docker/compose.fleet.yaml"), { merge: true }) as Compose;
  const { router, worker } = services as { router: Service; worker: Service };
  const { environment } = worker;
  expect(router.environment).toEqual(environment);
  const { replicas } = worker.deploy as { replicas: number };
  expect(replicas).toBe(Number(environment!.HOURGATE_FLEET__SHARDS) + 1);
  // The workers believe the router who the client is, and nobody else.
  const { networks } = router as { networks?: { default: { ipv4_address: string } } };
  expect(environment!.HOURGATE_HTTP__TRUST_PROXY).toBe(`[${networks!.default.ipv4_address}]`);
});

it("mosquitto's files are in the mounted folders", () => {
  const { services } = parseYaml(read("docker/compose.home.yaml")) as Compose;
  const mounts = services.mosquitto!.volumes!.map((volume) => volume.split(":")[1]!);
  const settings = Object.fromEntries(
    [...read("docker/mosquitto.conf").matchAll(/^(\w+) (.+)$/gm)].map(([, key, value]) => [key!, value!]),
  );
  expect(settings).toMatchObject({ listener: "1883", allow_anonymous: "false" });
  expect(mounts).toContain(settings.password_file);
  expect(mounts).toContain(dirname(`${settings.persistence_location}.`));
});
