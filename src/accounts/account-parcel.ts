import type { State } from "../store/state-schema.js";
import { normalizeEmail } from "./credentials.js";
import { hashToken } from "./secret-token.js";
import { OWNER_ID } from "./site-registry.js";

/** What the state of a shard has of one account: what a move to another shard takes there. */
export type AccountParcel = Pick<
  State,
  "accounts" | "recoveries" | "sites" | "keys" | "links" | "webhooks" | "settings"
> & { mqttApprovals: NonNullable<State["mqttApprovals"]> };

/** The account with this id or e-mail, if it can be moved: the owner's exists in each shard. */
export function movableAccount({ accounts }: State, name: string): State["accounts"][number] | undefined {
  const email = normalizeEmail(name);
  return accounts.find(
    (one) => one.id !== OWNER_ID && (one.id === name || normalizeEmail(one.email) === email),
  );
}

/**
 * Takes an account out of the state, which then only knows where it has gone: keys and links lead here, and homes send to the
 * topics of this shard. Undefined if there is no such account.
 */
export function takeAccount(state: State, accountId: string, target: number): AccountParcel | undefined {
  const account = state.accounts.find(({ id }) => id === accountId);
  if (account === undefined) return undefined;
  const siteIds = new Set(state.sites.filter((site) => site.accountId === accountId).map(({ id }) => id));
  const isSite = ({ siteId }: { siteId: string }) => siteIds.has(siteId);
  const isAccount = (one: { accountId: string }) => one.accountId === accountId;
  const take = <One>(list: One[], isTaken: (one: One) => boolean): One[] => {
    const taken = list.filter(isTaken);
    list.splice(0, list.length, ...list.filter((one) => !isTaken(one)));
    return taken;
  };
  const settings = Object.entries(state.settings).filter(([id]) => siteIds.has(id));
  for (const id of siteIds) delete state.settings[id];
  const approvals = state.mqttApprovals ?? [];
  const parcel = {
    accounts: take(state.accounts, ({ id }) => id === accountId),
    recoveries: take(state.recoveries, isAccount),
    sites: take(state.sites, isAccount).map((site) => ({ topicShard: state.shard?.number ?? 0, ...site })),
    keys: take(state.keys, isAccount),
    links: take(state.links, isSite),
    webhooks: take(state.webhooks, isSite),
    mqttApprovals: take(approvals, isSite),
    settings: Object.fromEntries(settings),
  };
  const { email, passwordHash } = account;
  const valid = [...parcel.keys, ...parcel.links].filter(({ revokedAt }) => revokedAt === null);
  state.departed = [
    ...(state.departed ?? []),
    {
      accountId,
      shard: target,
      emailHash: hashToken(normalizeEmail(email)),
      passwordHash,
      siteIds: [...siteIds],
      tokenHashes: valid.map(({ hash }) => hash),
    },
  ];
  return parcel;
}

/** Adds an account that comes from another shard, or comes back. */
export function addAccount(state: State, { settings, ...lists }: AccountParcel): void {
  const moved = new Set(lists.accounts.map(({ id }) => id));
  state.departed = (state.departed ?? []).filter(({ accountId }) => !moved.has(accountId));
  state.mqttApprovals ??= [];
  for (const site of lists.sites) if (site.topicShard === state.shard?.number) delete site.topicShard;
  for (const name of Object.keys(lists) as (keyof typeof lists)[])
    (state[name] as unknown[]).push(...lists[name]);
  // The older one of two accounts with one e-mail is the one that signs in.
  state.accounts.sort((a, b) => (a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : 0));
  Object.assign(state.settings, settings);
}
