import type { ClientRequest, IncomingMessage, ServerResponse } from "node:http";
import { Agent, request } from "node:https";
import { setTimeout as wait } from "node:timers/promises";
import type { Log } from "../../core/log.js";
import { bearerToken } from "../../core/net/bearer-token.js";
import { bodyFraming, forwardedHeaders, relayAnswer, withoutHops } from "../../core/net/forwarding.js";
import { baseUrlOf, HostNames } from "../../core/net/host-names.js";
import { TrustedProxies } from "../../core/net/trusted-proxies.js";
import { HttpListener, SHARD_HEADER, type TlsIdentity } from "../../edges/http/listener.js";
import { answerDocument, answerNoPath, answerNoWorker } from "./answers.js";
import { Holders } from "./holders.js";
import type { Holder } from "./lease.js";
import { FleetSecret } from "./secret.js";
import type { FleetConfiguration } from "./settings.js";
import { type ShardTarget, targetOf } from "./target.js";

/** How long a request waits for a shard that no worker serves, ms. */
const WAIT_MS = 2_000;
const RETRY_MS = 100;
const CONNECT_TIMEOUT_MS = 1_000;
const WARN_EVERY_MS = 10_000;
/** Idle connections are closed before the worker does so (after 5 s), which could cut a request. */
const IDLE_MS = 3_000;

type Serving = Holder & { address: string };

export interface FleetRouterOptions {
  settings: FleetConfiguration;
  tls: TlsIdentity | undefined;
  log: Log;
}

/** Passes requests to the workers that serve their shards. It holds no data: any number of routers can run beside each other. */
export class FleetRouter {
  readonly #settings: FleetConfiguration;
  readonly #secret: FleetSecret;
  readonly #proxies: TrustedProxies;
  readonly #listener: HttpListener;
  readonly #holders: Holders;
  readonly #log: Log;
  /** Connections to the workers, by worker. */
  readonly #agents = new Map<string, Agent>();
  /** Time of the last warning about each shard. */
  readonly #warnings = new Map<ShardTarget["shard"], number>();

