import { connect, type MqttClient } from "mqtt";
import type { HomeCommands, SimulatedHome } from "./home.js";

/** Commands by topic below that of the plant. */
const NUMBERS: Readonly<Record<string, keyof HomeCommands>> = {
  "outputs/O2": "chargePowerKw",
  "outputs/O9": "chargeStopSocPct",
  "outputs/O12": "dischargeCapKw",
  "outputs/O14": "chargeCapKw",
  "outputs/O15": "feedInLimitKw",
  "outputs/O16": "dischargeSetKw",
  "slots/1/power_kw": "wallboxKw",
};
const SWITCHES: Readonly<Record<string, keyof HomeCommands>> = {
  "outputs/O1": "chargeNow",
  "slots/1/charge_now": "wallboxOn",
  "slots/2/charge_now": "boilerOn",
};

/** A message that the gateway does not answer for this long is not waited for. */
const ANSWER_MS = 5_000;

/**
 * Connects a simulated home to a gateway over MQTT like a real one: stores the commands from the output topics, unless
 * `commands` are given by its devices, and publishes its meters. `root` is `<prefix>/<plant>`.
 */
export class MqttHome {
  readonly commands: HomeCommands;
  readonly #obeysOutputs: boolean;
  readonly #client: MqttClient;
  readonly #root: string;
  #reported = 0;
  #acknowledged = 0;
  #refused = 0;
  #plugged: number | undefined;
  #onAnswered: (() => void) | undefined;

  constructor(options: {
    url: string;
    username: string;
    password: string;
    root: string;
    commands?: HomeCommands | undefined;
  }) {
    this.#root = options.root;
    this.commands = options.commands ?? {};
    this.#obeysOutputs = options.commands === undefined;
    this.#client = connect(options.url, {
      username: options.username,
      password: options.password,
      reconnectPeriod: 200,
      manualConnect: true,
    });
    // A lost connection is retried by the client.
    this.#client.on("error", () => {});
    this.#client.on("message", (topic, payload) =>
      this.#take(topic.slice(this.#root.length + 1), payload.toString()),
    );
  }

  /** Resolves when the gateway has answered every message, or after `timeoutMs`. */
  async answered(timeoutMs = ANSWER_MS): Promise<void> {
    if (this.#acknowledged >= this.#reported) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(done, timeoutMs);
      function done() {
        clearTimeout(timer);
        resolve();
      }
      this.#onAnswered = done;
    });
    this.#onAnswered = undefined;
  }

  /** Messages that the gateway did not accept. */
  get refused(): number {
    return this.#refused;
  }

  async start(): Promise<void> {
    const connected = new Promise<void>((resolve) => this.#client.once("connect", () => resolve()));
    this.#client.connect();
    await connected;
    const outputs = this.#obeysOutputs ? [...Object.keys(NUMBERS), ...Object.keys(SWITCHES)] : [];
    const topics = [...outputs, "ack"];
    await this.#client.subscribeAsync(
      topics.map((topic) => `${this.#root}/${topic}`),
      { qos: 1 },
    );
  }

  /** Publishes the meters, and the plug state if it changed; resolves when the broker has acknowledged them. */
  async report(home: SimulatedHome, at: Date): Promise<void> {
    const { ev_connected: plugged, ...readings } = home.readings();
    const publish = (topic: string, value: unknown) => {
      this.#reported++;
      return this.#client.publishAsync(`${this.#root}/${topic}`, JSON.stringify(value), { qos: 1 });
    };
    if (plugged !== undefined && plugged !== this.#plugged) {
      this.#plugged = plugged;
      await publish("slots/1/plugged/set", plugged);
    }
    await publish("telemetry", { timestamp: at.toISOString(), ...readings });
  }

  async stop(): Promise<void> {
    await this.#client.endAsync(true);
  }

  #take(topic: string, payload: string): void {
    if (topic === "ack") {
      this.#acknowledged++;
      if (this.#acknowledged >= this.#reported) this.#onAnswered?.();
      if ((JSON.parse(payload) as { ok: boolean }).ok === false) this.#refused++;
      return;
    }
    const number = NUMBERS[topic];
    const known = number ?? SWITCHES[topic];
    if (known === undefined) return;
    const value = payload === "" ? undefined : number === undefined ? payload === "1" : Number(payload);
    Object.assign(this.commands, { [known]: value });
  }
}
