import { TokenBucket } from "../broker/publish-rate.js";

/** Burst and long-term rate of answers per mapped topic. */
const BURST = 100;
const PER_SECOND = 1;
/** Topics that are tracked; the oldest are dropped first and start again with a full budget. */
const MAX_TOPICS = 2_000;

/**
 * Limits the answers to messages on mapped topics. Devices may publish a hundred times per second, and the answers use
 * the same queue as the outputs.
 */
export class AnswerBudget {
  readonly #budgets = new Map<string, { bucket: TokenBucket; unanswered: number }>();

  /** Undefined: do not answer. Otherwise the number of earlier messages without an answer. */
  take(topic: string, now: Date): number | undefined {
    const nowMs = now.getTime();
    const budget = this.#budgets.get(topic) ?? {
      bucket: new TokenBucket({ perSecond: PER_SECOND, burst: BURST }, nowMs),
      unanswered: 0,
    };
    this.#budgets.delete(topic);
    this.#budgets.set(topic, budget);
    if (this.#budgets.size > MAX_TOPICS) this.#budgets.delete(this.#budgets.keys().next().value!);
    const { unanswered } = budget;
    budget.unanswered = budget.bucket.level(nowMs) < 1 ? unanswered + 1 : 0;
    if (budget.unanswered > 0) return undefined;
    budget.bucket.take(1);
    return unanswered;
  }
}
