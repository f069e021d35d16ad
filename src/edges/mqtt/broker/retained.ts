import { setImmediate as nextTurn } from "node:timers/promises";
import type { BrokerBudgets } from "./budget.js";
import { isExpired, type Message, propertiesBytes } from "./message.js";

/** Memory that a retained message takes besides topic and payload, approximately. */
const OVERHEAD_BYTES = 400;
/** A subscription walks at most this many topics before other clients are served. */
const TOPICS_PER_TURN = 500;

interface Node {
  children: Map<string, Node>;
  topic?: string;
}

/**
 * The retained messages of the broker in memory. A stream from disk would show the state at the start of a subscription,
 * so a subscriber could get a new value first and the previous one as the retained value after it.
 */
export class RetainedMessages {
  readonly #budgets: BrokerBudgets;
  /** Topics of the gateway itself, which do not count. */
  readonly #isExempt: (topic: string) => boolean;
  /** Unix milliseconds. */
  readonly #now: () => number;
  readonly #messages = new Map<string, Message>();
  readonly #charges = new Map<string, { signIn: string; bytes: number }>();
  readonly #root: Node = { children: new Map() };

  constructor(
    budgets: BrokerBudgets,
    { isExempt, now }: { isExempt(topic: string): boolean; now(): number },
  ) {
    this.#budgets = budgets;
    this.#isExempt = isExempt;
    this.#now = now;
  }

  /** Reserves the budget for a message before it is stored; false, and reported, if there is none left. */
  reserve(signIn: string, message: Message): boolean {
    const { topic, payload } = message;
    if (this.#isExempt(topic)) return true;
    const before = this.#charges.get(topic);
    const size = payload.length + propertiesBytes(message) + 2 * topic.length + OVERHEAD_BYTES;
    const bytes = payload.length === 0 ? 0 : size;
    this.#release(topic);
    if (bytes === 0) return true;
    const fits = (["retained_messages", "retained_bytes"] as const).find(
      (resource) => !this.#budgets.fits(resource, signIn, resource === "retained_bytes" ? bytes : 1),
    );
    if (fits === undefined) {
      this.#charge(topic, signIn, bytes);
      return true;
    }
    this.#budgets.refuse(fits, signIn);
    if (before !== undefined) this.#charge(topic, before.signIn, before.bytes);
    return false;
  }

  /** The sign-in that the message is charged to. */
  ownerOf(topic: string): string {
    return this.#charges.get(topic)?.signIn ?? "";
  }

  /** The topics of the messages that are charged to the sign-in. */
  topicsOf(owner: string): string[] {
    return [...this.#charges].flatMap(([topic, { signIn }]) => (signIn === owner ? [topic] : []));
  }

  /** Stores a message; an empty payload removes it. */
  set(message: Message): void {
    const { topic, payload } = message;
    if (payload.length > 0) {
      if (!this.#messages.has(topic)) this.#insert(topic);
      this.#messages.set(topic, { ...message, retain: true });
      return;
    }
    if (this.#messages.delete(topic)) remove(this.#root, topic.split("/"));
    this.#release(topic);
  }

  /** The message that is retained now. */
  get(topic: string): Message | undefined {
    const message = this.#messages.get(topic);
    return message === undefined || isExpired(message, this.#now()) ? undefined : message;
  }

  /** Removes the messages whose time has passed; returns their topics. */
  expire(): string[] {
    const nowMs = this.#now();
    const expired = [...this.#messages.values()].filter((message) => isExpired(message, nowMs));
    for (const message of expired) this.set({ ...message, payload: Buffer.alloc(0) });
    return expired.map(({ topic }) => topic);
  }

  /** The payloads as text, by topic. */
  texts(): ReadonlyMap<string, string> {
    return new Map([...this.#messages.values()].map(({ topic, payload }) => [topic, payload.toString()]));
  }

  /** The topics with a retained message that the filters match, each once. */
  async *matching(filters: readonly string[]): AsyncGenerator<string> {
    const seen = new Set<string>();
    let walked = 0;
    for (const filter of filters) {
      for (const topic of matchingTopics(this.#root, filter.split("/"))) {
        walked++;
        if (walked % TOPICS_PER_TURN === 0) await nextTurn();
        if (seen.has(topic)) continue;
        seen.add(topic);
        yield topic;
      }
    }
  }

  #insert(topic: string): void {
    let node = this.#root;
    for (const level of topic.split("/")) {
      let next = node.children.get(level);
      if (next === undefined) {
        next = { children: new Map() };
        node.children.set(level, next);
      }
      node = next;
    }
    node.topic = topic;
  }

  #charge(topic: string, signIn: string, bytes: number): void {
    this.#charges.set(topic, { signIn, bytes });
    this.#budgets.add("retained_messages", signIn, 1);
    this.#budgets.add("retained_bytes", signIn, bytes);
  }

  #release(topic: string): void {
    const charge = this.#charges.get(topic);
    if (charge === undefined) return;
    this.#charges.delete(topic);
    this.#budgets.add("retained_messages", charge.signIn, -1);
    this.#budgets.add("retained_bytes", charge.signIn, -charge.bytes);
  }
}

/** Removes a topic and the nodes that only led to it. */
function remove(node: Node, levels: readonly string[]): void {
  const [level, ...rest] = levels;
  if (level === undefined) {
    delete node.topic;
    return;
  }
  const next = node.children.get(level);
  if (next === undefined) return;
  remove(next, rest);
  if (next.topic === undefined && next.children.size === 0) node.children.delete(level);
}

/** The topics below the node that the filter matches. A leading wildcard does not match `$` topics. */
function* matchingTopics(node: Node, filter: readonly string[], isRoot = true): Generator<string> {
  const [level, ...rest] = filter;
  if (level === undefined) {
    if (node.topic !== undefined) yield node.topic;
    return;
  }
  if (level === "#" && node.topic !== undefined) yield node.topic;
  if (level !== "#" && level !== "+") {
    const next = node.children.get(level);
    if (next !== undefined) yield* matchingTopics(next, rest, false);
    return;
  }
  for (const [name, next] of node.children)
    if (!(isRoot && name.startsWith("$"))) yield* matchingTopics(next, level === "#" ? filter : rest, false);
}
