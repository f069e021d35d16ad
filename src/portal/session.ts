import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { hashToken } from "../accounts/secret-token.js";
import type { Log } from "../core/log.js";
import { SerialQueue } from "../core/work/serial-queue.js";
import type { DocumentArchive } from "../store/archive.js";
import { isUnwritable } from "../store/errors.js";
import type { FlashName } from "./context.js";

export const SESSION_COOKIE = "hourgate_session";

const DAY_MS = 24 * 60 * 60 * 1000;
const IDLE_MS = 14 * DAY_MS;
const LONGEST_MS = 90 * DAY_MS;
/** Lifetime of the cookie, seconds. */
export const SESSION_COOKIE_SECONDS = LONGEST_MS / 1000;
/** Interval in which the use of a session is stored. */
const SEEN_STEP_MS = 60 * 60 * 1000;
/** Maximum sessions of one account; the one idle for the longest time is ended. */
const SESSIONS_PER_ACCOUNT = 20;
const FLASH_MS = 10 * 60 * 1000;
const DOCUMENT = "portal/sessions";

/** A signed-in browser. */
export interface Session {
  /** SHA-256 of the id in the cookie, hex; the id itself is not stored. */
  idHash: string;
  accountId: string;
  createdMs: number;
  seenMs: number;
  /** The site shown last. */
  siteId?: string;
  /** Fingerprint of password and second factor at the sign-in; the session ends when it changes. */
  credentials?: string;
  /** Address and browser of the sign-in, for the list of sessions. */
  address?: string;
  agent?: string;
}

/** What is stored with a new session. */
export type SessionOrigin = Pick<Session, "credentials" | "address" | "agent">;

/**
 * The sessions of signed-in browsers, stored on disk. A session ends after 14 days without use or 90 days in total, in wall
 * time.
 */
export class Sessions {
  readonly #documents: DocumentArchive;
  readonly #log: Pick<Log, "warn" | "error">;
  readonly #isAccount: (accountId: string) => boolean;
  readonly #wallNowMs: () => number;
  readonly #sessions = new Map<string, Session>();
  /** Texts for the next page of a session; they may be secrets and are never stored on disk. */
  readonly #flashes = new Map<string, { text: string; untilMs: number }>();
  readonly #writes = new SerialQueue();
  #isUnused = true;

  constructor(options: {
    documents: DocumentArchive;
    log: Pick<Log, "warn" | "error">;
    /** Whether the account still exists. */
    isAccount: (accountId: string) => boolean;
    wallNowMs?: () => number;
  }) {
    this.#documents = options.documents;
    this.#log = options.log;
    this.#isAccount = options.isAccount;
    this.#wallNowMs = options.wallNowMs ?? Date.now;
  }

