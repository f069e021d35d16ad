import type { Clock } from "../../core/time/clock.js";
import type { StateFile } from "../../store/state.js";
import type { StateView } from "../../store/state-schema.js";
import { WebhookInputError } from "./input-error.js";
import { newSecret } from "./signature.js";

/** URL and signing secret of a site's webhook. */
export type WebhookRegistration = StateView["webhooks"][number];

/** The registered webhooks, one per site for both events. Stored in `state.json`. */
export class WebhookRegistry {
  readonly #state: StateFile;
  readonly #clock: Clock;

  constructor(state: StateFile, clock: Clock) {
    this.#state = state;
    this.#clock = clock;
  }

  list(): readonly WebhookRegistration[] {
    return this.#state.data.webhooks;
  }

  get(siteId: string): WebhookRegistration | undefined {
    return this.list().find((one) => one.siteId === siteId);
  }

  /** Registers a checked URL; an existing secret is kept. Throws StoreError. */
  put(siteId: string, url: string): Promise<{ secret: string; isNewUrl: boolean }> {
    return this.#state.update((draft) => {
      const held = draft.webhooks.find((one) => one.siteId === siteId);
      if (held !== undefined) {
        const isNewUrl = held.url !== url;
        held.url = url;
        return { secret: held.secret, isNewUrl };
      }
      const secret = newSecret();
      draft.webhooks.push({ siteId, url, secret, createdAt: this.#clock.now().toISOString() });
      return { secret, isNewUrl: true };
    });
  }

  /** Replaces the secret. Throws WebhookInputError, StoreError. */
  rotate(siteId: string): Promise<{ secret: string }> {
    return this.#state.update((draft) => {
      const held = draft.webhooks.find((one) => one.siteId === siteId);
      if (held === undefined) throw notRegistered(siteId);
      held.secret = newSecret();
      return { secret: held.secret };
    });
  }

  /** Throws StoreError. */
  async remove(siteId: string): Promise<void> {
    if (this.get(siteId) === undefined) return;
    await this.#state.update((draft) => {
      draft.webhooks = draft.webhooks.filter((one) => one.siteId !== siteId);
    });
  }
}

/** The error of a site without a webhook. */
export function notRegistered(siteId: string): WebhookInputError {
  return new WebhookInputError(
    "not_registered",
    `The site "${siteId}" has no webhook; register the receiver's URL first.`,
  );
}
