import { type ChildProcess, spawn } from "node:child_process";
import { type EventEmitter, on, once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { connect, connectAsync, type MqttClient } from "mqtt";
import { stringify } from "yaml";
import { shardOf } from "../../../src/accounts/shard.js";
import { askGateway } from "../../../src/ops/admin/client.js";
import { redisServer } from "../../accounts/quotas-redis-server.js";
import { COMMAND } from "../../e2e/gateway-process.js";
import { freePort, Mosquitto } from "../../edges/mqtt/mosquitto.js";
import { postgresServer } from "../../store/postgres-server.js";
import { secretOf } from "./secret-of.js";

const UNLIMITED = { decision: 1_000_000, telemetry: 1_000_000 };
const SECRET = "the secret that this fleet shares";

/** A home and how its devices reach it; a move to another shard changes `shard` only. */
export interface Home {
  site: string;
  /** The shard that serves it. */
  shard: number;
  key: string;
  /** Its topics begin with it. */
  topics: string;
  /** What a question for its plan states: the battery, if its settings have none. */
  stated?: { battery: { soc_pct: number; capacity_kwh: number } };
}

/** A process of the fleet: a worker or a router. */
export class Member {
  readonly port: number;
  readonly folder: string;
  readonly #command: string[];
  #child: ChildProcess | undefined;
  output = "";
  /** Exit code of the last run; null if a signal ended it, undefined while it runs. */
  exitCode: number | null | undefined;

  constructor(port: number, folder: string, command: string[]) {
    this.port = port;
    this.folder = folder;
    this.#command = command;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get pid(): number {
    return this.#child!.pid!;
  }

  /** `given`: further variables of its environment. */
  start(given: Record<string, string> = {}): void {
    const environment = { ...given, HOURGATE_HTTP__PORT: String(this.port), HOURGATE_DATA_DIR: this.folder };
    const child = spawn(process.execPath, [COMMAND, ...this.#command], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...environment },
    });
    this.#child = child;
    this.exitCode = undefined;
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => {
        this.output += chunk.toString();
      });
    child.once("exit", (code) => {
      if (this.#child === child) this.exitCode = code;
    });
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === undefined || this.exitCode !== undefined) return;
    const exited = once(child, "exit");
    child.kill(signal);
    await exited;
  }
}

/** A fleet of real processes on real servers. */
export class TestFleet {
  readonly shards: number;
  readonly folder: string;
  readonly postgres: Awaited<ReturnType<typeof postgresServer>>;
  readonly redis: Awaited<ReturnType<typeof redisServer>>;
  readonly broker: Mosquitto;
  readonly workers: Member[];
  readonly router: Member;
  readonly #secret = secretOf(SECRET);
  #client: MqttClient | undefined;

  private constructor(
    parts: Pick<TestFleet, "folder" | "shards" | "postgres" | "redis" | "broker"> & { ports: number[] },
  ) {
    const { ports, ...servers } = parts;
    this.folder = servers.folder;
    this.shards = servers.shards;
    this.postgres = servers.postgres;
    this.redis = servers.redis;
    this.broker = servers.broker;
    const config = join(this.folder, "hourgate.yaml");
    const members = ports.map((port, index) => {
      const folder = join(this.folder, String(index));
      mkdirSync(folder);
      const command = index === 0 ? ["fleet", "route"] : ["serve"];
      return new Member(port, folder, [...command, "--config", config]);
    });
    [this.router, ...this.workers] = members as [Member, ...Member[]];
  }

  /** Starts the servers; the workers and the router are started by `launch`. */
  static async create({
    workers,
    shards,
    leaseSeconds,
    given = {},
  }: {
    workers: number;
    shards: number;
    leaseSeconds: number;
    /** Further settings. */
    given?: object;
  }): Promise<TestFleet> {
    const ports: number[] = [];
    while (ports.length <= workers) ports.push(await freePort());
    const [postgres, redis] = await Promise.all([postgresServer(), redisServer()]);
    const folder = mkdtempSync(join(tmpdir(), "hourgate-fleet-"));
    mkdirSync(join(folder, "broker"));
    const broker = new Mosquitto(join(folder, "broker"), await freePort());
    const fleet = new TestFleet({ folder, shards, postgres, redis, broker, ports });
    await Promise.all([postgres.start(), redis.start(), broker.start()]);
    const settings = {
      http: { host: "127.0.0.1", base_url: fleet.router.url, trust_proxy: ["127.0.0.1"] },
      fleet: { shards, lease_seconds: leaseSeconds, secret: SECRET },
      store: { postgres: { url: postgres.url } },
      redis: { url: redis.url },
      mqtt: { external: { url: `mqtt://127.0.0.1:${broker.port}` } },
      market: { sources: [] },
      weather: { sources: [] },
      quotas: { professional: UNLIMITED, community: UNLIMITED },
      plants: [{ id: "home", name: "Home", latitude: 48.21, longitude: 16.37, battery: {} }],
      ...given,
    };
    writeFileSync(join(fleet.folder, "hourgate.yaml"), stringify(settings));
    return fleet;
  }

