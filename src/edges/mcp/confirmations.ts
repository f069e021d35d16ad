import { randomBytes } from "node:crypto";
import { MINUTE_MS } from "../../core/domain/interval.js";

/** How long a confirmation can be given, ms. */
const VALID_MS = 5 * MINUTE_MS;
/** Open confirmations of a key; a further one takes the place of the oldest. */
const MOST_OPEN = 8;

interface OpenConfirmation<Agreed> {
  token: string;
  subject: string;
  agreed: Agreed;
  untilMs: number;
}

/** Tokens for actions that are carried out only when they are asked for a second time. In memory: a restart forgets them. */
export class Confirmations<Agreed> {
  readonly #nowMs: () => number;
  readonly #byKey = new Map<string, OpenConfirmation<Agreed>[]>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** A token for which `take` returns `agreed` once, with the same key and subject, and how long. */
  open(keyId: string, subject: string, agreed: Agreed): { token: string; validMs: number } {
    const nowMs = this.#nowMs();
    for (const [id, list] of this.#byKey) if (list.at(-1)!.untilMs <= nowMs) this.#byKey.delete(id);
    const token = randomBytes(12).toString("base64url");
    const others = (this.#byKey.get(keyId) ?? []).slice(1 - MOST_OPEN);
    this.#byKey.set(keyId, [...others, { token, subject, agreed, untilMs: nowMs + VALID_MS }]);
    return { token, validMs: VALID_MS };
  }

  /** What was agreed to; undefined for a token that was not given for this, or is used or too old. */
  take(token: string, keyId: string, subject: string): Agreed | undefined {
    const list = this.#byKey.get(keyId) ?? [];
    const found = list.find((one) => one.token === token && one.subject === subject);
    if (found === undefined || found.untilMs <= this.#nowMs()) return undefined;
    const others = list.filter((one) => one !== found);
    if (others.length > 0) this.#byKey.set(keyId, others);
    else this.#byKey.delete(keyId);
    return found.agreed;
  }
}
