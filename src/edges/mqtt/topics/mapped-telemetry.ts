import type { Site } from "../../../config/site.js";
import { FilterTree } from "../../../core/domain/filter-tree.js";
import { slotNumber } from "../../../core/domain/slot.js";
import { errorMessage } from "../../../core/error-message.js";
import type { Log } from "../../../core/log.js";
import type { Clock } from "../../../core/time/clock.js";
import { payloadReader, type TopicMapEntry, TopicMapError } from "../../../telemetry/topic-map.js";
import { AnswerBudget } from "./answer-budget.js";
import { PayloadError, readText } from "./payload.js";
import { TopicSums } from "./topic-sums.js";
import type { Topics } from "./topics.js";

/** The last message on a topic that a map of the plant matches. */
export interface SeenPayload {
  topic: string;
  /** The first 2 kB as text. */
  payload: string;
  at: Date;
}

export interface MappedTelemetryOptions {
  topics: Topics;
  clock: Clock;
  sites(): readonly Site[];
  telemetryMap(siteId: string): readonly TopicMapEntry[];
  /** Whether the administrator lets the plant read the topics; entries of other filters are ignored. */
  mayRead(siteId: string, filter: string): boolean;
  /** Resolves when the readings are on disk; throws PayloadError. */
  take(site: Site, readings: Record<string, unknown>): Promise<unknown>;
  /** Answers on the plant's `…/ack`. */
  acknowledge(siteId: string, topic: string, result: { ok: boolean; error?: string }): void;
  log: Log;
}

interface OwnedEntry {
  siteId: string;
  entry: TopicMapEntry;
}

/** The reading of an entry. Throws TopicMapError, PayloadError. */
type Read = (entry: TopicMapEntry) => number;

/** The approved entries are read again after this time, because the owner of a site may become an administrator. */
const REREAD_MS = 60_000;
const MAX_SEEN_TOPICS = 200;
const MAX_SEEN_BYTES = 2048;
/** Most sentences about entries in one answer. */
const MAX_PROBLEMS = 10;

/**
 * Telemetry from topics of other devices, by the maps of the plants. All entries of a plant that match a message make
 * one sample and one answer. The gateway's own topics are never mapped, which would create loops.
 */
export class MappedTelemetry {
  readonly #options: MappedTelemetryOptions;
  readonly #answers = new AnswerBudget();
  readonly #sums = new TopicSums();
  readonly #seen = new Map<string, Map<string, SeenPayload>>();
  /** The approved entries by their filters; undefined after a change. */
  #approvedTree: { tree: FilterTree<OwnedEntry>; readAtMs: number } | undefined;

  constructor(options: MappedTelemetryOptions) {
    this.#options = options;
  }

  /** Sites, maps or approvals have changed. */
  changed(): void {
    this.#approvedTree = undefined;
  }

