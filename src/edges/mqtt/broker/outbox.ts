import type { Packet } from "mqtt-packet";
import type { ConnectedClient } from "./connected-client.js";
import { encodePacket, isExpired, type Message, propertiesBytes, type QoS } from "./message.js";

/** Messages that are stored for one absent client. */
export const MAX_QUEUED_FOR_ABSENT = 1000;
/** Memory and disk space of a message besides topic and payload, approximately. */
const OVERHEAD_BYTES = 200;
/** Bytes of messages without storage that wait for one client. */
const MAX_BUFFERED_BYTES = 8_000_000;
/** Unacknowledged messages of a client that does not limit them. */
const MAX_IN_FLIGHT = 10_000;
/** Retained messages of a subscription are handed over while fewer messages than this wait. */
const SHORT_BACKLOG = 100;
const MAX_MESSAGE_ID = 65_535;

/** A stored message of a queue. */
export interface StoredEntry {
  sequence: number;
  message: Message | undefined;
  /** The packet identifier it was sent with. */
  messageId: number | undefined;
  /** The client has it (PUBREC) and waits for PUBREL. */
  isReleased: boolean;
}

/** Where the messages of persistent sessions are stored. Writes happen in the order of the calls. */
export interface QueueStorage {
  put(clientId: string, sequence: number, message: Message): Promise<void>;
  load(clientId: string, sequence: number): Promise<Message | undefined>;
  sent(clientId: string, sequence: number, sent: { messageId: number; isReleased: boolean }): Promise<void>;
  delete(clientId: string, sequence: number): void;
}

export interface OutboxOptions {
  clientId: string;
  storage: QueueStorage;
  /** Reserves bytes of the budget for stored messages; false, and reported, if there are none left. */
  reserve(bytes: number): boolean;
  release(bytes: number): void;
  /** A message was dropped because too much waits. */
  onFull(): void;
  mayReceive(client: ConnectedClient, topic: string): boolean;
  /** Unix milliseconds. */
  now(): number;
}

interface Entry {
  readonly sequence: number;
  readonly qos: QoS;
  readonly bytes: number;
  readonly isStored: boolean;
  /** Undefined while it is on disk only, and once it was sent. */
  message: Message | undefined;
  messageId: number | undefined;
  /** Perhaps on an earlier connection: a client that gets it again must be told. */
  wasSent: boolean;
  isReleased: boolean;
  /** Sent over this connection and not acknowledged. */
  isOutstanding: boolean;
  isDone: boolean;
}