  launch(environment?: Record<string, string>): void {
    for (const member of [...this.workers, this.router]) member.start(environment);
  }

  /** The worker whose gateway serves the shard now. */
  async holderOf(shard: number): Promise<Member> {
    for (const worker of this.workers.filter(({ exitCode }) => exitCode === undefined)) {
      if ((await this.#statusOf(worker, shard).catch(() => undefined)) === 200) return worker;
    }
    throw new Error(`No worker serves shard ${shard}.`);
  }

  /** As a router asks; undefined for a worker that waits. */
  async #statusOf({ port, url }: Member, shard: number): Promise<number | undefined> {
    const health = await fetch(`${url}/health`, { signal: AbortSignal.timeout(2_000) });
    if ((await health.text()).includes("waiting")) return undefined;
    const sent = request({
      ...this.#secret.client,
      host: "127.0.0.1",
      port,
      path: "/v1/status",
      agent: false,
      headers: { "X-Hourgate-Shard": String(shard) },
      signal: AbortSignal.timeout(5_000),
    }).end();
    const [answer] = await once(sent, "response");
    answer.resume();
    return answer.statusCode;
  }

  /** The owner's key of each shard, which its first worker has printed. */
  keys(): string[] {
    const output = this.workers.map((worker) => worker.output).join("");
    const keys = [...output.matchAll(/shown only now\): (hg_live_\S+)/g)].map(([, key]) => key!);
    const byShard = Array.from({ length: this.shards }, (_, shard) =>
      keys.find((key) => shardOf(key, this.shards) === shard),
    );
    if (byShard.includes(undefined)) throw new Error(`Not all shards were created:\n${output}`);
    return byShard as string[];
  }

  /** The home of the configuration in a shard. */
  home(shard: number): Home {
    return { site: "home", shard, key: this.keys()[shard]!, topics: `hourgate/${shard}/home` };
  }

  /** Creates an account with a home in a shard. */
  async newHome(shard: number, email: string, password: string): Promise<Home> {
    const { folder } = await this.holderOf(shard);
    const given = { email, password, confirmed: true };
    const answer = await askGateway(folder, { command: "account create", arguments: given });
    const { site_id: site, key } = (answer as { result: { site_id: string; key: string } }).result;
    const stated = { battery: { soc_pct: 50, capacity_kwh: 10 } };
    return { site, shard, key, topics: `hourgate/${shard}/${site}`, stated };
  }

  /** Exit code and output of a command of the fleet. */
  async run(...args: string[]): Promise<{ code: number; output: string }> {
    const command = [COMMAND, ...args, "--config", join(this.folder, "hourgate.yaml")];
    const child = spawn(process.execPath, command, { stdio: ["ignore", "pipe", "pipe"] });
    const [output, [code]] = await Promise.all([
      Promise.all([text(child.stdout), text(child.stderr)]),
      once(child, "exit"),
    ]);
    return { code, output: output.join("") };
  }

  call(path: string, key: string, body?: unknown): Promise<Response> {
    return fetch(this.router.url + path, {
      ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
      headers: { "Content-Type": "application/json", "X-API-Key": key },
      signal: AbortSignal.timeout(10_000),
    });
  }

  /** Resolves when the broker has acknowledged. */
  async publish(topic: string, payload: string): Promise<void> {
    this.#client ??= connect(`mqtt://127.0.0.1:${this.broker.port}`);
    await this.#client.publishAsync(topic, payload, { qos: 1 });
  }

  /** What is published on a topic after a message. */
  async answerTo(topic: string, payload: string, answerTopic: string): Promise<unknown> {
    const client = await connectAsync(`mqtt://127.0.0.1:${this.broker.port}`);
    try {
      await client.subscribeAsync(answerTopic, { qos: 1 });
      await client.publishAsync(topic, payload, { qos: 1 });
      const signal = AbortSignal.timeout(10_000);
      for await (const [, text] of on(client as unknown as EventEmitter, "message", { signal })) {
        const answer = JSON.parse(String(text)) as { topic: string };
        if (answer.topic === topic) return answer;
      }
    } finally {
      await client.endAsync(true);
    }
  }

  /** The stored values of a reading of a home, by time in ms. */
  async history({ shard, site }: Home, reading: string): Promise<Map<number, number>> {
    const { folder } = await this.holderOf(shard);
    const values = new Map<number, number>();
    for (let from: string | null = "2020-01-01T00:00:00Z"; from !== null; ) {
      const given = { site, reading, from, to: "2100-01-01T00:00:00Z" };
      const answer = await askGateway(folder, { command: "telemetry page", arguments: given });
      if (!answer?.ok) throw new Error(`The history cannot be read: ${JSON.stringify(answer)}`);
      const page = answer.result as { values: [number, number][]; next: string | null };
      for (const [ms, value] of page.values) values.set(ms, value);
      from = page.next;
    }
    return values;
  }

  async remove(): Promise<void> {
    await this.#client?.endAsync(true);
    await Promise.all([this.router, ...this.workers].map((member) => member.end("SIGKILL")));
    await Promise.all([this.broker.kill(), this.redis.remove(), this.postgres.remove()]);
    rmSync(this.folder, { recursive: true, force: true });
  }
}