  /** The approved filters of all maps, each once. */
  filters(): string[] {
    return [
      ...new Set(this.#options.sites().flatMap(({ id }) => this.#approved(id).map(({ topic }) => topic))),
    ];
  }

  /** Filters of maps that are ignored because they are not approved. */
  unapproved(): { siteId: string; filter: string }[] {
    const { sites, telemetryMap, mayRead } = this.#options;
    return sites().flatMap(({ id }) =>
      [...new Set(telemetryMap(id).map(({ topic }) => topic))]
        .filter((filter) => !mayRead(id, filter))
        .map((filter) => ({ siteId: id, filter })),
    );
  }

  /** The plants with an approved map that matches the topic. */
  mappedSites(topic: string): string[] {
    if (this.#options.topics.isOwn(topic)) return [];
    return [...this.#matching(topic).keys()];
  }

  /** The last payloads of the plant's mapped topics, newest first; of revoked approvals nothing is shown. */
  lastPayloads(siteId: string): SeenPayload[] {
    return [...(this.#seen.get(siteId)?.values() ?? [])]
      .filter(({ topic }) => this.#matching(topic).has(siteId))
      .reverse();
  }

  forget(siteId: string): void {
    this.#seen.delete(siteId);
    this.#sums.forget(siteId);
  }

  /** Resolves when the readings are stored; never rejects. Retained messages are outdated: they are only shown. */
  async handle(topic: string, payload: Buffer, retained: boolean): Promise<void> {
    if (this.#options.topics.isOwn(topic)) return;
    const matching = this.#matching(topic);
    if (matching.size === 0) return;
    const read = readerOf(payload);
    await Promise.all(
      this.#options.sites().map(async (site) => {
        const entries = matching.get(site.id);
        if (entries === undefined) return;
        this.#remember(site.id, topic, payload);
        if (retained) this.#addRetained(site, entries, topic, read);
        else await this.#takeFor(site, entries, topic, read);
      }),
    );
  }

  #approved(siteId: string): TopicMapEntry[] {
    const { telemetryMap, mayRead } = this.#options;
    return telemetryMap(siteId).filter(({ topic }) => mayRead(siteId, topic));
  }

  /** The approved entries that match the topic, by site: rows that are not approved cost nothing, however many there are. */
  #matching(topic: string): Map<string, TopicMapEntry[]> {
    const bySite = new Map<string, TopicMapEntry[]>();
    for (const { siteId, entry } of this.#tree().match(topic)) {
      if (!this.#options.mayRead(siteId, entry.topic)) continue;
      const entries = bySite.get(siteId) ?? [];
      entries.push(entry);
      bySite.set(siteId, entries);
    }
    return bySite;
  }

  #tree(): FilterTree<OwnedEntry> {
    const nowMs = this.#options.clock.now().getTime();
    const before = this.#approvedTree;
    if (before !== undefined && Math.abs(nowMs - before.readAtMs) < REREAD_MS) return before.tree;
    const tree = new FilterTree<OwnedEntry>();
    for (const { id: siteId } of this.#options.sites())
      for (const [index, entry] of this.#approved(siteId).entries())
        tree.set(entry.topic, `${siteId} ${index}`, { siteId, entry });
    this.#approvedTree = { tree, readAtMs: nowMs };
    return tree;
  }

  async #takeFor(site: Site, entries: TopicMapEntry[], topic: string, read: Read): Promise<void> {
    const problems: string[] = [];
    const readings: Record<string, unknown> = {};
    const batteries = new Map<string, Record<string, number>>();
    try {
      for (const entry of entries) {
        try {
          const value = this.#valueOf(site, entry, topic, read);
          if (entry.battery != null) {
            const own = batteries.get(entry.battery) ?? {};
            batteries.set(entry.battery, { ...own, [entry.field]: value });
            continue;
          }
          const slot = slotNumber(entry.slot);
          readings[slot === undefined ? entry.field : `slot_${slot}_${entry.field}`] = value;
        } catch (error) {
          if (!(error instanceof TopicMapError)) throw error;
          problems.push(error.message);
        }
      }
      if (batteries.size > 0) readings.batteries = Object.fromEntries(batteries);
      if (Object.keys(readings).length > 0) await this.#options.take(site, readings);
    } catch (error) {
      if (!(error instanceof PayloadError))
        this.#options.log.error({ topic, err: error }, "A message of a mapped topic could not be handled.");
      problems.push(errorMessage(error));
    }
    const unanswered = this.#answers.take(`${site.id} ${topic}`, this.#options.clock.now());
    if (unanswered === undefined) return;
    if (problems.length === 0) {
      this.#options.acknowledge(site.id, topic, { ok: true });
      return;
    }
    const left = problems.length - MAX_PROBLEMS;
    const others = left > 0 ? ` ${left} further readings could not be used.` : "";
    const more =
      unanswered === 0 ? "" : ` ${unanswered} earlier messages got no answer because they came too fast.`;
    this.#options.acknowledge(site.id, topic, {
      ok: false,
      error: `${problems.slice(0, MAX_PROBLEMS).join(" ")}${others}${more}`,
    });
  }

  #valueOf(site: Site, entry: TopicMapEntry, topic: string, read: Read): number {
    if (entry.sum !== true) return read(entry);
    const part = { siteId: site.id, entry, topic };
    const nowMs = this.#options.clock.now().getTime();
    try {
      return this.#sums.add(part, read(entry), nowMs);
    } catch (error) {
      this.#sums.add(part, undefined, nowMs);
      throw error;
    }
  }

  /** A retained message is no reading, but a part of a sum that the next message of another topic completes. */
  #addRetained(site: Site, entries: readonly TopicMapEntry[], topic: string, read: Read): void {
    for (const entry of entries) {
      if (entry.sum !== true) continue;
      try {
        this.#valueOf(site, entry, topic, read);
      } catch (error) {
        if (!(error instanceof TopicMapError || error instanceof PayloadError)) throw error;
      }
    }
  }

  #remember(siteId: string, topic: string, payload: Buffer): void {
    const seen = this.#seen.get(siteId) ?? new Map<string, SeenPayload>();
    this.#seen.set(siteId, seen);
    // Moved to the end: the order is that of the last messages.
    seen.delete(topic);
    const text = payload.subarray(0, MAX_SEEN_BYTES).toString("utf8");
    seen.set(topic, { topic, payload: text, at: this.#options.clock.now() });
    if (seen.size > MAX_SEEN_TOPICS) seen.delete(seen.keys().next().value!);
  }
}

/** Decodes and parses a payload once for all entries of all sites. */
function readerOf(payload: Buffer): Read {
  let reader: Read | undefined;
  return (entry) => {
    reader ??= openReader(payload);
    return reader(entry);
  };
}

function openReader(payload: Buffer): Read {
  try {
    return payloadReader(readText(payload));
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
