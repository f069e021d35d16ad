import { Agent, request } from "node:http";
import { text } from "node:stream/consumers";
import { connectAsync, type MqttClient } from "mqtt";
import { type BenchSite, BOUNDARY, type Transport } from "./fleet.js";

const PERIOD_MS = 10_000;

/** The readings of a site at one moment, as its devices report them. */
interface Readings {
  soc_pct: number;
  pv_power_kw: number;
  load_power_kw: number;
  grid_power_kw: number;
}

/** A home with self-consumption: surplus charges the battery, demand discharges it. */
class SimulatedSite {
  #socKwh: number;
  #step = 0;
  readonly #site: BenchSite;
  readonly #seed: number;

  constructor(site: BenchSite, index: number) {
    this.#site = site;
    this.#seed = index;
    this.#socKwh = site.capacityKwh * (0.2 + 0.6 * this.#noise(1));
  }

  /** A reading after `seconds`; deterministic. */
  next(seconds: number): Readings {
    const { capacityKwh, powerKw, peakKw, loadKw, socStepPct } = this.#site;
    this.#step++;
    const pv = peakKw * (0.45 + 0.1 * this.#noise(this.#step));
    // A large consumer is switched on for a minute or two now and then.
    const extra = this.#noise(1000 + Math.floor(this.#step / 9)) > 0.9 ? 2 : 0;
    const load = loadKw * (0.8 + 0.4 * this.#noise(500 + this.#step)) + extra;
    const wanted = Math.max(-powerKw, Math.min(powerKw, pv - load));
    const before = this.#socKwh;
    this.#socKwh = Math.max(0.05 * capacityKwh, Math.min(capacityKwh, before + (wanted * seconds) / 3600));
    const battery = ((this.#socKwh - before) * 3600) / seconds;
    const soc = (100 * this.#socKwh) / capacityKwh;
    return {
      soc_pct: Number((Math.round(soc / socStepPct) * socStepPct).toFixed(1)),
      pv_power_kw: Number(pv.toFixed(3)),
      load_power_kw: Number(load.toFixed(3)),
      grid_power_kw: Number((load + battery - pv).toFixed(3)),
    };
  }

  /** From 0 to 1, the same for the same step. */
  #noise(step: number): number {
    const value = Math.sin(this.#seed * 12.9898 + step * 78.233) * 43_758.5453;
    return value - Math.floor(value);
  }
}

/** What the devices have seen. */
export interface DeviceCounts {
  accepted: number;
  failed: number;
  /** Time to each answer (HTTP) or acknowledgement (MQTT), with when it was sent; ms. */
  answers: { siteId: string; isAccepted: boolean; sentMs: number; ms: number }[];
}

export interface DevicesOptions {
  transport: Transport;
  url: string;
  mqttUrl: string;
  /** Time until the gateway's clock is at the boundary, from now, ms. */
  boundaryInMs: number;
  /** Default: `hourgate`. */
  prefix?: string;
}

/** Whether an answer to a sample says that it is stored: a reading that is not possible after the last one is held. */
export function isStored(answer: string): boolean {
  const { accepted, implausible } = JSON.parse(answer) as { accepted: number; implausible?: object };
  return accepted === 1 && implausible === undefined;
}

/** The devices of all sites, each sending every ten seconds, evenly spread. */
export class Devices {
  readonly counts: DeviceCounts = { accepted: 0, failed: 0, answers: [] };
  /** Time from the boundary to the first plan after it, by site, ms. */
  readonly plans = new Map<string, number>();
  readonly #sites: readonly BenchSite[];
  readonly #options: DevicesOptions;
  readonly #boundaryMs: number;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 200 });
  readonly #clients: MqttClient[] = [];
  readonly #timers: NodeJS.Timeout[] = [];

  constructor(sites: readonly BenchSite[], options: DevicesOptions) {
    this.#sites = sites;
    this.#options = options;
    this.#boundaryMs = performance.now() + options.boundaryInMs;
  }

  async start(): Promise<void> {
    const { transport } = this.#options;
    const senders = this.#sites.map((site) =>
      transport === "http"
        ? async (body: Readings) => this.#post(site, body)
        : async (body: Readings) => this.#publish(site, body),
    );
    if (transport === "http") await this.#watchPlans();
    else await this.#connect();
    this.#sites.forEach((site, index) => {
      const home = new SimulatedSite(site, index);
      const send = () => void senders[index]!(home.next(PERIOD_MS / 1000));
      this.#timers.push(
        setTimeout(
          () => {
            send();
            this.#timers.push(setInterval(send, PERIOD_MS));
          },
          (index * PERIOD_MS) / this.#sites.length,
        ),
      );
    });
  }

  /** Forgets what was counted so far. */
  reset(): void {
    Object.assign(this.counts, { accepted: 0, failed: 0, answers: [] });
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.#agent.destroy();
    await Promise.all(this.#clients.map((client) => client.endAsync(true)));
  }

  #post({ id, key }: BenchSite, body: Readings): void {
    const sentMs = performance.now();
    const sent = JSON.stringify(body);
    const done = (ok: boolean) => this.#count(id, sentMs, ok);
    const req = request(
      `${this.#options.url}/v1/plant/telemetry`,
      {
        agent: this.#agent,
        method: "POST",
        headers: { "X-API-Key": key, "Content-Type": "application/json", "Content-Length": sent.length },
      },
      (res) => {
        void text(res).then(
          (answer) => done(res.statusCode === 200 && isStored(answer)),
          () => done(false),
        );
      },
    );
    req.once("error", () => done(false));
    req.end(sent);
  }

  async #publish({ id }: BenchSite, body: Readings): Promise<void> {
    const client = this.#clients[Number(id.slice(5)) - 1]!;
    await Promise.all(
      Object.entries(body).map(async ([name, value]) => {
        const sentMs = performance.now();
        await client.publishAsync(`hourgate/${id}/telemetry/${name}`, String(value), { qos: 1 }).then(
          () => this.#count(id, sentMs, true),
          () => this.#count(id, sentMs, false),
        );
      }),
    );
  }

