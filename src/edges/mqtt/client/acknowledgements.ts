import type { IPublishPacket, MqttClient } from "mqtt";
import { writeToStream } from "mqtt-packet";

/** Number of messages of QoS 1 that are handled at a time; the others wait at the broker. */
export const MOST_UNACKNOWLEDGED = 100;

interface Unacknowledged {
  messageId: number;
  isHandled: boolean;
}

/**
 * Acknowledges the messages of a persistent session when they have been handled, those of QoS 1 many at a time: one by one each
 * would wait for a commit of the store. PUBACK packets are sent in the order of the messages (MQTT-4.6.0-2).
 */
export class Acknowledgements {
  readonly #client: MqttClient;
  /** The connection that has delivered the messages: packet identifiers are valid on it only. */
  #stream: MqttClient["stream"] | undefined;
  #messages: Unacknowledged[] = [];
  /** Makes the library read on, while it does not because of too many messages. */
  #readOn: (() => void) | undefined;

  constructor(client: MqttClient) {
    this.#client = client;
  }

  /**
   * A message that may be acknowledged when `handled` has resolved. The library reads the next packet when `done` is called;
   * with an error it does not send an acknowledgement itself.
   */
  add({ qos, messageId = 0 }: IPublishPacket, handled: Promise<void>, done: (error?: Error) => void): void {
    const { stream } = this.#client;
    if (qos === 2) {
      void handled.then(() => this.#client.stream === stream && done());
      return;
    }
    if (stream !== this.#stream) {
      this.#stream = stream;
      this.#messages = [];
      this.#readOn = undefined;
    }
    const message = { messageId, isHandled: false };
    this.#messages.push(message);
    void handled.then(() => {
      message.isHandled = true;
      this.#send(stream);
    });
    const readOn = () => done(new Error("acknowledged later"));
    if (this.#messages.length < MOST_UNACKNOWLEDGED) readOn();
    else this.#readOn = readOn;
  }

  #send(stream: MqttClient["stream"]): void {
    if (stream !== this.#stream || stream !== this.#client.stream || !stream.writable) return;
    const { protocolVersion } = this.#client.options;
    while (this.#messages[0]?.isHandled === true) {
      const { messageId } = this.#messages.shift()!;
      writeToStream({ cmd: "puback", messageId }, stream, { protocolVersion });
    }
    if (this.#messages.length >= MOST_UNACKNOWLEDGED) return;
    const readOn = this.#readOn;
    this.#readOn = undefined;
    readOn?.();
  }
}
