/** Longest shown part of an id, a user name or a topic, characters. */
const LONGEST = 80;

/** A client of the embedded broker as pages show it; times are wall time. */
export interface MqttClientView {
  /** As the client gave it. */
  clientId: string;
  user: string;
  /** `Access.keyId` of its API key; undefined for a configured user. */
  keyId: string | undefined;
  isConnected: boolean;
  connectedAt: Date;
  last: { topic: string; at: Date } | undefined;
  /** The last publish if it was refused. */
  refusedTopic: string | undefined;
  /** The first subscription of this connection that was refused. */
  refusedFilter: string | undefined;
  /** Protocol level of a client that was refused because of it; its id is the address. */
  refusedLevel: number | undefined;
  /** First levels of the topics that it has published to. */
  roots: readonly string[];
}

/** What is not known of a client. */
export const UNSEEN = {
  keyId: undefined,
  last: undefined,
  refusedTopic: undefined,
  refusedFilter: undefined,
  refusedLevel: undefined,
} as const;

export function shortened(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

interface Entry extends Omit<MqttClientView, "roots"> {
  plant: string;
  roots: Set<string>;
}

/** Disconnected clients that are remembered, and distinct first levels of one client. */
const KEPT_GONE = 100;
const KEPT_ROOTS = 8;

/** Which clients are and were connected, and what they sent last. In memory only. */
export class ClientList {
  readonly #onActivity: (plant: string, keyId: string | undefined) => void;
  /** By the scoped client id, the longest inactive first. */
  readonly #entries = new Map<string, Entry>();

  constructor(onActivity: (plant: string, keyId: string | undefined) => void) {
    this.#onActivity = onActivity;
  }

  of(plant: string): MqttClientView[] {
    return [...this.#entries.values()]
      .filter((entry) => entry.plant === plant)
      .map(({ plant: _, roots, ...entry }) => ({ ...entry, roots: [...roots] }));
  }

  connected(
    id: string,
    { plant, user, keyId }: { plant: string; user: string; keyId: string | undefined },
  ): void {
    const before = this.#entries.get(id);
    this.#entries.delete(id);
    this.#entries.set(id, {
      ...UNSEEN,
      plant,
      clientId: shortened(id.slice(id.indexOf(":") + 1)),
      user: shortened(user),
      keyId,
      isConnected: true,
      connectedAt: new Date(),
      roots: before?.roots ?? new Set(),
    });
    this.#onActivity(plant, keyId);
  }

  published(id: string, topic: string, isRefused: boolean): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    const shown = shortened(topic);
    entry.last = { topic: shown, at: new Date() };
    entry.refusedTopic = isRefused ? shown : undefined;
    if (entry.roots.size < KEPT_ROOTS) entry.roots.add(shown.split("/", 1)[0]!);
    this.#onActivity(entry.plant, entry.keyId);
  }

  subscriptionRefused(id: string, filter: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    entry.refusedFilter ??= shortened(filter);
    this.#onActivity(entry.plant, entry.keyId);
  }

  disconnected(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    entry.isConnected = false;
    // Moved to the end, so that the longest absent one is the first to be forgotten.
    this.#entries.delete(id);
    this.#entries.set(id, entry);
    const gone = [...this.#entries].filter(([, { isConnected }]) => !isConnected);
    for (const [other] of gone.slice(0, Math.max(0, gone.length - KEPT_GONE))) this.#entries.delete(other);
    this.#onActivity(entry.plant, undefined);
  }

  forget(plant: string): void {
    for (const [id, entry] of this.#entries) if (entry.plant === plant) this.#entries.delete(id);
  }
}
