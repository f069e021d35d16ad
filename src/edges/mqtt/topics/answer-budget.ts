/** Burst and long-term rate of answers per mapped topic. */
const BURST = 100;
const PER_SECOND = 1;
/** Topics that are tracked; the oldest are dropped first and start again with a full budget. */
const MAX_TOPICS = 2_000;

interface Budget {
  left: number;
  atMs: number;
  unanswered: number;
}

/**
 * Limits the answers to messages on mapped topics. Devices may publish a hundred times per second, and the answers use
 * the same queue as the outputs.
 */
export class AnswerBudget {
  readonly #budgets = new Map<string, Budget>();

  /** Undefined: do not answer. Otherwise the number of earlier messages without an answer. */
  take(topic: string, now: Date): number | undefined {
    const nowMs = now.getTime();
    const before = this.#budgets.get(topic) ?? { left: BURST, atMs: nowMs, unanswered: 0 };
    // The clock may be set back.
    const seconds = Math.max(0, (nowMs - before.atMs) / 1000);
    const left = Math.min(BURST, before.left + seconds * PER_SECOND);
    const isAnswered = left >= 1;
    this.#budgets.delete(topic);
    this.#budgets.set(topic, {
      left: isAnswered ? left - 1 : left,
      atMs: nowMs,
      unanswered: isAnswered ? 0 : before.unanswered + 1,
    });
    if (this.#budgets.size > MAX_TOPICS) this.#budgets.delete(this.#budgets.keys().next().value!);
    return isAnswered ? before.unanswered : undefined;
  }
}
