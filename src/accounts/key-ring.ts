import type { Site, Sites } from "../config/site.js";
import type { Clock } from "../core/time/clock.js";
import type { StateFile } from "../store/state.js";
import type { Key, State } from "../store/state-schema.js";
import { parseLabel } from "./credentials.js";
import { AccountInputError } from "./input-error.js";
import { newKeyOf, voidPersonalKeys } from "./key-record.js";
import { accessIdOf } from "./keys.js";

/** The public view of a key; it does not hold the key itself. */
export interface KeyView {
  id: string;
  siteId: string;
  /** Its first characters, which identify it in lists. */
  prefix: string;
  label: string;
  createdAt: Date;
  revokedAt?: Date;
  /** Limit on decision calls per hour for this key alone. */
  hourlyLimit?: number;
  /** `keyId` of the `Access` that the key grants. */
  accessId: string;
  /** Added on the command line or for a connection: replacing the key in the portal does not revoke it. */
  added: boolean;
}

/** Creates, replaces and revokes the API keys of sites. */
export class KeyRing {
  readonly #state: StateFile;
  readonly #clock: Clock;
  readonly #sites: Sites;

  constructor({ state, clock, sites }: { state: StateFile; clock: Clock; sites: Sites }) {
    this.#state = state;
    this.#clock = clock;
    this.#sites = sites;
  }

  /** The keys of a site in order of creation, including recently revoked ones. */
  list(siteId: string): KeyView[] {
    return this.#state.data.keys.filter((key) => key.siteId === siteId).map(viewOf);
  }

  /**
   * Creates a new key for a site and revokes every other key that was not added with `add`. Only the returned
   * value holds the key in plain text. Throws AccountInputError, StoreError.
   */
  async replace(siteId: string, label = ""): Promise<{ key: string; revoked: number }> {
    const { accountId } = this.#site(siteId);
    const text = parseLabel(label);
    return this.#state.update((draft) => {
      const now = this.#clock.now().toISOString();
      // A configured key stays recorded as the last one applied, so that a restart does not reactivate it.
      const revoked = voidPersonalKeys(draft, siteId, { sites: this.#sites, now });
      const { key, record } = newKeyOf(draft, { siteId, accountId, label: text, createdAt: now });
      draft.keys.push(record);
      return { key, revoked };
    });
  }

  /** Adds a key without revoking others. Throws AccountInputError, StoreError. */
  async add(siteId: string, { label = "" }: { label?: string } = {}): Promise<{ key: string; id: string }> {
    const { accountId } = this.#site(siteId);
    const text = parseLabel(label);
    return this.#state.update((draft) => {
      const createdAt = this.#clock.now().toISOString();
      const { key, record } = newKeyOf(draft, { siteId, accountId, label: text, createdAt });
      draft.keys.push({ ...record, added: true });
      return { key, id: record.id };
    });
  }

  /**
   * Revokes the one active key of a site (or of all sites) whose prefix or id is `prefix`. Throws AccountInputError for none
   * or several matches, StoreError.
   */
  revoke(prefix: string, { siteId }: { siteId?: string } = {}): Promise<KeyView> {
    return this.#state.update((draft) => {
      const key = find(draft, prefix, siteId);
      key.revokedAt = this.#clock.now().toISOString();
      return viewOf(key);
    });
  }

  /** Sets or removes the limit on decision calls per hour of one key. Throws AccountInputError, StoreError. */
  async setHourlyLimit(keyId: string, limit: number | undefined): Promise<void> {
    if (limit !== undefined && !(Number.isSafeInteger(limit) && limit >= 1)) {
      throw new AccountInputError(
        "hourly_limit",
        "invalid_limit",
        "The limit must be empty or a whole number of calls per hour, 1 or more.",
      );
    }
    await this.#state.update((draft) => {
      const key = draft.keys.find(({ id }) => id === keyId);
      if (key === undefined) throw unknownKey("This key no longer exists.");
      if (limit === undefined) delete key.hourlyLimit;
      else key.hourlyLimit = limit;
    });
  }

  #site(siteId: string): Site {
    const site = this.#sites.get(siteId);
    if (site === undefined)
      throw new AccountInputError("site", "unknown_site", `There is no site "${siteId}".`);
    return site;
  }
}

function find(draft: State, prefix: string, siteId: string | undefined): Key {
  const active = draft.keys.filter(
    (key) => key.revokedAt === null && (siteId === undefined || key.siteId === siteId),
  );
  const exact = active.filter(({ id }) => id === prefix);
  // The whole key may have been pasted, but only its prefix is stored.
  const matching = active.filter((key) => key.prefix.startsWith(prefix) || prefix.startsWith(key.prefix));
  const found = exact.length > 0 ? exact : prefix === "" ? [] : matching;
  if (found.length > 1) {
    throw new AccountInputError(
      "prefix",
      "ambiguous_key",
      `${found.length} active keys start with "${shown(prefix)}"; give more characters or the key's id.`,
    );
  }
  if (found[0] === undefined) throw unknownKey(`No active key starts with "${shown(prefix)}".`);
  return found[0];
}

/** Cuts a text that may be a whole key to the length of a prefix. */
function shown(prefix: string): string {
  return prefix.length > 14 ? `${prefix.slice(0, 14)}…` : prefix;
}

function unknownKey(message: string): AccountInputError {
  return new AccountInputError("prefix", "unknown_key", message);
}

function viewOf(key: Readonly<Key>): KeyView {
  const { id, siteId, hash, prefix, label, createdAt, revokedAt, hourlyLimit, added } = key;
  return {
    id,
    siteId,
    accessId: accessIdOf(hash),
    prefix,
    label,
    createdAt: new Date(createdAt),
    ...(revokedAt !== null && { revokedAt: new Date(revokedAt) }),
    ...(hourlyLimit !== undefined && { hourlyLimit }),
    added: added === true,
  };
}
