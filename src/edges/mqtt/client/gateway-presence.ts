import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { type Log, silentLog } from "../../../core/log.js";
import { type ClientOptions, MqttConnection } from "./client.js";
import type { ReceivedMessage } from "./connection.js";
import { type GatewayRole, GatewayRoles, PRESENCE_MS, type Presence } from "./gateway-role.js";

/** Others answer within this time after the connect. */
const ANSWER_MS = 300;
/** A broker that is away does not keep the gateway from commanding devices that are not on it. */
const BROKER_AWAY_MS = 2_000;
const MACHINE = /^[\w.-]{1,64}$/;

export interface GatewayPresenceOptions extends Pick<ClientOptions, "url" | "username" | "password" | "ca"> {
  /** The presence of each process is retained one level below. */
  topic: string;
  /** The role, or the other process, has changed; the first call comes at most two seconds after the start. */
  onChange(role: GatewayRole, other: Presence | undefined): void;
  log: Log;
}

/**
 * Notices other gateways with the same installation id on the broker, for example a copied data folder. Its connection has a
 * client id of its own, because the broker would otherwise disconnect one of the two at each message.
 */
export class GatewayPresence {
  readonly #options: GatewayPresenceOptions;
  readonly #roles: GatewayRoles;
  readonly #topic: string;
  readonly #connection: MqttConnection;
  #settling: NodeJS.Timeout | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #reported = "";
  #isStopped = false;

  constructor(options: GatewayPresenceOptions) {
    const { topic, onChange: _, log, ...broker } = options;
    const id = randomUUID();
    this.#options = options;
    this.#roles = new GatewayRoles({ id, startedAtMs: Date.now(), machine: hostname() });
    this.#topic = `${topic}/${id}`;
    this.#connection = new MqttConnection({
      ...broker,
      clientId: `hourgate-presence-${id}`,
      persistentSession: false,
      // The empty message removes the retained one.
      will: { topic: this.#topic, payload: "" },
      subscriptions: [`${topic}/+`],
      onConnect: () => this.#connected(),
      onDisconnect: () => this.#decideWithin(BROKER_AWAY_MS),
      onMessage: async (...message) => this.#receive(...message),
      // The gateway's own connection to the same broker logs its problems.
      log: silentLog,
    });
  }

  start(): void {
    this.#connection.start();
    this.#decideWithin(BROKER_AWAY_MS);
    this.#heartbeat = setInterval(() => {
      this.#publish();
      if (this.#reported !== "" && this.#canDecide) this.#decide();
    }, PRESENCE_MS).unref();
  }

  async stop(): Promise<void> {
    clearTimeout(this.#settling);
    clearInterval(this.#heartbeat);
    this.#isStopped = true;
    if (this.#connection.isConnected) await this.#send(this.#topic, "");
    await this.#connection.stop({ leaveWill: false });
  }

  #connected(): void {
    this.#roles.connected(performance.now());
    this.#publish();
    this.#decideWithin(ANSWER_MS);
  }

  #decideWithin(ms: number): void {
    clearTimeout(this.#settling);
    if (this.#isStopped) return;
    this.#settling = setTimeout(() => {
      if (this.#canDecide) this.#decide();
    }, ms).unref();
  }

  /** A gateway that waits for another one goes on waiting while it cannot hear it. */
  get #canDecide(): boolean {
    return this.#connection.isConnected || this.#roles.own.role === "starting";
  }

  #receive(topic: string, payload: Buffer, { retained }: ReceivedMessage): void {
    const id = topic.slice(topic.lastIndexOf("/") + 1);
    const presence = presenceOf(id, payload.toString("utf8"));
    if (presence === undefined) this.#roles.left(id);
    else if (this.#roles.hear(presence, { nowMs: performance.now(), isRetained: retained })) this.#publish();
    if (this.#reported !== "" && !this.#isStopped) this.#decide();
  }

  #decide(): void {
    const { topic, onChange, log } = this.#options;
    const before = this.#roles.own.role;
    for (const id of this.#roles.decide(performance.now())) void this.#send(`${topic}/${id}`, "");
    const { own, other } = this.#roles;
    const { role } = own;
    if (role !== before) this.#publish();
    const text = `${role} ${other?.id}`;
    if (text === this.#reported) return;
    this.#reported = text;
    const named = other && { machine: other.machine, started: new Date(other.startedAtMs).toISOString() };
    if (role === "standby")
      log.error(
        { other: named },
        `Another gateway with the identity of this one runs on "${other?.machine}"; the data folder was probably copied. This gateway commands no devices and publishes nothing until the other one has ended. Stop one of the two.`,
      );
    else if (other !== undefined)
      log.warn(
        { other: named },
        `Another gateway with the identity of this one runs on "${other.machine}"; the data folder was probably copied. It waits, and this gateway commands the devices. Stop one of the two.`,
      );
    else if (before === "standby")
      log.warn({}, "The other gateway with this identity has ended; this gateway commands the devices.");
    onChange(role, other);
  }

  #publish(): void {
    const { startedAtMs, machine, role } = this.#roles.own;
    void this.#send(
      this.#topic,
      JSON.stringify({ started_at: new Date(startedAtMs).toISOString(), machine, role }),
    );
  }

  /** A broker that refuses it changes nothing for this gateway. */
  #send(topic: string, payload: string): Promise<void> {
    if (!this.#connection.isConnected) return Promise.resolve();
    return this.#connection.publish(topic, payload, { retain: true }).catch(() => {});
  }
}

/** Reads the output of `#publish`; undefined for anything else. */
function presenceOf(id: string, text: string): Presence | undefined {
  try {
    const { started_at: startedAt, machine, role } = JSON.parse(text) as Record<string, unknown>;
    const startedAtMs = Date.parse(String(startedAt));
    if (Number.isNaN(startedAtMs) || (role !== "starting" && role !== "standby" && role !== "commanding"))
      return undefined;
    return { id, startedAtMs, machine: MACHINE.test(String(machine)) ? String(machine) : "?", role };
  } catch {
    return undefined;
  }
}
