import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import mqtt, { type MqttClient } from "mqtt";
import type { Clock } from "../../../src/core/time/clock.js";

const NUMBERS = ["unknown", "normal", "hold", "charge", "holdcharge"];
const LEASE_MS = 60_000;
/** After `online`: it empties what is left of its topics, publishes its first values, and only then listens. */
const EMPTIES_MS = 450;
const PUBLISHES_MS = 1_500;
const LISTENS_MS = 1_800;
/** At a stop its topics are emptied this time before the last will. */
const EMPTIED_BEFORE_MS = 1_000;

/**
 * evcc with a battery and a wallbox, in the order of its messages that was recorded beside evcc 0.313.2: its topic
 * `batteryModeExternal` exists after a change only; commands that come before it listens are deleted; a crash leaves the
 * battery in its mode, which evcc has then forgotten.
 */
export class EvccService {
  /** What the inverter and the wallbox do. */
  battery = "normal";
  wallbox = "off 16 A";
  readonly #clock: Clock;
  readonly #brokerUrl: string;
  readonly #intervalMs: number;
  /** Counts starts: timers of an earlier run do nothing. */
  #run = 0;
  #client: MqttClient | undefined;
  #server: Server | undefined;
  #port = 0;
  #isListening = false;
  #external = "unknown";
  #hasExternal = false;
  #leaseEndMs = Infinity;
  #applied = "unknown";
  #mode = "off";
  #maxCurrent = 16;
  readonly #published = new Map<string, string>();

  constructor(clock: Clock, brokerUrl: string, intervalMs = 30_000) {
    this.#clock = clock;
    this.#brokerUrl = brokerUrl;
    this.#intervalMs = intervalMs;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get external(): string {
    return this.#external;
  }

