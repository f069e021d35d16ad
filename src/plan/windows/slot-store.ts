import type { Log } from "../../core/log.js";
import { type DocumentArchive, restored } from "../../store/archive.js";
import { type KeptSlot, slotsFromJson, slotsToJson } from "./slot-schedule.js";

export interface SlotStoreOptions {
  siteId: string;
  documents: DocumentArchive;
  /** The slots to store, read when the write begins. */
  slots: () => readonly KeptSlot[];
  log: Log;
}

/** Stores the slots of one site. Writes never overlap; changes during a write are part of the next one. */
export class SlotStore {
  readonly #options: SlotStoreOptions;
  /** The write that will contain the current state; undefined if the write in progress contains it. */
  #next: Promise<void> | undefined;
  #last: Promise<void> = Promise.resolve();

  constructor(options: SlotStoreOptions) {
    this.#options = options;
  }

  /** The stored slots; none if they cannot be read. */
  load(): Promise<KeptSlot[]> {
    const { documents, siteId, log } = this.#options;
    const warning = "The last requests of the slots could not be read; their settings apply.";
    return restored(documents, nameOf(siteId), slotsFromJson, { log, site: siteId, warning });
  }

  /** Stores the current state; resolves when it is on disk. Throws StoreError. */
  save(): Promise<void> {
    this.#next ??= this.#last
      .catch(() => {})
      .then(() => {
        this.#next = undefined;
        return this.#write();
      });
    this.#last = this.#next;
    return this.#next;
  }

  /** Resolves when the states of earlier `save` calls are on disk; a failed write is repeated. Throws StoreError. */
  saved(): Promise<void> {
    return this.#last.catch(() => this.save());
  }

  /** Resolves when no write is in progress. */
  async idle(): Promise<void> {
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
