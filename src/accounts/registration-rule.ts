import type { Log } from "../core/log.js";
import type { DocumentArchive } from "../store/archive.js";

/** The value of `accounts.registration`. */
export type RegistrationSetting = "auto" | "open" | "closed";

/** Document with what `auto` means for this installation. */
const DOCUMENT = "accounts.registration";

export interface RegistrationRuleOptions {
  setting: RegistrationSetting;
  /** A fleet serves many households. */
  isFleet: boolean;
  accountCount(): number;
  documents: Pick<DocumentArchive, "get" | "put">;
  log: Pick<Log, "warn">;
}

/**
 * Whether everybody who reaches the portal may register. `auto`: closed, except in a fleet and in an installation that had
 * several accounts when this was first decided, so that an update changes nothing for them. A later invitation does not
 * open it.
 */
export class RegistrationRule {
  readonly #options: RegistrationRuleOptions;
  #isOpen: boolean;

  constructor(options: RegistrationRuleOptions) {
    this.#options = options;
    this.#isOpen = options.setting === "open" || (options.setting === "auto" && options.isFleet);
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Decides what `auto` means, once. Never rejects. */
  async start(): Promise<void> {
    const { setting, isFleet, accountCount, documents, log } = this.#options;
    if (setting !== "auto" || isFleet) return;
    try {
      const stored = await documents.get(DOCUMENT);
      this.#isOpen = stored === undefined ? accountCount() > 1 : stored === "open";
      if (stored === undefined) await documents.put(DOCUMENT, this.#isOpen ? "open" : "closed");
    } catch (error) {
      log.warn(
        { err: error },
        "Whether registration is open could not be stored; it is decided again at the next start.",
      );
    }
  }
}