  #count(siteId: string, sentMs: number, isAccepted: boolean): void {
    this.counts.answers.push({ siteId, isAccepted, sentMs, ms: performance.now() - sentMs });
    if (isAccepted) this.counts.accepted++;
    else this.counts.failed++;
  }

  /** One client of the owner receives the plans of all sites. */
  async #watchPlans(): Promise<void> {
    const [first] = this.#sites;
    const client = await this.#client(first!, `watch-${first!.id}`);
    await client.subscribeAsync(`${this.#options.prefix ?? "hourgate"}/+/plan`, { qos: 0 });
  }

  /** Each site has a client that sends its readings and receives its plan. */
  async #connect(): Promise<void> {
    for (const site of this.#sites) {
      const client = await this.#client(site, `device-${site.id}`);
      await client.subscribeAsync(`hourgate/${site.id}/plan`, { qos: 0 });
    }
  }

  async #client({ key }: BenchSite, clientId: string): Promise<MqttClient> {
    const client = await connectAsync(this.#options.mqttUrl, { clientId, username: clientId, password: key });
    client.on("message", (topic, payload) => this.#onPlan(topic.split("/").at(-2)!, payload));
    this.#clients.push(client);
    return client;
  }

  #onPlan(siteId: string, payload: Buffer): void {
    const sinceMs = performance.now() - this.#boundaryMs;
    if (sinceMs < 0 || this.plans.has(siteId)) return;
    const issued = /"issued_at":"([^"]+)"/.exec(payload.toString("latin1"))?.[1];
    if (issued !== undefined && Date.parse(issued) >= BOUNDARY.getTime()) this.plans.set(siteId, sinceMs);
  }
}
