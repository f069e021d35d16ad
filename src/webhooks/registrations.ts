import type { StateFile, StateView } from "../store/state.js";
import type { Clock } from "../time/clock.js";
import { WebhookInputError } from "./input-error.js";
import { newSecret } from "./signature.js";

/** Where a site's events go, and what they are signed with. */
export type WebhookRegistration = StateView["webhooks"][number];

/** The webhooks that are registered: one a site, both events with the same URL and secret. Lives in `state.json`. */
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

  /** Registers a URL that was checked; the secret stays where there is one. Throws StoreError. */
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

  /** Voids the secret and returns the one in its place. Throws WebhookInputError, StoreError. */
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
