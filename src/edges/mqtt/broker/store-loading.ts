import type { Log } from "../../../core/log.js";
import { type BrokerBudgets, signInOf } from "./budget.js";
import { isExpired, type Published } from "./message.js";
import type { MessageRouter } from "./message-router.js";
import type { StoredEntry } from "./outbox.js";
import {
  decodeMessage,
  decodeRecord,
  decodeSent,
  decodeSession,
  decodeSubscription,
  decodeWill,
  encodeMessage,
  encodeSent,
  RECORDS,
  type Records,
  recordsIn,
  type StoredRecord,
} from "./records.js";
import type { RetainedMessages } from "./retained.js";
import type { BrokerSession, BrokerSessions } from "./sessions.js";
import { type KnownAddress, MAX_KNOWN } from "./sign-in-throttle.js";

export interface LoadingOptions {
  retained: RetainedMessages;
  sessions: BrokerSessions;
  router: MessageRouter;
  budgets: BrokerBudgets;
  isNeverRetained(topic: string): boolean;
  now(): number;
  /** A QoS 2 message of a client waits for its PUBREL. */
  receive(clientId: string, messageId: number): void;
  /** The last will of a client that was connected when the gateway ended. */
  bequeath(clientId: string, will: Published): void;
  /** A user has signed in from there, the latest last. */
  know(known: KnownAddress): void;
  log: Log;
}

/**
 * Reads what the broker has stored, and deletes what exceeds the budgets, belongs to no session or is damaged, so that the
 * broker starts with little memory whatever was stored before. Data of version 0.2 are taken over.
 */
export async function loadStore(database: Records, options: LoadingOptions): Promise<void> {
  const steps = [
    () => migrateQueues(database, options.log),
    () => loadRetained(database, options),
    () => loadSessions(database, options),
    () => loadQueues(database, options),
    () => loadIncoming(database, options),
    () => loadWills(database, options),
    () => loadKnown(database, options),
  ];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      options.log.warn({ err: error }, "Stored MQTT sessions and messages could not all be read.");
    }
  }
}

async function loadRetained(database: Records, options: LoadingOptions): Promise<void> {
  const { retained, isNeverRetained, now } = options;
  await keepWhere(database, "retained", ({ value }) => {
    // Of older versions the owner is not known; only the total counts then.
    const { owner = "", ...message } = decodeMessage(value);
    if (isNeverRetained(message.topic) || isExpired(message, now())) return false;
    if (!retained.reserve(owner, message)) return false;
    retained.set(message);
    return true;
  });
}

async function loadSessions(database: Records, options: LoadingOptions): Promise<void> {
  const { sessions, router, now } = options;
  const stored = new Map<string, BrokerSession>();
  await keepWhere(database, "session", ({ clientId, value }) => {
    const session = decodeSession(value, sessions.longestExpiryS);
    stored.set(clientId, session);
    return sessions.restore(clientId, session);
  });
  await keepWhere(database, "subscriptions", ({ clientId, value }) => {
    // Sessions of older versions have no time: they count from now on.
    const session = stored.get(clientId) ?? { seenMs: now(), expiryS: sessions.longestExpiryS };
    if (!sessions.restore(clientId, session)) return false;
    return router.subscribe(clientId, decodeSubscription(value)) !== undefined;
  });
}

async function loadQueues(database: Records, options: LoadingOptions): Promise<void> {
  const { sessions, router } = options;
  const isKept = (clientId: string) => sessions.has(clientId) && signInOf(clientId) !== "";
  const sent = new Map<string, Map<number, { messageId: number; isReleased: boolean }>>();
  await keepWhere(database, "sent", ({ clientId, rest, value }) => {
    if (!isKept(clientId)) return false;
    const ofClient = sent.get(clientId) ?? new Map();
    sent.set(clientId, ofClient.set(Number(rest), decodeSent(value)));
    return true;
  });
  let client = "";
  let entries: StoredEntry[] = [];
  const restore = async () => {
    const queued = new Set(entries.map(({ sequence }) => sequence));
    for (const [sequence, one] of sent.get(client) ?? [])
      if (!queued.has(sequence)) entries.push({ sequence, message: undefined, ...one });
    sent.delete(client);
    for (const entry of entries.sort((a, b) => a.sequence - b.sequence)) {
      // What a client has got waits for its PUBCOMP without a message.
      const isWhole = entry.message !== undefined || entry.isReleased;
      if (isWhole && router.outboxOf(client).restore(entry)) continue;
      await database.del(RECORDS.queued(client, entry.sequence));
      await database.del(RECORDS.sent(client, entry.sequence));
    }
    entries = [];
  };
  await keepWhere(database, "queue", async ({ clientId, rest, value }) => {
    if (!isKept(clientId)) return false;
    if (clientId !== client) await restore();
    client = clientId;
    const sequence = Number(rest);
    const unsent = { messageId: undefined, isReleased: false };
    entries.push({
      sequence,
      message: decodeMessage(value),
      ...unsent,
      ...sent.get(clientId)?.get(sequence),
    });
    return true;
  });
  for (const clientId of [client, ...sent.keys()]) {
    client = clientId;
    await restore();
  }
}

