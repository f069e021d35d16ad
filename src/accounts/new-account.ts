import { randomUUID } from "node:crypto";
import type { Language } from "../language.js";
import type { State, StateFile } from "../store/state.js";
import type { Clock } from "../time/clock.js";
import { normalizeEmail } from "./credentials.js";
import { accountExists } from "./input-error.js";
import { newKeyOf } from "./key-record.js";
import type { SiteRegistry } from "./site-registry.js";

export interface NewAccount {
  accountId: string;
  siteId: string;
  /** Nothing on disk holds it in plain text. */
  key: string;
}

/**
 * Makes a community account with its first site (without a label) and that site's key. `alongside` changes the state in
 * the same step as the account and its key come to be. The e-mail and the hash must have been checked.
 *
 * The site comes first, so that an account is never without one; what a process that was killed between the two leaves
 * behind is a site of nobody, which `removeSitesOfNobody` clears away. Throws AccountInputError, StoreError.
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
      const { key, record } = newKeyOf({ siteId, accountId, label: "", createdAt });
      draft.keys.push(record);
      return { accountId, siteId, key };
    });
  } catch (error) {
    // The first failure is the one to tell; should this one fail too, the next start clears the site away.
    await sites.remove(siteId).catch(() => {});
    throw error;
  }
}

/** Clears away the sites whose account never came to be. Throws StoreError. */
export async function removeOrphanedSites(state: StateFile, sites: SiteRegistry): Promise<void> {
  const known = new Set(state.data.accounts.map(({ id }) => id));
  for (const { id, accountId } of sites.list()) {
    if (!known.has(accountId) && !sites.isConfigured(id)) await sites.remove(id);
  }
}
