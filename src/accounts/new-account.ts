import { randomUUID } from "node:crypto";
import type { Language } from "../core/language.js";
import type { Clock } from "../core/time/clock.js";
import type { StateFile } from "../store/state.js";
import type { State } from "../store/state-schema.js";
import { normalizeEmail } from "./credentials.js";
import { accountExists } from "./input-error.js";
import { newKeyOf } from "./key-record.js";
import type { SiteRegistry } from "./site-registry.js";

export interface NewAccount {
  accountId: string;
  siteId: string;
  /** Not stored in plain text. */
  key: string;
}

/**
 * Creates a community account with its first site (without a label) and that site's key. `alongside` changes the state in
 * the same update. The e-mail and the hash must have been checked.
 *
 * The site is created first, so that an account always has one. If the process is killed in between, the site has no
 * account and `removeOrphanedSites` removes it. Throws AccountInputError, StoreError.
 */
export async function makeAccount(
  { state, clock, sites }: { state: StateFile; clock: Clock; sites: SiteRegistry },
  account: { email: string; passwordHash: string; language: Language },
  alongside: (draft: State) => void = () => {},
): Promise<NewAccount> {
  const accountId = randomUUID();
  const { id: siteId } = await sites.add(accountId, { label: "", customerRef: "" });
  try {
    return await state.update((draft) => {
      if (draft.accounts.some(({ email }) => normalizeEmail(email) === account.email)) {
        throw accountExists(account.email);
      }
      alongside(draft);
      const createdAt = clock.now().toISOString();
      draft.accounts.push({
        id: accountId,
        plan: "community",
        administrator: false,
        createdAt,
        ...account,
      });
      const { key, record } = newKeyOf(draft, { siteId, accountId, label: "", createdAt });
      draft.keys.push(record);
      return { accountId, siteId, key };
    });
  } catch (error) {
    // The first error is reported; if the removal fails too, the next start removes the site.
    await sites.remove(siteId).catch(() => {});
    throw error;
  }
}

/** Removes the sites whose account does not exist. Throws StoreError. */
export async function removeOrphanedSites(state: StateFile, sites: SiteRegistry): Promise<void> {
  const known = new Set(state.data.accounts.map(({ id }) => id));
  for (const { id, accountId } of sites.list()) {
    if (!known.has(accountId) && !sites.isConfigured(id)) await sites.remove(id);
  }
}
