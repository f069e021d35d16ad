/** What comes with a message besides topic and payload. */
export interface ReceivedMessage {
  /** The message was retained before the subscription. */
  retained: boolean;
  /** Response topic and correlation data of an MQTT 5 request; without a topic, the default response topic applies. */
  replyTo: { topic: string | undefined; correlation: Buffer | undefined } | undefined;
}

export interface PublishOptions {
  retain: boolean;
  correlation?: Buffer | undefined;
  responseTopic?: string | undefined;
}

/** The gateway's connection to its broker: in the same process, or over the network. */
export interface BrokerConnection {
  readonly isConnected: boolean;
  /** Number of messages that may be published at a time. */
  readonly publishedAtOnce: number;
  /** Publishes with QoS 1; resolves when the broker has the message, rejects when stopped before. */
  publish(topic: string, payload: string | Buffer, options: PublishOptions): Promise<void>;
  /** Replaces the filters. */
  subscribeTo(filters: readonly string[]): void;
}
