import type { Site } from "../accounts/sites.js";
import type { Log } from "../log.js";
import { payloadReader, type TopicMapEntry, TopicMapError } from "../telemetry/topic-map.js";
import type { Clock } from "../time/clock.js";
import { AnswerBudget } from "./answer-budget.js";
import { PayloadError, readText } from "./payload.js";
import { filterMatches, type Topics } from "./topics.js";

/** The last message of a topic that a map of the plant matches. */
export interface SeenPayload {
  topic: string;
  /** Its beginning, at most 2 kB, as text. */
  payload: string;
  at: Date;
}

export interface MappedTelemetryOptions {
  topics: Topics;
  clock: Clock;
  sites(): readonly Site[];
  telemetryMap(siteId: string): readonly TopicMapEntry[];
  /** Resolves when the readings are on disk; throws PayloadError. */
  take(site: Site, readings: Record<string, number>): Promise<unknown>;
  /** Answers on the plant's `…/ack`. */
  acknowledge(siteId: string, topic: string, result: { ok: boolean; error?: string }): void;
  log: Log;
}

const MAX_LEARNT_TOPICS = 200;
const MAX_LEARNT_BYTES = 2048;

/**
 * Telemetry from topics of other devices, by the maps of the plants. All entries of a plant that match one message make
 * one sample and one answer. What the gateway itself publishes is never taken: its answers would answer themselves.
 */
export class MappedTelemetry {
  readonly #options: MappedTelemetryOptions;
  readonly #answers = new AnswerBudget();
  readonly #learnt = new Map<string, Map<string, SeenPayload>>();

  constructor(options: MappedTelemetryOptions) {
    this.#options = options;
  }

  /** The filters of all maps, each once. */
  filters(): string[] {
    const { sites, telemetryMap } = this.#options;
    return [...new Set(sites().flatMap(({ id }) => telemetryMap(id).map(({ topic }) => topic)))];
  }

  /** Whether a map of the plant matches the topic. */
  isMapped(topic: string, plant: string): boolean {
    return this.mappedSites(topic).includes(plant);
  }

  /** The plants with a map that matches the topic. */
  mappedSites(topic: string): string[] {
    if (this.#options.topics.isOwn(topic)) return [];
    return this.#options.sites().flatMap(({ id }) => (this.#entries(id, topic).length > 0 ? [id] : []));
  }

  /** The last payloads of the plant's mapped topics, the newest first. */
  lastPayloads(siteId: string): SeenPayload[] {
    return [...(this.#learnt.get(siteId)?.values() ?? [])].reverse();
  }

  forget(siteId: string): void {
    this.#learnt.delete(siteId);
  }

  /** Resolves, always, when what the message gives is on disk. A retained one says nothing about now: it is only shown. */
  async handle(topic: string, payload: Buffer, retained: boolean): Promise<void> {
    if (this.#options.topics.isOwn(topic)) return;
    await Promise.all(
      this.#options.sites().map(async (site) => {
        const entries = this.#entries(site.id, topic);
        if (entries.length === 0) return;
        this.#learn(site.id, topic, payload);
        if (!retained) await this.#takeFor(site, entries, topic, payload);
      }),
    );
  }

  #entries(siteId: string, topic: string): TopicMapEntry[] {
    return this.#options.telemetryMap(siteId).filter((entry) => filterMatches(entry.topic, topic));
  }

  async #takeFor(site: Site, entries: TopicMapEntry[], topic: string, payload: Buffer): Promise<void> {
    const problems: string[] = [];
    const readings: Record<string, number> = {};
    try {
      const read = payloadReader(readText(payload));
      for (const entry of entries) {
        try {
          readings[entry.field] = read(entry);
        } catch (error) {
          if (!(error instanceof TopicMapError)) throw error;
          problems.push(error.message);
        }
      }
      if (Object.keys(readings).length > 0) await this.#options.take(site, readings);
    } catch (error) {
      if (!(error instanceof PayloadError))
        this.#options.log.error({ topic, err: error }, "A message of a mapped topic could not be handled.");
      problems.push((error as Error).message);
    }
    const unanswered = this.#answers.take(`${site.id} ${topic}`, this.#options.clock.now());
    if (unanswered === undefined) return;
    if (problems.length === 0) {
      this.#options.acknowledge(site.id, topic, { ok: true });
      return;
    }
    const more =
      unanswered === 0 ? "" : ` ${unanswered} messages before it got no answer: they come too fast.`;
    this.#options.acknowledge(site.id, topic, { ok: false, error: `${problems.join(" ")}${more}` });
  }

  #learn(siteId: string, topic: string, payload: Buffer): void {
    const learnt = this.#learnt.get(siteId) ?? new Map<string, SeenPayload>();
    this.#learnt.set(siteId, learnt);
    // Back to the end: the order is that of the last messages.
    learnt.delete(topic);
    const text = payload.subarray(0, MAX_LEARNT_BYTES).toString("utf8");
    learnt.set(topic, { topic, payload: text, at: this.#options.clock.now() });
    if (learnt.size > MAX_LEARNT_TOPICS) learnt.delete(learnt.keys().next().value!);
  }
}
