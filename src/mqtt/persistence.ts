import type { LevelPersistence } from "aedes-persistence-level";
import type { Log } from "../log.js";
import { RetainedMessages } from "./retained.js";

/** Messages kept for a client that is away with a session; a client that never comes back must not fill the disk. */
export const MAX_QUEUED_FOR_ABSENT = 1000;

/**
 * Takes from the broker's persistence what would end the process or a connection for a fault of the disk: a retained
 * message that cannot be stored is still delivered, one that cannot be read at the start is left out. `isConnected`
 * tells of clients by id; their queues are not bounded, for the broker takes each message out again on delivery.
 */
export async function hardenPersistence(
  persistence: LevelPersistence,
  { log, isConnected }: { log: Log; isConnected(clientId: string): boolean },
): Promise<{ clientCameBack(clientId: string): void; retained(): ReadonlyMap<string, string> }> {
  const queuedForAbsent = new Map<string, number>();
  const storeRetained = persistence.storeRetained.bind(persistence);
  const outgoingEnqueueCombi = persistence.outgoingEnqueueCombi.bind(persistence);
  const delWill = persistence.delWill.bind(persistence);

  const retained = new RetainedMessages();
  try {
    for await (const packet of persistence.createRetainedStreamCombi(["#"])) retained.set(packet);
  } catch (error) {
    log.warn(
      { err: error },
      "Retained MQTT messages could not be read; those that are published again come back.",
    );
  }

  persistence.storeRetained = (packet) => {
    retained.set(packet);
    return storeRetained(packet).catch((error: unknown) =>
      log.error({ err: error, topic: packet.topic }, "A retained MQTT message could not be stored."),
    );
  };
  persistence.createRetainedStreamCombi = (filters) => retained.stream(filters);
  persistence.delWill = (client) => delWill(client).catch(() => undefined);
  persistence.outgoingEnqueueCombi = (subscriptions, packet) => {
    const taken = subscriptions.filter(({ clientId }) => {
      if (isConnected(clientId)) return true;
      const queued = (queuedForAbsent.get(clientId) ?? 0) + 1;
      queuedForAbsent.set(clientId, queued);
      if (queued === MAX_QUEUED_FOR_ABSENT + 1)
        log.warn({ clientId }, "An absent MQTT client's queue is full; it misses what comes from now on.");
      return queued <= MAX_QUEUED_FOR_ABSENT;
    });
    return outgoingEnqueueCombi(taken, packet);
  };
  return {
    clientCameBack: (clientId) => queuedForAbsent.delete(clientId),
    retained: () => retained.texts(),
  };
}
