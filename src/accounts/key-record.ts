import { randomUUID } from "node:crypto";
import type { Sites } from "../config/site.js";
import type { Key, State, StateView } from "../store/state-schema.js";
import { hashKey, keyPrefix, newKey } from "./keys.js";
import { OWNER_ID } from "./site-registry.js";

/** Number of revoked keys that are kept per site for its list; older ones are forgotten. */
const KEPT_REVOKED = 20;

/** A new key of the state's shard, or a given one, together with its stored record. */
export function newKeyOf(
  { shard }: StateView,
  {
    siteId,
    accountId,
    label,
    createdAt,
  }: { siteId: string; accountId: string; label: string; createdAt: string },
  key = newKey(shard),
): { key: string; record: Key } {
  const hash = hashKey(key);
  const ids = { id: randomUUID(), hash, prefix: keyPrefix(key) };
  return { key, record: { ...ids, label, siteId, accountId, createdAt, revokedAt: null } };
}

/**
 * Revokes the personal keys of a site: all active keys except those added on the command line. Keys of the owner whose
 * plant no longer exists belong to the first site (accounts.ts) and are included there. Returns their number.
 */
export function voidPersonalKeys(
  draft: State,
  siteId: string,
  { sites, now }: { sites: Sites; now: string },
) {
  const isFirst = sites.list()[0]?.id === siteId;
  let revoked = 0;
  for (const key of draft.keys) {
    const isStray = isFirst && key.accountId === OWNER_ID && sites.get(key.siteId) === undefined;
    if ((key.siteId !== siteId && !isStray) || key.revokedAt !== null || key.added === true) continue;
    key.revokedAt = now;
    revoked++;
  }
  forgetOldKeys(draft, siteId);
  return revoked;
}

/** Drops the revoked keys of a site beyond KEPT_REVOKED, oldest revocation first. */
function forgetOldKeys(draft: State, siteId: string): void {
  const revoked = draft.keys
    .filter((key) => key.siteId === siteId && key.revokedAt !== null)
    .sort((a, b) => (a.revokedAt! < b.revokedAt! ? 1 : a.revokedAt! > b.revokedAt! ? -1 : 0));
  const forgotten = new Set(revoked.slice(KEPT_REVOKED).map(({ id }) => id));
  draft.keys = draft.keys.filter(({ id }) => !forgotten.has(id));
}
