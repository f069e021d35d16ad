import { MINUTE_MS } from "../../../core/domain/interval.js";
import type { TopicMapEntry } from "../../../telemetry/topic-map.js";

/** A topic that was silent for longer no longer counts. */
const OLDEST_MS = 15 * MINUTE_MS;
const MAX_TOPICS = 100;

/** The sums of map entries that add up all topics that match, such as the powers of several loadpoints. */
export class TopicSums {
  /** By site, then by entry and topic. */
  readonly #parts = new Map<string, Map<string, Map<string, { value: number; atMs: number }>>>();

  /** Stores the value of a topic, undefined removes it, and returns the sum; of flags whether one is on. */
  add(
    { siteId, entry, topic }: { siteId: string; entry: TopicMapEntry; topic: string },
    value: number | undefined,
    nowMs: number,
  ): number {
    const ofSite = childOf(this.#parts, siteId);
    const parts = childOf(ofSite, JSON.stringify(entry));
    parts.delete(topic);
    for (const [other, { atMs }] of parts) if (atMs < nowMs - OLDEST_MS) parts.delete(other);
    if (value !== undefined && parts.size < MAX_TOPICS) parts.set(topic, { value, atMs: nowMs });
    const sum = [...parts.values()].reduce((total, part) => total + part.value, 0);
    return entry.field === "ev_connected" ? Math.min(1, sum) : Number(sum.toPrecision(12));
  }

  forget(siteId: string): void {
    this.#parts.delete(siteId);
  }
}

function childOf<Value>(parent: Map<string, Map<string, Value>>, key: string): Map<string, Value> {
  const child = parent.get(key) ?? new Map<string, Value>();
  parent.set(key, child);
  return child;
}
