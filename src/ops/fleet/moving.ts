import { type AccountParcel, addAccount, takeAccount } from "../../accounts/account-parcel.js";
import { accessIdOf } from "../../accounts/keys.js";
import { errorMessage } from "../../core/error-message.js";
import type { Log } from "../../core/log.js";
import { StoreError } from "../../store/errors.js";
import { INDEX, indexKey } from "../../store/meter-archive.js";
import { type Move, type ShardTransaction, withMoves, withShardAlone } from "../../store/postgres/moves.js";
import { THINNED_KEY } from "../../store/sample-archive.js";
import { decodeValue, encodeValue, latestPrefix, samplePrefix } from "../../store/sample-keys.js";
import { merged, split } from "./shared-documents.js";

/** Documents that homes share: entries of lists and objects that begin with a site, a key or a link. */
const SHARED = [
  "accounts.last_uses",
  "battery-charge-targets",
  "home-assistant-devices",
  "portal.connection_tests",
].map((name) => `document/${name}`);

/** What an account takes to another shard besides the series and documents of its sites. */
interface Parcel {
  account: AccountParcel;
  /** Parts of shared documents, by key. */
  shared: Record<string, unknown>;
  /** Descriptions of imported meter files, in their order. */
  imports: string[];
  /** Until when history was thinned, ms since the epoch; null: from the beginning on it has yet to be. */
  thinnedUntilMs: number | null;
}

/** Whether the worker of the shard has to do something for the move before it serves on. */
export function isDue({ phase, source, target }: Move, shard: number): boolean {
  return (phase === "leaving" && source === shard) || (phase === "arriving" && target === shard);
}

/**
 * Hands over the accounts that leave a shard, and takes those that arrive, each in one transaction. For a shard that no gateway
 * serves at the moment. Returns the accounts whose move failed; they stay where they are. Throws StoreError.
 */
export async function settleMoves(
  place: { url: string; shard: number },
  log: Pick<Log, "info" | "error">,
): Promise<string[]> {
  const due = (await withMoves(place.url, (moves) => moves.list(place.shard))).filter((move) =>
    isDue(move, place.shard),
  );
  const failed: string[] = [];
  for (const { account, phase, source, target } of due) {
    const fields = { account, from: source, to: target };
    try {
      await withShardAlone(place, (shard) =>
        phase === "leaving" ? depart(shard, account) : arrive(shard, account),
      );
      log.info(fields, phase === "leaving" ? "An account leaves this shard." : "An account has arrived.");
    } catch (error) {
      if (error instanceof StoreError && error.code === "storage_unavailable") throw error;
      log.error(fields, `The move of an account failed: ${errorMessage(error)}`);
      failed.push(account);
    }
  }
  return failed;
}

/** What the keys of the series of an account begin with; documents of its sites are not among them. */
export function prefixesOf(siteIds: readonly string[], imports: readonly string[]): string[] {
  return [
    ...siteIds.flatMap((id) => [samplePrefix(id), latestPrefix(id)]),
    ...imports.map((text) => `meter/data/${(JSON.parse(text) as { id: string }).id}/`),
  ];
}

async function depart(shard: ShardTransaction, accountId: string): Promise<void> {
  const move = await shard.move(accountId, "leaving");
  const state = await shard.state();
  if (move === undefined || state === undefined) return;
  const account = takeAccount(state, accountId, move.target);
  // Deleted since the command.
  if (account === undefined) return shard.endMove(move);
  const siteIds = account.sites.map(({ id }) => id);
  const names = new Set([
    ...siteIds,
    ...account.keys.map(({ hash }) => accessIdOf(hash)),
    ...account.links.map(({ id }) => id),
  ]);
  const shared: Parcel["shared"] = {};
  for (const key of SHARED) {
    const document = await shard.get(key);
    if (document === undefined) continue;
    const [own, rest] = split(JSON.parse(document.toString()), (name) => names.has(name));
    shared[key] = own;
    await shard.put(key, Buffer.from(JSON.stringify(rest)));
  }
  const imports: string[] = [];
  for (const [key, value] of await shard.entries(INDEX)) {
    const { siteId } = JSON.parse(value.toString()) as { siteId: string };
    if (!siteIds.includes(siteId)) continue;
    imports.push(value.toString());
    await shard.remove(key);
  }
  const thinned = await shard.get(THINNED_KEY);
  const prefixes = prefixesOf(siteIds, imports);
  await shard.removeCopies(
    move.target,
    move.prefixes.filter((prefix) => !prefixes.includes(prefix)),
  );
  const isKnown = (prefix: string) => move.prefixes.includes(prefix);
  await shard.copy(move, prefixes.filter(isKnown));
  await shard.copy(
    { ...move, since: null },
    prefixes.filter((prefix) => !isKnown(prefix)),
  );
  await shard.giveDocuments(move.target, siteIds);
  await shard.writeState(state);
  const thinnedUntilMs = thinned === undefined ? null : decodeValue(thinned);
  const parcel: Parcel = { account, shared, imports, thinnedUntilMs };
  await shard.advance({ ...move, phase: "arriving", prefixes }, JSON.stringify(parcel));
}

async function arrive(shard: ShardTransaction, accountId: string): Promise<void> {
  const move = await shard.move(accountId, "arriving");
  const state = await shard.state();
  // The first gateway of the shard creates its state.
  if (move?.parcel == null || state === undefined) return;
  const { account, shared, imports, thinnedUntilMs } = JSON.parse(move.parcel) as Parcel;
  addAccount(state, account);
  for (const [key, own] of Object.entries(shared)) {
    const document = await shard.get(key);
    const before: unknown = document === undefined ? undefined : JSON.parse(document.toString());
    await shard.put(key, Buffer.from(JSON.stringify(merged(before, own))));
  }
  const [last] = (await shard.entries(INDEX)).at(-1) ?? [INDEX];
  let sequence = Number(last.slice(INDEX.length));
  for (const text of imports) await shard.put(indexKey(++sequence), Buffer.from(text));
  const thinned = await shard.get(THINNED_KEY);
  // What has arrived is thinned from where it was not.
  if (thinned !== undefined && thinnedUntilMs === null) await shard.remove(THINNED_KEY);
  else if (thinned !== undefined)
    await shard.put(THINNED_KEY, encodeValue(Math.min(decodeValue(thinned), thinnedUntilMs!)));
  await shard.writeState(state);
  await shard.advance({ ...move, phase: "clearing" }, null);
}
