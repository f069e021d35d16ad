import type { Log } from "../../../core/log.js";
import {
  decodeMessage,
  decodeRecord,
  encodeMessage,
  encodeSent,
  RECORDS,
  type Records,
  recordsIn,
  type StoredRecord,
} from "./records.js";

/**
 * Queues of version 0.2: `outgoing:<client>:<run>:<counter>`, and again as `outgoing-id:` by packet identifier. The order of
 * the messages of one run is kept; of different runs the order was not stored.
 */
export async function migrateQueues(database: Records, log: Log): Promise<void> {
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
