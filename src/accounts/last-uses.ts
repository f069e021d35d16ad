import type { Bus } from "../core/bus.js";
import { errorMessage } from "../core/error-message.js";
import type { Log } from "../core/log.js";
import { namedNumbers } from "../core/net/json.js";
import type { DocumentArchive } from "../store/archive.js";

const DOCUMENT = "accounts.last_uses";
/** Interval of writing to disk; a crash loses at most the uses of this time. */
const SAVE_MS = 300_000;
/** Most keys and links whose last use is kept; the longest unused ones are forgotten. */
const KEPT = 5000;

interface LastUsesOptions {
  documents: DocumentArchive;
  bus: Bus;
  log: Pick<Log, "warn">;
}

/** When each API key (`Access.keyId`) and controller link (its id) was last used, in wall time. */
export class LastUses {
  readonly #options: LastUsesOptions;
  /** Unix milliseconds by id, the longest unused first. */
  readonly #uses = new Map<string, number>();
  #isSaved = true;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: LastUsesOptions) {
    this.#options = options;
  }

  /** Loads the stored uses. Throws StoreError. */
  async start(): Promise<void> {
    const stored = await this.#options.documents.get(DOCUMENT);
    for (const [id, ms] of namedNumbers(stored)) this.#uses.set(id, ms);
    this.#timer = setInterval(() => void this.#save(), SAVE_MS).unref();
  }

  stop(): Promise<void> {
    clearInterval(this.#timer);
    return this.#save();
  }

  /** Notes that a key or link of the site is used now. */
  note(siteId: string, id: string): void {
    this.#uses.delete(id);
    this.#uses.set(id, Date.now());
    if (this.#uses.size > KEPT) this.#uses.delete(this.#uses.keys().next().value!);
    this.#isSaved = false;
    this.#options.bus.emit("connection.used", { siteId });
  }

  /** Forgets that a key or link was used. */
  forget(id: string): void {
    this.#uses.delete(id);
  }

  of(id: string): Date | undefined {
    const ms = this.#uses.get(id);
    return ms === undefined ? undefined : new Date(ms);
  }

  async #save(): Promise<void> {
    if (this.#isSaved) return;
    this.#isSaved = true;
    try {
      await this.#options.documents.put(DOCUMENT, [...this.#uses]);
    } catch (error) {
      this.#isSaved = false;
      this.#options.log.warn({}, `The last uses of keys could not be stored: ${errorMessage(error)}`);
    }
  }
}
