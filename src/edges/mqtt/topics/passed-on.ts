import { setTimeout as wait } from "node:timers/promises";
import type { BrokerConnection, ReceivedMessage } from "../client/connection.js";
import type { Topics } from "./topics.js";

/** The plants that were moved between the shards of a fleet. */
export interface MovedPlants {
  /** Prefix of the topics of a plant that came from another shard. */
  origin(plant: string): string | undefined;
  /** Prefix of the shard that a plant has gone to. */
  target(plant: string): string | undefined;
  /** Whether the plant is on its way here, where another start of the gateway will serve it. Rejects while that is not known. */
  isExpected(plant: string): Promise<boolean>;
}

export interface PassedOnOptions {
  topics: Topics;
  moved?: MovedPlants | undefined;
  isPlant(plant: string): boolean;
  connection(): BrokerConnection | undefined;
  isStopped(): boolean;
}

const RETRY_MS = 1_000;
/** The broker sends a message again that is never acknowledged. */
const never = () => new Promise<never>(() => {});

/** Messages to plants of a fleet that another gateway has to read: devices send to the topics of the shard they began in. */
export class PassedOn {
  readonly #options: PassedOnOptions;

  constructor(options: PassedOnOptions) {
    this.#options = options;
  }

  /**
   * Undefined for a message to a plant of this gateway, and for one that needs no answer. Otherwise resolves with whether it
   * was passed on to the shard of its plant; never for what the broker has to send again.
   */
  take(topic: string, payload: Buffer, { retained, replyTo }: ReceivedMessage): Promise<boolean> | undefined {
    const { topics, moved, isPlant } = this.#options;
    if (moved === undefined || retained) return undefined;
    const plant = topics.plantOf(topic);
    if (plant === undefined || isPlant(plant)) return undefined;
    if (topics.inbound(topic) === undefined) return undefined;
    const target = moved.target(plant);
    if (target === undefined) return this.#unlessExpected(moved, plant);
    return this.#send(target + topic.slice(topics.prefix.length), payload, replyTo);
  }

  async #send(topic: string, payload: Buffer, replyTo: ReceivedMessage["replyTo"]): Promise<boolean> {
    const { topic: responseTopic, correlation } = replyTo ?? {};
    const how = { retain: false, correlation, responseTopic };
    // Messages are acknowledged in their order: one that waited for another connection would hold up all later ones.
    for (;;) {
      try {
        const connection = this.#options.connection();
        if (connection !== undefined) {
          await connection.publish(topic, payload, how);
          return true;
        }
      } catch {}
      await this.#pause();
    }
  }

  async #unlessExpected(moved: MovedPlants, plant: string): Promise<boolean> {
    for (;;) {
      try {
        return (await moved.isExpected(plant)) ? await never() : false;
      } catch {
        await this.#pause();
      }
    }
  }

  async #pause(): Promise<void> {
    await (this.#options.isStopped() ? never() : wait(RETRY_MS, undefined, { ref: false }));
  }
}
