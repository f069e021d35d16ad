import { Moves } from "../../store/postgres/moves.js";
import { isDue } from "./moving.js";

const LOOK_MS = 1_000;

/** Looks for moves of a shard while it is served, and deletes what is left of accounts that have moved away. */
export class MoveWatch {
  readonly #moves: ReturnType<typeof Moves.lasting>;
  readonly #shard: number;
  readonly #failed: ReadonlySet<string>;
  readonly #onDue: () => void;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  /** `failed`: the accounts whose moves are not tried again; `onDue` is called once. */
  constructor(
    { url, shard }: { url: string; shard: number },
    { failed, onDue }: { failed: readonly string[]; onDue: () => void },
  ) {
    this.#shard = shard;
    this.#failed = new Set(failed);
    this.#onDue = onDue;
    this.#moves = Moves.lasting(url);
  }

  start(): void {
    this.#timer = setTimeout(() => void this.#look(), LOOK_MS).unref();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#moves.stop();
  }

  async #look(): Promise<void> {
    try {
      const moves = await this.#moves.list(this.#shard);
      if (moves.some((move) => isDue(move, this.#shard) && !this.#failed.has(move.account)))
        return this.#isStopped ? undefined : this.#onDue();
      for (const move of moves)
        if (move.phase === "clearing" && move.source === this.#shard) await this.#moves.clear(move);
    } catch {
      // The store reports that PostgreSQL is away; a move continues afterwards.
    }
    if (!this.#isStopped) this.start();
  }
}
