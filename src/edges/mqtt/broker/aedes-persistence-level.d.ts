/** The package has no types; these are the methods that Aedes calls and `BrokerStore` overrides. */
declare module "aedes-persistence-level/asyncPersistence.js" {
  import type { Readable } from "node:stream";

  export interface StoredPacket {
    cmd?: string;
    topic: string;
    payload: Buffer | string;
    messageId?: number;
    brokerId?: string;
    brokerCounter?: number;
  }

  export interface StoredSubscription {
    topic: string;
    qos: number;
  }

  export interface StoreClient {
    id: string;
    clean?: boolean;
  }

  export default class AsyncLevelPersistence {
    constructor(database: unknown);
    setup(broker: unknown): Promise<void>;
    storeRetained(packet: StoredPacket): Promise<void>;
    createRetainedStreamCombi(patterns: string[]): Readable;
    addSubscriptions(client: StoreClient, subscriptions: StoredSubscription[]): Promise<void>;
    removeSubscriptions(client: StoreClient, topics: string[]): Promise<void>;
    cleanSubscriptions(client: StoreClient): Promise<void>;
    outgoingEnqueueCombi(
      subscriptions: { clientId: string; qos: number }[],
      packet: StoredPacket,
    ): Promise<unknown>;
    outgoingUpdate(client: StoreClient, packet: StoredPacket): Promise<void>;
    outgoingClearMessageId(
      client: StoreClient,
      packet: { messageId?: number },
    ): Promise<StoredPacket | undefined>;
    incomingStorePacket(client: StoreClient, packet: StoredPacket): Promise<void>;
    incomingGetPacket(client: StoreClient, packet: { messageId?: number }): Promise<unknown>;
    incomingDelPacket(client: StoreClient, packet: { messageId?: number }): Promise<void>;
    cleanIncoming(client: StoreClient): Promise<void>;
    delWill(client: StoreClient): Promise<unknown>;
    destroy(): Promise<void>;
  }
}

/** The format in which `aedes-persistence-level` stores its values. */
declare module "msgpack-lite" {
  const msgpack: { decode(value: Buffer): unknown };
  export default msgpack;
}
