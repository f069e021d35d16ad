import { WhileConnected } from "./heartbeat.js";

const KEEPALIVE_MS = 30_000;
/** More systems than that are no home, but a client that makes names up. */
const MAX_SYSTEMS = 32;
const SYSTEM = /^N\/([A-Za-z0-9_-]{1,64})\//;
/** What a GX device shows without being asked: from it the id is learnt where a map leaves it open. */
const SERIAL = "N/+/system/0/Serial";

/**
 * Asks Victron's GX devices to go on publishing: they fall silent about a minute after the last `R/<id>/keepalive`. The
 * payload is empty, so that they send all values again: a state of charge that stands still stays fresh.
 */
export class VictronKeepalive {
  readonly #filters: () => readonly string[];
  readonly #learnt = new Set<string>();
  readonly #ticker: WhileConnected;

  constructor(options: { filters(): readonly string[]; send(topic: string, payload: string): void }) {
    this.#filters = options.filters;
    this.#ticker = new WhileConnected(KEEPALIVE_MS, () => {
      for (const id of this.#systems()) options.send(`R/${id}/keepalive`, "");
    });
  }

  /** What has to be subscribed to besides the maps. */
  extraFilters(): string[] {
    return this.#isOpen() ? [SERIAL] : [];
  }

  /** Takes the topic of each message. A system that is new is asked at once. */
  saw(topic: string): void {
    const id = SYSTEM.exec(topic)?.[1];
    if (id === undefined || !this.#isOpen() || this.#learnt.has(id) || this.#learnt.size >= MAX_SYSTEMS)
      return;
    this.#learnt.add(id);
    this.#ticker.connected();
  }

  connected(): void {
    this.#ticker.connected();
  }

  disconnected(): void {
    this.#ticker.disconnected();
  }

  #isOpen(): boolean {
    return this.#filters().some((filter) => filter.startsWith("N/+/"));
  }

  #systems(): Set<string> {
    const named = this.#filters().flatMap((filter) => SYSTEM.exec(filter)?.[1] ?? []);
    return new Set([...named, ...(this.#isOpen() ? this.#learnt : [])]);
  }
}
