import type { Log } from "../log.js";
import type { DocumentArchive } from "../store/archive.js";
import { type KeptSlot, slotsFromJson, slotsToJson } from "./slot-schedule.js";

export interface SlotStoreOptions {
  siteId: string;
  documents: DocumentArchive;
  /** What is to be kept, as it is when the write begins. */
  slots: () => readonly KeptSlot[];
  log: Log;
}

/** The slots of one site on disk. Writes never overlap, and what comes while one is on its way goes with the next. */
export class SlotStore {
  readonly #options: SlotStoreOptions;
  /** The write that will hold what is in memory now; undefined when all of it is on its way. */
  #next: Promise<void> | undefined;
  #last: Promise<void> = Promise.resolve();

  constructor(options: SlotStoreOptions) {
    this.#options = options;
  }

  /** What was kept; nothing where it can't be read. */
  async load(): Promise<KeptSlot[]> {
    const { documents, siteId, log } = this.#options;
    try {
      return slotsFromJson(await documents.get(nameOf(siteId)));
    } catch (error) {
      const sentence = "The last requests of the slots could not be read; their settings hold.";
      log.warn({ site: siteId, err: error }, sentence);
      return [];
    }
  }

  /** Resolves when what is in memory now is on disk. Throws StoreError. */
  keep(): Promise<void> {
    this.#next ??= this.#last
      .catch(() => {})
      .then(() => {
        this.#next = undefined;
        return this.#write();
      });
    this.#last = this.#next;
    return this.#next;
  }

  /** Resolves when what was given to `keep` before is on disk; what failed then is tried again. Throws StoreError. */
  kept(): Promise<void> {
    return this.#last.catch(() => this.keep());
  }

  /** Resolves when nothing is on its way any more. */
  async settled(): Promise<void> {
    await this.#last.catch(() => {});
  }

  async #write(): Promise<void> {
    const { documents, siteId, slots, log } = this.#options;
    try {
      await documents.put(nameOf(siteId), slotsToJson(slots()));
    } catch (error) {
      log.error({ site: siteId, err: error }, "The slots could not be written to disk.");
      throw error;
    }
  }
}

function nameOf(siteId: string): string {
  return `flex/${siteId}`;
}
