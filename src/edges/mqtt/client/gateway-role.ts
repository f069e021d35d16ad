/** `starting` until it is known which other processes there are; `standby`: another one commands the devices. */
export type GatewayRole = "starting" | "standby" | "commanding";

/** What a running gateway says about itself to others with the same installation id. */
export interface Presence {
  /** Random for each process. */
  id: string;
  startedAtMs: number;
  machine: string;
  role: GatewayRole;
}

/** Time between two messages of a presence; a process that is silent for `SILENT_MS` has ended. */
export const PRESENCE_MS = 10_000;
export const SILENT_MS = 40_000;

/** Who commands is kept; one that starts comes before one that has given way, so that a restart changes nothing. */
const ORDER: readonly GatewayRole[] = ["commanding", "starting", "standby"];

interface Heard {
  presence: Presence;
  heardAtMs: number;
  /** A retained message may be that of a process that has ended. */
  isLive: boolean;
  hasLeft: boolean;
}

/**
 * Decides which one of several gateways with one installation id commands the devices: the same order on each side, without
 * comparing their clocks with one's own.
 */
export class GatewayRoles {
  readonly #heard = new Map<string, Heard>();
  #own: Presence;

  constructor(own: Omit<Presence, "role">) {
    this.#own = { ...own, role: "starting" };
  }

  get own(): Presence {
    return this.#own;
  }

  /** The process that commands instead of this one, or one that waits beside it. */
  get other(): Presence | undefined {
    const live = [...this.#heard.values()].filter(({ isLive, hasLeft }) => isLive && !hasLeft);
    return live.map(({ presence }) => presence).sort(byRank)[0];
  }

  /** A message of another process has arrived; true if it was not known to live. */
  hear(presence: Presence, { nowMs, isRetained }: { nowMs: number; isRetained: boolean }): boolean {
    if (presence.id === this.#own.id) return false;
    const before = this.#heard.get(presence.id);
    const isLive = !isRetained || before?.isLive === true;
    this.#heard.set(presence.id, { presence, heardAtMs: nowMs, isLive, hasLeft: false });
    return isLive && before?.isLive !== true;
  }

  /** The process has ended; it may be started again at once. */
  left(id: string): void {
    const heard = this.#heard.get(id);
    if (heard !== undefined) heard.hasLeft = true;
  }

  /** The broker is connected again: until now nobody could be heard. */
  connected(nowMs: number): void {
    for (const heard of this.#heard.values()) heard.heardAtMs = nowMs;
  }

  /** Sets the own role; returns the processes that are forgotten because of their silence. */
  decide(nowMs: number): string[] {
    const silent = [...this.#heard].filter(([, { heardAtMs }]) => nowMs - heardAtMs >= SILENT_MS);
    for (const [id] of silent) this.#heard.delete(id);
    const isWaiting = this.#own.role === "standby";
    const [rival] = [...this.#heard.values()]
      .filter(({ presence, hasLeft }) => byRank(presence, this.#own) < 0 && (isWaiting || !hasLeft))
      .sort((one, other) => Number(other.isLive) - Number(one.isLive));
    if (rival === undefined) this.#own = { ...this.#own, role: "commanding" };
    else if (rival.isLive) this.#own = { ...this.#own, role: "standby" };
    return silent.map(([id]) => id);
  }
}

function byRank(one: Presence, other: Presence): number {
  return (
    ORDER.indexOf(one.role) - ORDER.indexOf(other.role) ||
    one.startedAtMs - other.startedAtMs ||
    (one.id < other.id ? -1 : 1)
  );
}