  async start(): Promise<void> {
    const run = ++this.#run;
    this.#external = "unknown";
    this.#applied = "unknown";
    this.#hasExternal = false;
    this.#leaseEndMs = Infinity;
    this.#mode = "off";
    this.#maxCurrent = 16;
    this.#setWallbox();
    const client = mqtt.connect(this.#brokerUrl, {
      clientId: "evcc",
      reconnectPeriod: 20,
      queueQoSZero: false,
      will: { topic: "evcc/status", payload: Buffer.from("offline"), qos: 1, retain: true },
    });
    this.#client = client;
    client.on("error", () => {});
    client.on("message", (topic, payload) => this.#hear(topic, payload.toString()));
    await new Promise<void>((resolve) => client.once("connect", () => resolve()));
    await this.#say("evcc/status", "online");
    client.on("connect", () => {
      void this.#say("evcc/status", "online");
      if (this.#isListening)
        client.subscribe(["evcc/site/batteryMode/set", "evcc/loadpoints/1/+/set"], { qos: 1 });
    });
    this.#after(EMPTIES_MS, run, () => this.#empty());
    this.#after(PUBLISHES_MS, run, () => this.#announce());
    this.#after(LISTENS_MS, run, () => void this.#listen(run));
  }

  /** Ends as by SIGTERM. */
  async stop(): Promise<void> {
    const client = this.#client;
    this.battery = "normal";
    this.#empty();
    await this.#end();
    await new Promise<void>((resolve) => {
      this.#clock.at(new Date(this.#clock.now().getTime() + EMPTIED_BEFORE_MS), () => {
        client?.publish("evcc/status", "offline", { retain: true, qos: 1 }, () => {
          client.end(false, {}, () => resolve());
        });
      });
    });
  }

  /** Ends as by `kill -9`. */
  async kill(): Promise<void> {
    const client = this.#client;
    await this.#end();
    client?.stream.destroy();
    client?.end(true);
  }

  async #end(): Promise<void> {
    this.#run++;
    this.#isListening = false;
    this.#client = undefined;
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  }

  async #listen(run: number): Promise<void> {
    this.#isListening = true;
    this.#client?.subscribe(["evcc/site/batteryMode/set", "evcc/loadpoints/1/+/set"], { qos: 1 });
    const server = createServer((request, response) => {
      const answer = this.#answer(request.method ?? "GET", new URL(request.url ?? "/", "http://evcc"));
      response.writeHead(answer === undefined ? 404 : 200, { "content-type": "application/json" });
      response.end(answer === undefined ? "" : JSON.stringify(answer));
    });
    this.#server = server.listen(this.#port, "127.0.0.1");
    await once(server, "listening");
    this.#port = (server.address() as AddressInfo).port;
    const second = () => {
      if (this.#clock.now().getTime() >= this.#leaseEndMs) this.#setExternal("unknown");
      this.#after(1_000, run, second);
    };
    second();
    const cycle = () => {
      this.#cycle();
      this.#after(this.#intervalMs, run, cycle);
    };
    this.#after(2_000, run, cycle);
  }

  #cycle(): void {
    const wanted =
      this.#external !== "unknown" ? this.#external : this.#hasExternal ? "normal" : this.#applied;
    if (wanted !== this.#applied) {
      this.#applied = wanted;
      this.battery = wanted;
    }
    void this.#say("evcc/site/batteryMode", this.#applied);
    this.#updated();
  }

  #setExternal(mode: string): void {
    if (mode !== "unknown") this.#hasExternal = true;
    this.#leaseEndMs = mode === "unknown" ? Infinity : this.#clock.now().getTime() + LEASE_MS;
    const isChange = mode !== this.#external;
    this.#external = mode;
    if (isChange) void this.#say("evcc/site/batteryModeExternal", mode);
  }

  #setMode(mode: string): void {
    this.#mode = mode;
    this.#setWallbox();
    void this.#say("evcc/loadpoints/1/mode", mode);
    this.#updated();
  }

  #setMaxCurrent(amps: number): void {
    const isChange = amps !== this.#maxCurrent;
    this.#maxCurrent = amps;
    this.#setWallbox();
    if (isChange) void this.#say("evcc/loadpoints/1/maxCurrent", String(amps));
  }

  #setWallbox(): void {
    this.wallbox = `${this.#mode} ${this.#maxCurrent} A`;
  }

  #announce(): void {
    void this.#say("evcc/site/batteryMode", "unknown");
    void this.#say("evcc/loadpoints/1/mode", this.#mode);
    void this.#say("evcc/loadpoints/1/maxCurrent", String(this.#maxCurrent));
    void this.#say("evcc/loadpoints/1/charging", "false");
    this.#updated();
  }

  #updated(): void {
    void this.#say("evcc/updated", String(Math.floor(this.#clock.now().getTime() / 1000)));
  }

  #empty(): void {
    for (const [topic, text] of this.#published)
      if (text !== "" && topic !== "evcc/status" && topic !== "evcc/updated") void this.#say(topic, "");
  }

  #hear(topic: string, text: string): void {
    if (text === "") return;
    // A command is deleted after it was handled.
    void this.#say(topic, "");
    this.#command(topic.split("/").at(-2) ?? "", text);
  }

  #command(key: string, text: string): void {
    if (key.toLowerCase() === "batterymode") this.#setExternal(text === "none" ? "unknown" : text);
    else if (key === "mode") this.#setMode(text);
    else if (key.toLowerCase() === "maxcurrent") this.#setMaxCurrent(Number(text));
  }

  #answer(method: string, { pathname, searchParams }: URL): unknown {
    const [, , what, id, key, value] = pathname.split("/");
    if (what === "batterymode") {
      this.#command("batteryMode", method === "DELETE" ? "none" : (id ?? ""));
      return NUMBERS.indexOf(this.#external);
    }
    if (what === "loadpoints" && method === "POST") {
      this.#command(key ?? "", value ?? "");
      return { result: value };
    }
    if (what !== "state") return undefined;
    const state: Record<string, unknown> = {
      ".batteryMode": this.#applied,
      ".batteryModeExternal": this.#hasExternal ? this.#external : null,
      ".loadpoints[0].mode": this.#mode,
      ".batteryGridChargeActive": false,
      ".batteryDischargeControl": false,
    };
    const jq = searchParams.get("jq") ?? "";
    return jq in state ? state[jq] : 0;
  }

  async #say(topic: string, text: string): Promise<void> {
    this.#published.set(topic, text);
    const client = this.#client;
    if (client === undefined || !client.connected) return;
    await new Promise<void>((resolve) =>
      client.publish(topic, text, { retain: true, qos: 0 }, () => resolve()),
    );
  }

  #after(ms: number, run: number, callback: () => void): void {
    this.#clock.at(new Date(this.#clock.now().getTime() + ms), () => {
      if (run === this.#run) callback();
    });
  }
}