  constructor({ settings, tls, log }: FleetRouterOptions) {
    const { http, limits } = settings;
    this.#settings = settings;
    this.#secret = new FleetSecret(settings);
    this.#log = log;
    this.#proxies = new TrustedProxies(http.trust_proxy);
    this.#holders = new Holders({
      settings,
      secret: this.#secret,
      onReplaced: (former) => this.#forget(former),
      log,
    });
    this.#listener = new HttpListener({
      settings: http,
      name: "http",
      // Only workers can tell whether a key is valid, so no connections are reserved for those with one.
      limits: { ...limits.http, connections: { ...limits.http.connections, reserve: 0 } },
      proxies: this.#proxies,
      hosts: new HostNames({ hosts: http.hosts, baseUrl: () => baseUrlOf(http) }),
      isAuthenticated: () => false,
      onRequest: (req, res) => this.#answer(req, res),
      tls,
    });
  }

  /** Listens. Throws an Error that says what to do. */
  async start(): Promise<void> {
    await this.#holders.start();
    const listening = await this.#listener.start();
    const { shards } = this.#settings.fleet;
    this.#log.info(
      listening,
      `The router of ${shards} shards listens; workers serve ${this.#holders.served}.`,
    );
  }

  async stop(): Promise<void> {
    await this.#listener.stop();
    await this.#holders.stop();
    for (const agent of this.#agents.values()) agent.destroy();
  }

  #answer(req: IncomingMessage, res: ServerResponse): void {
    const { shards } = this.#settings.fleet;
    const target = this.#targetOf(req);
    if (target !== undefined)
      this.#forward(req, res).catch((error: unknown) => {
        this.#log.error({ err: error }, "A request could not be forwarded.");
        res.destroy();
      });
    else if ((req.url ?? "/").split("?", 1)[0] === "/health")
      answerDocument(req, res, { status: "ok", shards, served: this.#holders.served });
    else answerNoPath(req, res);
  }

  #targetOf(req: IncomingMessage): ShardTarget | undefined {
    const key = req.headers["x-api-key"] ?? bearerToken(req.headers);
    return targetOf(req.url ?? "/", Array.isArray(key) ? key.join() : key, {
      count: this.#settings.fleet.shards,
      shardOf: (hash) => this.#holders.shardOf(hash),
    });
  }

  /** Tries the holder of the shard, and a new one as soon as there is one, as long as nothing was sent that cannot be repeated. */
  async #forward(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const untilMs = performance.now() + WAIT_MS;
    let tried: string | undefined;
    let target: ShardTarget;
    for (;;) {
      // Its account may be moved meanwhile.
      target = this.#targetOf(req)!;
      const holder = this.#holders.of(target.shard);
      const isLate = performance.now() >= untilMs;
      if (holder !== undefined && !(isLate && holder.worker === tried)) {
        tried = holder.worker;
        if ((await this.#attempt(req, res, { holder, target })) === "done") return;
      } else if (isLate) break;
      if (res.destroyed) return;
      await Promise.all([this.#holders.refresh(), wait(RETRY_MS)]);
    }
    this.#warn(target.shard);
    answerNoWorker(req, res);
  }

  /** Logged now and then: a shard without a worker has many requests. */
  #warn(shard: ShardTarget["shard"]): void {
    const now = performance.now();
    if (now - (this.#warnings.get(shard) ?? Number.NEGATIVE_INFINITY) < WARN_EVERY_MS) return;
    this.#warnings.set(shard, now);
    this.#log.warn({ shard }, "Requests are answered with 503: no worker serves their shard.");
  }

  /** Resolves with "repeat" if the worker has not processed the request, otherwise when the client is being answered. */
  #attempt(
    req: IncomingMessage,
    res: ServerResponse,
    { holder, target }: { holder: Serving; target: ShardTarget },
  ): Promise<"done" | "repeat"> {
    const hasBody =
      req.headers["transfer-encoding"] !== undefined || Number(req.headers["content-length"] ?? 0) > 0;
    const isRepeatable = !hasBody && (req.method === "GET" || req.method === "HEAD");
    return new Promise((resolve) => {
      let isSent = false;
      let isGivenUp = false;
      let answered: IncomingMessage | undefined;
      const upstream = this.#request(req, { holder, target });
      const giveUp = () => {
        if (isGivenUp) return;
        isGivenUp = true;
        upstream.destroy();
        if (!isSent || isRepeatable) return resolve("repeat");
        answerNoWorker(req, res);
        resolve("done");
      };
      const connecting = setTimeout(giveUp, CONNECT_TIMEOUT_MS);
      const onClose = () => upstream.destroy();
      const send = () => {
        clearTimeout(connecting);
        if (upstream.destroyed) return;
        isSent = true;
        if (hasBody) req.pipe(upstream);
        else upstream.end();
      };
      upstream.once("socket", (socket) => {
        // Nothing is sent before the worker has proven that it is one of this fleet.
        if (!upstream.reusedSocket) socket.once("secureConnect", send);
        else send();
      });
      upstream.once("response", (answer) => {
        answered = answer;
        // The host name was checked here, so 421 means that the worker serves another shard by now.
        if (answer.statusCode === 421) {
          answer.resume();
          return giveUp();
        }
        if (!relayAnswer(answer, res, withoutHops(answer.headers))) upstream.destroy();
        resolve("done");
      });
      upstream.on("error", () => {
        if (isGivenUp) return;
        if (answered === undefined && !res.destroyed) return giveUp();
        // A refused upload fails too, although its answer is complete.
        if (!answered?.complete) res.destroy();
        resolve("done");
      });
      res.once("close", onClose);
      upstream.once("close", () => {
        clearTimeout(connecting);
        res.off("close", onClose);
      });
    });
  }

  #request(
    req: IncomingMessage,
    { holder, target: { shard, path } }: { holder: Serving; target: ShardTarget },
  ): ClientRequest {
    const { hostname, port } = new URL(holder.address);
    const client = {
      address: this.#proxies.clientAddress(req),
      protocol: this.#proxies.isHttps(req) ? "https" : "http",
    };
    const headers = { ...forwardedHeaders(req, client), ...bodyFraming(req) };
    delete headers[SHARD_HEADER];
    if (shard !== "any") headers[SHARD_HEADER] = String(shard);
    return request({
      host: hostname.replace(/^\[|\]$/g, ""),
      port: port === "" ? 80 : port,
      method: req.method,
      path,
      headers,
      setHost: false,
      agent: this.#agentOf(holder),
    });
  }

  #agentOf({ worker }: Holder): Agent {
    const known = this.#agents.get(worker);
    if (known !== undefined) return known;
    const agent = new Agent({ ...this.#secret.client, keepAlive: true, timeout: IDLE_MS });
    this.#agents.set(worker, agent);
    return agent;
  }

  /** Ends the requests that a replaced worker has not answered: it may have been stopped or cut off. */
  #forget({ worker }: Holder): void {
    this.#agents.get(worker)?.destroy();
    this.#agents.delete(worker);
  }
}
