import mqtt, { type MqttClient } from "mqtt";
import type { Clock } from "../../../src/core/time/clock.js";
import { Device } from "./device.js";

/** A device that is a client of a broker. */
export abstract class MqttDevice extends Device {
  readonly #url: string;
  #client: MqttClient | undefined;

  constructor(clock: Clock, brokerUrl: string) {
    super(clock);
    this.#url = brokerUrl;
  }

  /** Filters of the topics with commands. */
  protected abstract filters(): string[];
  protected abstract hear(topic: string, text: string): void;
  /** Publishes all readings, as after a start. */
  protected abstract announce(): void;

  async start(): Promise<void> {
    const { will } = this;
    const client = mqtt.connect(this.#url, {
      reconnectPeriod: 20,
      queueQoSZero: false,
      ...(will && { will: { topic: will.topic, payload: Buffer.from(will.text), qos: 1, retain: true } }),
    });
    this.#client = client;
    client.on("error", () => {});
    client.on("message", (topic, payload) => {
      if (payload.length > 0 || this.hearsEmpty) this.#heard(topic, payload.toString());
    });
    const ready = async () => {
      await client.subscribeAsync(this.filters(), { qos: 1 });
      this.announce();
    };
    await new Promise<void>((resolve) => client.once("connect", () => resolve()));
    await ready();
    client.on("connect", () => void ready().catch(() => {}));
  }

  async stop(): Promise<void> {
    await this.#client?.endAsync(true);
    this.#client = undefined;
  }

  /** Published by the broker when the device is gone. */
  protected get will(): { topic: string; text: string } | undefined {
    return undefined;
  }

  /** Whether an empty payload is a request of its own. */
  protected get hearsEmpty(): boolean {
    return false;
  }

  protected say(topic: string, value: unknown, { retain = true } = {}): void {
    if (this.faults.silent) return;
    const text = typeof value === "string" ? value : JSON.stringify(value);
    const send = () => void this.#client?.publish(topic, text, { retain, qos: 0 });
    if (this.faults.lateMs > 0) this.after(this.faults.lateMs, send);
    else send();
  }

  #heard(topic: string, text: string): void {
    if (!this.faults.silent) this.hear(topic, text);
  }
}
