import { randomBytes } from "node:crypto";
import type { DeviceSettings } from "../../config/settings.js";
import type { Facts } from "../../equipment/reading/facts-settings.js";

/** What a device is read for: roles without the number of a slot. */
export interface ChosenReads {
  reads: readonly string[];
  isFallback: boolean;
}

/** A device that is looked at before it is saved. */
export interface DeviceDraft {
  accountId: string;
  siteId: string;
  settings: DeviceSettings;
  /** It takes the place of the device with this id; undefined: it is new. */
  replaces: string | undefined;
  /** The page that follows. */
  back: string;
  /** The flexible device that it is: the number of a slot, or the kind of a new one. */
  slot?: string | undefined;
  /** What it is read for, and whether only as a fallback; undefined: what nothing else gives. */
  chosen?: ChosenReads | undefined;
  /** What the device said last: roles that it does not have, and its facts. */
  absent?: readonly string[];
  facts?: Facts;
}

const LIFETIME_MS = 30 * 60_000;
/** Of all accounts. */
const MOST = 200;

/** Devices between their form and the confirmation: their passwords are in no page. */
export class DeviceDrafts {
  readonly #drafts = new Map<string, { draft: DeviceDraft; endsAtMs: number }>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number = Date.now) {
    this.#nowMs = nowMs;
  }

  /** Keeps a draft; the token is for its address. */
  put(draft: DeviceDraft, token = randomBytes(12).toString("base64url")): string {
    this.#drafts.delete(token);
    this.#drafts.set(token, { draft, endsAtMs: this.#nowMs() + LIFETIME_MS });
    for (const [old, { endsAtMs }] of this.#drafts)
      if (endsAtMs < this.#nowMs() || this.#drafts.size > MOST) this.#drafts.delete(old);
    return token;
  }

  /** The draft of an account for a site. */
  get(token: string, of: Pick<DeviceDraft, "accountId" | "siteId">): DeviceDraft | undefined {
    const kept = this.#drafts.get(token);
    if (kept === undefined || kept.endsAtMs < this.#nowMs()) return undefined;
    const { draft } = kept;
    return draft.accountId === of.accountId && draft.siteId === of.siteId ? draft : undefined;
  }

  remove(token: string): void {
    this.#drafts.delete(token);
  }
}