async function loadIncoming(database: Records, options: LoadingOptions): Promise<void> {
  const { sessions, budgets, receive } = options;
  await keepWhere(database, "incoming", ({ clientId, rest }) => {
    if (!sessions.has(clientId) || !budgets.take("qos2_in_flight", signInOf(clientId))) return false;
    receive(clientId, Number(rest));
    return true;
  });
}

async function loadWills(database: Records, { bequeath }: LoadingOptions): Promise<void> {
  await keepWhere(database, "will", ({ clientId, value }) => {
    // The gateway of an earlier version had a client with a last will, which after a crash would report it as offline.
    if (signInOf(clientId) === "$gateway") return false;
    bequeath(clientId, decodeWill(value));
    return true;
  });
}

async function loadKnown(database: Records, { know }: LoadingOptions): Promise<void> {
  const stored: { known: KnownAddress; atMs: number }[] = [];
  for await (const { clientId: user, rest: network, value } of recordsIn(database, "known"))
    stored.push({ known: { user, network }, atMs: Number(value.toString("utf8")) });
  stored.sort((a, b) => a.atMs - b.atMs);
  for (const { known } of stored.splice(0, Math.max(0, stored.length - MAX_KNOWN)))
    await database.del(RECORDS.known(known));
  for (const { known } of stored) know(known);
}

/** Deletes the records of a kind that `keep` rejects or cannot read. */
async function keepWhere(
  database: Records,
  kind: string,
  keep: (record: StoredRecord) => boolean | Promise<boolean>,
): Promise<void> {
  for await (const record of recordsIn(database, kind)) {
    const isKept = await Promise.resolve(record)
      .then(keep)
      .catch(() => false);
    if (!isKept) await database.del(record.key);
  }
}

/**
 * Queues of version 0.2: `outgoing:<client>:<run>:<counter>`, and again as `outgoing-id:` by packet identifier. The order of
 * the messages of one run is kept; of different runs the order was not stored.
 */
async function migrateQueues(database: Records, log: Log): Promise<void> {
  const byClient = new Map<string, StoredRecord[]>();
  for await (const record of recordsIn(database, "outgoing"))
    byClient.set(record.clientId, (byClient.get(record.clientId) ?? []).concat(record));
  for (const [clientId, entries] of byClient) {
    const puts = entries.flatMap(({ value }, index) => recordsFor(clientId, index + 1, value));
    const dels = entries.map(({ key }) => ({ type: "del", key }) as const);
    await database.batch<string, Buffer>([...puts, ...dels], { valueEncoding: "buffer" });
    log.info({ clientId, messages: entries.length }, "The queue of an MQTT session was taken over.");
  }
  await database.clear({ gte: "outgoing-id:", lt: "outgoing-id;" });
}

/** A damaged entry is dropped. */
function recordsFor(clientId: string, sequence: number, value: Buffer) {
  const put = (key: string, bytes: Buffer) => ({ type: "put", key, value: bytes }) as const;
  try {
    const { cmd, messageId } = decodeRecord(value);
    const isReleased = cmd === "pubrel";
    const sent =
      typeof messageId === "number"
        ? [put(RECORDS.sent(clientId, sequence), encodeSent({ messageId, isReleased }))]
        : [];
    return isReleased
      ? sent
      : [put(RECORDS.queued(clientId, sequence), encodeMessage(decodeMessage(value))), ...sent];
  } catch {
    return [];
  }
}
