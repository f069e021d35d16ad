import type { ClassicLevel } from "classic-level";
import { signInOf } from "./budget.js";
import type { StoredPacket } from "./level-persistence.js";
import type { RetainedMessages } from "./retained.js";
import { type BrokerSessions, keyRange, storedSessions } from "./sessions.js";
import { decodeStored } from "./stored-values.js";

export interface PruningOptions {
  retained: RetainedMessages;
  sessions: BrokerSessions;
  isNeverRetained(topic: string): boolean;
  now(): number;
  /** Each reserves the budget for a stored item; false: the item is deleted. */
  subscribe(clientId: string, filter: string): boolean;
  enqueue(clientId: string, packet: StoredPacket): boolean;
  receive(clientId: string, messageId: number): void;
}

/**
 * Reads what the broker has stored, one item at a time, and deletes what exceeds the budgets or belongs to no session,
 * so that the broker starts with little memory whatever was stored before.
 */
export async function pruneStore(database: ClassicLevel, options: PruningOptions): Promise<void> {
  await pruneRetained(database, options);
  await pruneSessions(database, options);
  await pruneQueues(database, options);
  // The gateway of an earlier version had a client with a last will, which after a crash would report it as offline.
  await prune(database, "will:", ([clientId = ""]) => signInOf(clientId) !== "$gateway");
}

async function pruneRetained(
  database: ClassicLevel,
  { retained, isNeverRetained }: PruningOptions,
): Promise<void> {
  await prune(database, "retained:", (_parts, value) => {
    const packet = decodeStored(value) as StoredPacket & { owner?: string };
    // Of older versions the owner is not known; only the total counts then.
    if (isNeverRetained(packet.topic) || !retained.reserve(packet.owner ?? "", packet)) return false;
    retained.set(packet);
    return true;
  });
}

async function pruneSessions(
  database: ClassicLevel,
  { sessions, subscribe, now }: PruningOptions,
): Promise<void> {
  const stored = await storedSessions(database);
  // Sessions of older versions have no time: they count from now on.
  for (const [clientId, seenMs] of stored) sessions.restore(clientId, seenMs);
  await prune(database, "subscriptions:", ([clientId = "", ...filter]) => {
    const isKept = sessions.restore(clientId, stored.get(clientId) ?? now());
    return isKept && subscribe(clientId, filter.join(":"));
  });
  for (const clientId of stored.keys())
    if (!sessions.has(clientId)) await database.del(`session:${encodeURIComponent(clientId)}`);
}

async function pruneQueues(
  database: ClassicLevel,
  { sessions, enqueue, receive }: PruningOptions,
): Promise<void> {
  await prune(database, "outgoing:", ([clientId = ""], value) => {
    if (!sessions.has(clientId) || signInOf(clientId) === "") return false;
    return enqueue(clientId, decodeStored(value) as StoredPacket);
  });
  await prune(database, "outgoing-id:", ([clientId = ""]) => sessions.has(clientId));
  await prune(database, "incoming:", ([clientId = "", messageId = ""]) => {
    if (!sessions.has(clientId)) return false;
    receive(clientId, Number(messageId));
    return true;
  });
}

/** Deletes the entries below the prefix that `keep` rejects; `keep` gets the key split at colons, the first decoded. */
async function prune(
  database: ClassicLevel,
  prefix: string,
  keep: (parts: string[], value: Buffer) => boolean,
): Promise<void> {
  const iterator = database.iterator<string, Buffer>({ ...keyRange(prefix), valueEncoding: "buffer" });
  for await (const [key, value] of iterator) {
    const [first = "", ...rest] = key.slice(prefix.length).split(":");
    if (!keep([decodeURIComponent(first), ...rest], value)) await database.del(key);
  }
}