  /** Loads the stored sessions; unreadable ones are dropped. */
  async start(): Promise<void> {
    const kept = await this.#documents.get(DOCUMENT).catch((error: unknown) => {
      this.#log.error({ err: error }, "The sessions could not be read; everybody has to sign in again.");
      return null;
    });
    // Stored with the first session, and from then on.
    this.#isUnused = kept === undefined;
    const sessions = (kept as { sessions?: unknown } | null | undefined)?.sessions;
    for (const session of Array.isArray(sessions) ? sessions : [])
      if (isSession(session)) this.#sessions.set(session.idHash, session);
    this.#dropOld();
  }

  /** Resolves when all changes are on disk. */
  async stop(): Promise<void> {
    await this.#writes.idle();
  }

  /** Whether nobody has ever signed in. */
  get isUnused(): boolean {
    return this.#isUnused;
  }

  /** The session for the id of a cookie; undefined without an id, for an unknown one and an ended session. */
  find(id: string | undefined): Session | undefined {
    if (id === undefined) return undefined;
    const session = this.#sessions.get(hashToken(id));
    const nowMs = this.#wallNowMs();
    if (session === undefined || isOver(session, nowMs)) return undefined;
    // A session created while the clock was ahead would otherwise last until that time.
    const isAhead = session.createdMs > nowMs + SEEN_STEP_MS || session.seenMs > nowMs + SEEN_STEP_MS;
    if (isAhead || nowMs - session.seenMs >= SEEN_STEP_MS) {
      session.createdMs = Math.min(session.createdMs, nowMs);
      session.seenMs = nowMs;
      void this.#save().catch((error: unknown) =>
        this.#log.warn({ err: error }, "The use of a session could not be written down."),
      );
    }
    return session;
  }

  /** Signs an account in under a new id, which is on disk (hashed) when this resolves, unless the disk is full. Throws StoreError. */
  async create(accountId: string, origin: SessionOrigin = {}): Promise<string> {
    const id = newSessionId();
    const nowMs = this.#wallNowMs();
    this.#dropOld();
    const others = this.#of(accountId).sort((a, b) => a.seenMs - b.seenMs);
    for (const { idHash } of others.slice(0, Math.max(0, others.length - SESSIONS_PER_ACCOUNT + 1)))
      this.#sessions.delete(idHash);
    const session: Session = { idHash: hashToken(id), accountId, createdMs: nowMs, seenMs: nowMs, ...origin };
    this.#sessions.set(session.idHash, session);
    this.#isUnused = false;
    await this.#save().catch((error: unknown) => {
      if (!isUnwritable(error)) throw error;
      this.#log.warn({}, "The disk takes nothing: a session that was begun lasts until the next start only.");
    });
    return id;
  }

  /** Ends a session. Throws StoreError; the session has ended for this process even then. */
  async end(session: Session): Promise<void> {
    this.#sessions.delete(session.idHash);
    this.#dropOld();
    await this.#save();
  }

  /** The sessions of an account, most recently used first. */
  list(accountId: string): Session[] {
    this.#dropOld();
    return this.#of(accountId).sort((a, b) => b.seenMs - a.seenMs);
  }

  /** Ends the other sessions of the account. Throws StoreError; they have ended for this process even then. */
  async endOthers(session: Session): Promise<void> {
    for (const { idHash } of this.#of(session.accountId))
      if (idHash !== session.idHash) this.#sessions.delete(idHash);
    await this.#save();
  }

  /** Remembers the selected site; stored with the next relevant change. */
  choose(session: Session, siteId: string): void {
    session.siteId = siteId;
  }

  /** Stores a text for the next page of the session. */
  putFlash(session: Session, name: FlashName, text: string): void {
    const nowMs = this.#wallNowMs();
    for (const [key, { untilMs }] of this.#flashes) if (untilMs <= nowMs) this.#flashes.delete(key);
    this.#flashes.set(`${session.idHash} ${name}`, { text, untilMs: nowMs + FLASH_MS });
  }

  /** Returns and removes the stored text. */
  takeFlash(session: Session, name: FlashName): string | undefined {
    const key = `${session.idHash} ${name}`;
    const flash = this.#flashes.get(key);
    this.#flashes.delete(key);
    return flash !== undefined && this.#wallNowMs() < flash.untilMs ? flash.text : undefined;
  }

  #of(accountId: string): Session[] {
    return [...this.#sessions.values()].filter((session) => session.accountId === accountId);
  }

  #dropOld(): void {
    const nowMs = this.#wallNowMs();
    for (const session of this.#sessions.values())
      if (isOver(session, nowMs) || !this.#isAccount(session.accountId))
        this.#sessions.delete(session.idHash);
  }

  /** Writes run one after the other, each with the sessions as they are when it begins. */
  #save(): Promise<void> {
    return this.#writes.run(() => this.#documents.put(DOCUMENT, { sessions: [...this.#sessions.values()] }));
  }
}

/** A new id for a cookie: 256 random bits. */
export function newSessionId(): string {
  return randomBytes(32).toString("base64url");
}

/** Whether a cookie has the form of a session id. */
export function isSessionId(text: string | undefined): text is string {
  return text !== undefined && /^[A-Za-z0-9_-]{43}$/.test(text);
}

/**
 * The CSRF token of a browser, derived from the id in its cookie, which other sites cannot read. It does not reveal the id
 * and needs no storage, also before the sign-in.
 */
export function csrfTokenOf(sessionId: string): string {
  return createHmac("sha256", sessionId).update("csrf").digest("base64url");
}

/** Compares the CSRF token of a form in constant time. */
export function isCsrfToken(token: string, sessionId: string): boolean {
  const given = createHash("sha256").update(token).digest();
  return timingSafeEqual(given, createHash("sha256").update(csrfTokenOf(sessionId)).digest());
}

function isOver({ createdMs, seenMs }: Session, nowMs: number): boolean {
  return nowMs - seenMs >= IDLE_MS || nowMs - createdMs >= LONGEST_MS;
}

function isSession(value: unknown): value is Session {
  const { idHash, accountId, createdMs, seenMs, ...texts } = (value ?? {}) as Partial<Session>;
  return (
    typeof idHash === "string" &&
    typeof accountId === "string" &&
    Number.isFinite(createdMs) &&
    Number.isFinite(seenMs) &&
    [texts.siteId, texts.credentials, texts.address, texts.agent].every(
      (text) => text === undefined || typeof text === "string",
    )
  );
}
