import { setTimeout as wait } from "node:timers/promises";
import { movableAccount } from "../../accounts/account-parcel.js";
import { normalizeEmail } from "../../accounts/credentials.js";
import { type Move, type Moves, withMoves } from "../../store/postgres/moves.js";
import type { Holders } from "./holders.js";
import { prefixesOf } from "./moving.js";

const LOOK_MS = 200;
/** How long both workers may take: the command does not wait for a worker that is gone. */
const HANDOVER_MS = 120_000;

/** Why an account is not moved, as a sentence. */
export class MoveRefused extends Error {}

export interface MovedAccount {
  account: string;
  from: number;
  to: number;
  /** How long it took to hand the account over after the copy, s. */
  seconds: number;
}

/**
 * Copies the data of an account (id or e-mail) to another shard while it is served, then lets the workers hand it over, and
 * waits until it is served there. To its own shard: gives up a move that is still copying. A repetition continues. Throws
 * MoveRefused, StoreError.
 */
export async function moveAccount(
  url: string,
  asked: { name: string; target: number },
  holders: Pick<Holders, "of" | "refresh">,
): Promise<MovedAccount> {
  const result = await withMoves(url, (moves) =>
    move(moves, asked, holders).catch((error: unknown) => {
      if (error instanceof MoveRefused) return error;
      throw error;
    }),
  );
  if (result instanceof MoveRefused) throw result;
  return result;
}

async function move(
  moves: Moves,
  { name, target }: { name: string; target: number },
  holders: Pick<Holders, "of" | "refresh">,
): Promise<MovedAccount> {
  const { account, source } = await find(moves, name, target);
  const planned = (await moves.list()).find((move) => move.account === account.id);
  if (source === target) return giveUp(moves, planned, target);
  for (const shard of [source, target])
    if (holders.of(shard) === undefined)
      throw new MoveRefused(`No worker serves shard ${shard}: start one first.`);
  const move = {
    account: account.id,
    source,
    target,
    prefixes: prefixesOf(account.siteIds, []),
    since: null,
  };
  if (await moves.plan({ ...move, phase: "copying" })) {
    const copied = await moves.copy(move);
    // What was written meanwhile, so that the worker has little left.
    const since = await moves.copy({ ...move, since: copied });
    await moves.plan({ ...move, phase: "leaving", since });
  } else if (planned?.phase !== "leaving" || planned.target !== target)
    throw new MoveRefused(
      planned?.phase === "copying"
        ? `A move to shard ${planned.target} was begun: continue it, or give it up with --to ${source}.`
        : "An earlier move of this account is not complete yet: try again in some minutes.",
    );
  const beganMs = performance.now();
  await handover(moves, account.id, async () => {
    await holders.refresh();
    return holders.of(target) !== undefined;
  });
  const seconds = Math.round((performance.now() - beganMs) / 100) / 10;
  return { account: account.id, from: source, to: target, seconds };
}

/** The account with its sites and its shard. Throws MoveRefused. */
async function find(moves: Moves, name: string, target: number) {
  const states = await moves.states();
  for (const [source, state] of states) {
    const account = movableAccount(state, name);
    if (account === undefined) continue;
    const other = states.get(target);
    if (other === undefined) throw new MoveRefused(`Shard ${target} has never been served: start a worker.`);
    const email = normalizeEmail(account.email);
    if (source !== target && other.accounts.some((one) => normalizeEmail(one.email) === email))
      throw new MoveRefused(`Shard ${target} has an account with the e-mail ${account.email} already.`);
    const sites = state.sites.filter(({ accountId }) => accountId === account.id);
    return { account: { id: account.id, siteIds: sites.map(({ id }) => id) }, source };
  }
  throw new MoveRefused(
    `No shard has an account "${name}" that can be moved: give its e-mail, or its id. Plants of the configuration are in each shard.`,
  );
}

async function giveUp(moves: Moves, move: Move | undefined, shard: number): Promise<never> {
  if (move?.phase !== "copying") throw new MoveRefused(`The account is in shard ${shard}.`);
  await moves.giveUp(move);
  throw new MoveRefused(
    `The account stays in shard ${shard}; the copies in shard ${move.target} are deleted.`,
  );
}

async function handover(moves: Moves, account: string, isServed: () => Promise<boolean>): Promise<void> {
  for (const endMs = performance.now() + HANDOVER_MS; performance.now() < endMs; await wait(LOOK_MS)) {
    const move = (await moves.list()).find((one) => one.account === account);
    if ((move === undefined || move.phase === "clearing") && (await isServed())) return;
  }
  throw new MoveRefused(
    "The account is not served there yet: the move goes on as soon as both shards have a worker. hourgate fleet status shows it.",
  );
}
