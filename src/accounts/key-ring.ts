import type { Key, State, StateFile } from "../store/state.js";
import type { Clock } from "../time/clock.js";
import { parseLabel } from "./credentials.js";
import { AccountInputError } from "./input-error.js";
import { newKeyOf, voidPersonalKeys } from "./key-record.js";
import type { Site, Sites } from "./sites.js";

/** A key as people see it; the key itself is nowhere. */
export interface KeyView {
  id: string;
  siteId: string;
  /** Its first characters, by which people tell keys apart. */
  prefix: string;
  label: string;
  createdAt: Date;
  revokedAt?: Date;
  /** Cap on decision calls an hour of this key alone. */
  hourlyLimit?: number;
  /** Added on the command line: a new key in the portal leaves it valid. */
  added: boolean;
}

/** The keys of the sites: shown once, replaced, added, revoked. */
export class KeyRing {
  readonly #state: StateFile;
  readonly #clock: Clock;
  readonly #sites: Sites;

  constructor({ state, clock, sites }: { state: StateFile; clock: Clock; sites: Sites }) {
    this.#state = state;
    this.#clock = clock;
    this.#sites = sites;
  }

  /** The keys of a site in order of their making, the revoked ones of late too. */
  list(siteId: string): KeyView[] {
    return this.#state.data.keys.filter((key) => key.siteId === siteId).map(viewOf);
  }

  /**
   * Makes a new key of a site and voids every other that was not added on the command line; `key` is in the answer and
   * nowhere else. Throws AccountInputError, StoreError.
   */
  async replace(siteId: string, label = ""): Promise<{ key: string; revoked: number }> {
    const { accountId } = this.#site(siteId);
    const text = parseLabel(label);
    return this.#state.update((draft) => {
      const now = this.#clock.now().toISOString();
      // A key of the configuration stays known as the last one applied, so that a restart does not bring it back.
      const revoked = voidPersonalKeys(draft, siteId, { sites: this.#sites, now });
      const { key, record } = newKeyOf({ siteId, accountId, label: text, createdAt: now });
      draft.keys.push(record);
      return { key, revoked };
    });
  }

  /** Adds a key beside those that are there. Throws AccountInputError, StoreError. */
  async add(siteId: string, { label = "" }: { label?: string } = {}): Promise<{ key: string; id: string }> {
    const { accountId } = this.#site(siteId);
    const text = parseLabel(label);
    return this.#state.update((draft) => {
      const createdAt = this.#clock.now().toISOString();
      const { key, record } = newKeyOf({ siteId, accountId, label: text, createdAt });
      draft.keys.push({ ...record, added: true });
      return { key, id: record.id };
    });
  }

  /**
   * Revokes the one active key that begins with `prefix` (or has it as its id), of one site or of all. Throws
   * AccountInputError when there is none or several, StoreError.
   */
  revoke(prefix: string, { siteId }: { siteId?: string } = {}): Promise<KeyView> {
    return this.#state.update((draft) => {
      const key = find(draft, prefix, siteId);
      key.revokedAt = this.#clock.now().toISOString();
      return viewOf(key);
    });
  }

  /** Sets or lifts the cap on decision calls an hour of one key. Throws AccountInputError, StoreError. */
  async setHourlyLimit(keyId: string, limit: number | undefined): Promise<void> {
    if (limit !== undefined && !(Number.isSafeInteger(limit) && limit >= 1)) {
      throw new AccountInputError(
        "hourly_limit",
        "invalid_limit",
        "The limit must be a whole number of calls an hour, 1 or more, or empty.",
      );
    }
    await this.#state.update((draft) => {
      const key = draft.keys.find(({ id }) => id === keyId);
      if (key === undefined) throw unknownKey("This key does not exist any more.");
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
  // Somebody may paste the whole key: its beginning is all that is known of it.
  const begin = active.filter((key) => key.prefix.startsWith(prefix) || prefix.startsWith(key.prefix));
  const found = exact.length > 0 ? exact : prefix === "" ? [] : begin;
  if (found.length > 1) {
    throw new AccountInputError(
      "prefix",
      "ambiguous_key",
      `${found.length} active keys begin with "${shown(prefix)}"; give more of its characters or its id.`,
    );
  }
  if (found[0] === undefined) throw unknownKey(`No active key begins with "${shown(prefix)}".`);
  return found[0];
}

/** No more of what may be a whole key than its known beginning. */
function shown(prefix: string): string {
  return prefix.length > 14 ? `${prefix.slice(0, 14)}…` : prefix;
}

function unknownKey(message: string): AccountInputError {
  return new AccountInputError("prefix", "unknown_key", message);
}

function viewOf(key: Readonly<Key>): KeyView {
  const { id, siteId, prefix, label, createdAt, revokedAt, hourlyLimit, added } = key;
  return {
    id,
    siteId,
    prefix,
    label,
    createdAt: new Date(createdAt),
    ...(revokedAt !== null && { revokedAt: new Date(revokedAt) }),
    ...(hourlyLimit !== undefined && { hourlyLimit }),
    added: added === true,
  };
}
