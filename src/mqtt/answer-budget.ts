/** Answers in one go, and per second in the long run, that one foreign topic may cause. */
const BURST = 100;
const PER_SECOND = 1;
/** Topics whose count is kept; a topic that comes back after it was dropped starts with a full budget. */
const MAX_TOPICS = 2_000;

interface Budget {
  left: number;
  atMs: number;
  unanswered: number;
}

/**
 * How many messages of a foreign topic are answered. A device that knows nothing of the gateway may publish a hundred
 * times a second; the answers to that must not hold up the outputs, which leave through the same line.
 */
export class AnswerBudget {
  readonly #budgets = new Map<string, Budget>();

  /** Undefined: give no answer. Else how many messages before this one got none. */
  take(topic: string, now: Date): number | undefined {
    const nowMs = now.getTime();
    const before = this.#budgets.get(topic) ?? { left: BURST, atMs: nowMs, unanswered: 0 };
    // A clock that was set back must not stop the answers.
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
