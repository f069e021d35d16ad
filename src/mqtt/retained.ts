import { Readable } from "node:stream";
import { filterMatches } from "./topics.js";

interface RetainedPacket {
  topic: string;
  payload: Buffer | string;
}

/**
 * The retained messages of the broker, as they are now. Read from the disk they would be as they were when a
 * subscription began, and a subscriber could get a new value first and then, as the retained one, the value before.
 */
export class RetainedMessages {
  readonly #packets = new Map<string, RetainedPacket>();

  /** An empty payload takes the message away. */
  set(packet: RetainedPacket): void {
    if (packet.payload.length === 0) this.#packets.delete(packet.topic);
    else this.#packets.set(packet.topic, { ...packet });
  }

  /** The payloads as text, by topic. */
  texts(): ReadonlyMap<string, string> {
    return new Map([...this.#packets.values()].map(({ topic, payload }) => [topic, payload.toString()]));
  }

  /** The messages that match; each has the payload that is current when it is delivered, not when it is listed. */
  stream(filters: readonly string[]): Readable {
    const packets = this.#packets;
    const matching = [...packets.values()].flatMap((packet) =>
      filters.some((filter) => filterMatches(filter, packet.topic)) ? [packet] : [],
    );
    return Readable.from(
      matching.map((packet) => ({
        ...packet,
        get payload() {
          return packets.get(packet.topic)?.payload ?? Buffer.alloc(0);
        },
      })),
    );
  }
}