/**
 * The messages for one client in their order, from its session's queue to its acknowledgements: what is published while older
 * messages wait goes to their end (MQTT-4.6.0-6). A session's messages of QoS 1 and 2 are stored, and are sent again with DUP
 * after a reconnect.
 */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #stored = new Map<number, Entry>();
  /** By packet identifier. */
  readonly #sent = new Map<number, Entry>();
  /** In the order of sending. */
  #unsent: Entry[] = [];
  #outstanding = 0;
  #bufferedBytes = 0;
  #lastSequence = 0;
  #lastMessageId = 0;
  #client: ConnectedClient | undefined;
  /** Waits for the socket, for a message from disk or for a write. */
  #isWaiting = false;
  #onShort: (() => void)[] = [];

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  get storedSequences(): number[] {
    return [...this.#stored.keys()];
  }

  /** Takes over a stored message, in the order of the sequence; false if it exceeds the limits. */
  restore({ sequence, message, messageId, isReleased }: StoredEntry): boolean {
    const bytes = message === undefined ? OVERHEAD_BYTES : bytesOf(message);
    if (this.#stored.size >= MAX_QUEUED_FOR_ABSENT || !this.#options.reserve(bytes)) return false;
    const entry: Entry = {
      ...newEntry(sequence, { qos: message?.qos ?? 2, bytes, isStored: true }),
      messageId,
      wasSent: messageId !== undefined,
      isReleased,
    };
    this.#stored.set(sequence, entry);
    if (messageId !== undefined) this.#sent.set(messageId, entry);
    this.#lastSequence = Math.max(this.#lastSequence, sequence);
    return true;
  }

  /** Adds a message at the end. With `isKept` it outlives the connection; the promise resolves when it is stored. */
  push(message: Message, { isKept }: { isKept: boolean }): Promise<void> | undefined {
    const bytes = bytesOf(message);
    const isStored = isKept && message.qos > 0 && this.#reserve(bytes);
    const isConnected = this.#client !== undefined;
    if (!isStored && !isConnected) return undefined;
    if (!isStored && this.#bufferedBytes + bytes > MAX_BUFFERED_BYTES) {
      this.#options.onFull();
      return undefined;
    }
    const sequence = ++this.#lastSequence;
    const entry = newEntry(sequence, { qos: message.qos, bytes, isStored });
    const { clientId, storage } = this.#options;
    const stored = isStored ? storage.put(clientId, sequence, message) : undefined;
    if (isStored) this.#stored.set(sequence, entry);
    else this.#bufferedBytes += bytes;
    if (isConnected) {
      entry.message = message;
      this.#unsent.push(entry);
      this.#send();
    }
    return stored;
  }

  /** The client has its CONNACK: everything that waits is sent, oldest first. */
  connect(client: ConnectedClient): void {
    this.disconnect();
    this.#client = client;
    this.#unsent = [...this.#stored.values()];
    this.#send();
  }

  /** The connection has ended: what is not stored is dropped. */
  disconnect(): void {
    this.#client = undefined;
    this.#isWaiting = false;
    this.#outstanding = 0;
    this.#bufferedBytes = 0;
    this.#unsent = [];
    for (const [messageId, { isStored }] of this.#sent) if (!isStored) this.#sent.delete(messageId);
    for (const entry of this.#stored.values())
      Object.assign(entry, { message: undefined, isOutstanding: false });
    this.#reportShort();
  }

  /** Forgets everything; the caller removes what is stored. */
  clear(): void {
    const client = this.#client;
    this.disconnect();
    this.#client = client;
    for (const entry of this.#stored.values()) {
      entry.isDone = true;
      this.#options.release(entry.bytes);
    }
    this.#stored.clear();
    this.#sent.clear();
  }

  /** PUBACK, PUBCOMP or a PUBREC that refuses the message. */
  acknowledged(messageId: number): void {
    const entry = this.#sent.get(messageId);
    if (entry === undefined) return;
    this.#finish(entry);
    this.#send();
  }

  /** PUBREC: the client has the message; false for an unknown packet identifier. */
  received(messageId: number): boolean {
    const entry = this.#sent.get(messageId);
    if (entry === undefined) return false;
    const { clientId, storage } = this.#options;
    if (entry.isStored && !entry.isReleased)
      void storage.sent(clientId, entry.sequence, { messageId, isReleased: true });
    entry.isReleased = true;
    return true;
  }

  /** Resolves when few messages wait, or the connection has ended. */
  async short(): Promise<void> {
    if (this.#client === undefined || this.#unsent.length < SHORT_BACKLOG) return;
    await new Promise<void>((resolve) => this.#onShort.push(resolve));
  }

  #reserve(bytes: number): boolean {
    const isFull = this.#client === undefined && this.#stored.size >= MAX_QUEUED_FOR_ABSENT;
    if (!isFull && this.#options.reserve(bytes)) return true;
    this.#options.onFull();
    return false;
  }

  /** Sends what may be sent now. */
  #send(): void {
    const client = this.#client;
    if (client === undefined || this.#isWaiting) return;
    let handled = 0;
    for (const entry of this.#unsent) {
      if (!entry.isDone) {
        const room = Math.min(client.receiveMaximum, MAX_IN_FLIGHT) - this.#outstanding;
        if (client.closed || (entry.qos > 0 && room <= 0)) break;
        const prepared = this.#prepare(entry, client);
        if (prepared !== undefined) {
          this.#waitFor(client, prepared);
          break;
        }
      }
      handled++;
      if (!entry.isDone && !this.#write(entry, client)) {
        this.#waitFor(client, new Promise((resolve) => client.waitForDrain(() => resolve())));
        break;
      }
    }
    this.#unsent.splice(0, handled);
    if (this.#unsent.length < SHORT_BACKLOG) this.#reportShort();
  }

  /** Makes the entry ready for `#write`; a promise: it is to be called again when that has resolved. */
  #prepare(entry: Entry, client: ConnectedClient): Promise<void> | undefined {
    const { clientId, storage, now, mayReceive } = this.#options;
    if (entry.isReleased) return undefined;
    if (entry.message === undefined) return this.#load(entry);
    const isOutdated = !entry.wasSent && isExpired(entry.message, now());
    if (isOutdated || !mayReceive(client, entry.message.topic)) this.#finish(entry);
    if (entry.isDone || entry.qos === 0 || entry.messageId !== undefined) return undefined;
    const messageId = this.#nextMessageId();
    entry.messageId = messageId;
    this.#sent.set(messageId, entry);
    if (!entry.isStored) return undefined;
    const stored = storage.sent(clientId, entry.sequence, { messageId, isReleased: false });
    // By its packet identifier, which must outlive a crash, the client notices a message of QoS 2 that comes twice.
    return entry.qos === 2 ? stored : undefined;
  }

  async #load(entry: Entry): Promise<void> {
    const { clientId, storage } = this.#options;
    const message = await storage.load(clientId, entry.sequence);
    if (entry.isDone) return;
    if (message === undefined) this.#finish(entry);
    else if (this.#client !== undefined) entry.message = message;
  }

  /** False: the socket is full. */
  #write(entry: Entry, client: ConnectedClient): boolean {
    const bytes = this.#bytesFor(entry, client);
    if (bytes === undefined || bytes.length > (client.maximumPacketSize ?? Number.POSITIVE_INFINITY)) {
      this.#finish(entry);
      return true;
    }
    entry.wasSent = true;
    if (entry.qos === 0) this.#finish(entry);
    else {
      entry.isOutstanding = true;
      this.#outstanding++;
      this.#unbuffer(entry);
    }
    return client.conn.write(bytes);
  }

  /** Undefined for a message that the protocol cannot carry. */
  #bytesFor({ message, messageId, isReleased, wasSent }: Entry, client: ConnectedClient): Buffer | undefined {
    const id = messageId === undefined ? {} : { messageId };
    let packet: Packet = { cmd: "pubrel", ...id };
    if (!isReleased) {
      const { expiresAtMs, properties, ...rest } = message!;
      const left =
        expiresAtMs === undefined ? undefined : Math.ceil((expiresAtMs - this.#options.now()) / 1000);
      const expiry = left === undefined ? {} : { messageExpiryInterval: Math.max(1, left) };
      packet = { cmd: "publish", ...rest, ...id, dup: wasSent, properties: { ...properties, ...expiry } };
    }
    try {
      return encodePacket(packet, client.version);
    } catch {
      return undefined;
    }
  }

  #finish(entry: Entry): void {
    const { clientId, storage, release } = this.#options;
    entry.isDone = true;
    if (entry.isOutstanding) this.#outstanding--;
    if (entry.messageId !== undefined) this.#sent.delete(entry.messageId);
    this.#unbuffer(entry);
    if (!this.#stored.delete(entry.sequence)) return;
    release(entry.bytes);
    storage.delete(clientId, entry.sequence);
  }

  #unbuffer(entry: Entry): void {
    if (!entry.isStored && entry.message !== undefined) this.#bufferedBytes -= entry.bytes;
    entry.message = undefined;
  }

  #nextMessageId(): number {
    do this.#lastMessageId = (this.#lastMessageId % MAX_MESSAGE_ID) + 1;
    while (this.#sent.has(this.#lastMessageId));
    return this.#lastMessageId;
  }

  #waitFor(client: ConnectedClient, work: Promise<void>): void {
    this.#isWaiting = true;
    const goOn = () => {
      if (this.#client !== client) return;
      this.#isWaiting = false;
      this.#send();
    };
    work.then(goOn, goOn);
  }

  #reportShort(): void {
    for (const resolve of this.#onShort.splice(0)) resolve();
  }
}

function newEntry(
  sequence: number,
  { qos, bytes, isStored }: { qos: QoS; bytes: number; isStored: boolean },
): Entry {
  const state = { wasSent: false, isReleased: false, isOutstanding: false, isDone: false };
  return { sequence, qos, bytes, isStored, message: undefined, messageId: undefined, ...state };
}

function bytesOf(message: Message): number {
  return message.payload.length + message.topic.length + propertiesBytes(message) + OVERHEAD_BYTES;
}
