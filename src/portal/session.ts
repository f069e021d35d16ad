import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Log } from "../log.js";
import { SerialQueue } from "../serial-queue.js";
import type { DocumentArchive } from "../store/archive.js";
import type { FlashName } from "./context.js";

export const SESSION_COOKIE = "hourgate_session";

const DAY_MS = 24 * 60 * 60 * 1000;
const IDLE_MS = 14 * DAY_MS;
const LONGEST_MS = 90 * DAY_MS;
/** Lifetime of the cookie, seconds. */
export const SESSION_COOKIE_SECONDS = LONGEST_MS / 1000;
/** Interval for saving the last use of a session. */
const SEEN_STEP_MS = 60 * 60 * 1000;
/** Maximum number of sessions per account; the one that was idle longest is removed. */
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
  /** The last selected site. */
  siteId?: string;
}

/**
 * Sessions of signed-in browsers, kept on disk across restarts. A session ends after 14 idle days or 90 days in total; like
 * all time-outs these use wall time.
 */
export class Sessions {
  readonly #documents: DocumentArchive;
  readonly #log: Pick<Log, "warn" | "error">;
  readonly #wallNowMs: () => number;
  readonly #sessions = new Map<string, Session>();
  /** Texts for the next page of a session; they may be secrets and are never saved. */
  readonly #flashes = new Map<string, { text: string; untilMs: number }>();
  readonly #writes = new SerialQueue();

  constructor(options: {
    documents: DocumentArchive;
    log: Pick<Log, "warn" | "error">;
    wallNowMs?: () => number;
  }) {
    this.#documents = options.documents;
    this.#log = options.log;
    this.#wallNowMs = options.wallNowMs ?? Date.now;
  }

  /** Loads the saved sessions. If they cannot be read, all users sign in again. */
  async start(): Promise<void> {
    const kept = await this.#documents.get(DOCUMENT).catch((error: unknown) => {
      this.#log.error({ err: error }, "The sessions could not be read; all users have to sign in again.");
      return undefined;
    });
    const sessions = (kept as { sessions?: unknown } | undefined)?.sessions;
    for (const session of Array.isArray(sessions) ? sessions : [])
      if (isSession(session)) this.#sessions.set(session.idHash, session);
    this.#dropOld();
  }

  /** Resolves when all writes are done. */
  async stop(): Promise<void> {
    await this.#writes.idle();
  }

  /** The session of a cookie's id; undefined if absent, unknown or expired. */
  find(id: string | undefined): Session | undefined {
    if (id === undefined) return undefined;
    const session = this.#sessions.get(hashOf(id));
    const nowMs = this.#wallNowMs();
    if (session === undefined || isOver(session, nowMs)) return undefined;
    // A session created while the clock was ahead would not expire until the clock reaches that time.
    const isAhead = session.createdMs > nowMs + SEEN_STEP_MS || session.seenMs > nowMs + SEEN_STEP_MS;
    if (isAhead || nowMs - session.seenMs >= SEEN_STEP_MS) {
      session.createdMs = Math.min(session.createdMs, nowMs);
      session.seenMs = nowMs;
      void this.#save().catch((error: unknown) =>
        this.#log.warn({ err: error }, "The last use of a session could not be saved."),
      );
    }
    return session;
  }

  /** Creates a session and returns its id; resolves when it is saved (hashed). Throws StoreError. */
  async create(accountId: string): Promise<string> {
    const id = newSessionId();
    const nowMs = this.#wallNowMs();
    this.#dropOld();
    const others = this.#of(accountId).sort((a, b) => a.seenMs - b.seenMs);
    for (const { idHash } of others.slice(0, Math.max(0, others.length - SESSIONS_PER_ACCOUNT + 1)))
      this.#sessions.delete(idHash);
    const session: Session = { idHash: hashOf(id), accountId, createdMs: nowMs, seenMs: nowMs };
    this.#sessions.set(session.idHash, session);
    await this.#save();
    return id;
  }

  /** Ends a session. Throws StoreError; in this process it has ended in any case. */
  async end(session: Session): Promise<void> {
    this.#sessions.delete(session.idHash);
    await this.#save();
  }

  /** Ends the other sessions of the account. Throws StoreError; in this process they have ended in any case. */
  async endOthers(session: Session): Promise<void> {
    for (const { idHash } of this.#of(session.accountId))
      if (idHash !== session.idHash) this.#sessions.delete(idHash);
    await this.#save();
  }

  /** Remembers the selected site; saved with the next write. */
  choose(session: Session, siteId: string): void {
    session.siteId = siteId;
  }

  /** Stores a text for the next page of the session. */
  putFlash(session: Session, name: FlashName, text: string): void {
    const nowMs = this.#wallNowMs();
    for (const [key, { untilMs }] of this.#flashes) if (untilMs <= nowMs) this.#flashes.delete(key);
    this.#flashes.set(`${session.idHash} ${name}`, { text, untilMs: nowMs + FLASH_MS });
  }

  /** Returns and removes the text. */
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
      if (isOver(session, nowMs)) this.#sessions.delete(session.idHash);
  }

  /** Writes are serial; each saves the sessions as they are when it starts. */
  #save(): Promise<void> {
    return this.#writes.run(() => this.#documents.put(DOCUMENT, { sessions: [...this.#sessions.values()] }));
  }
}

/** A new id for a cookie: 256 random bits. */
export function newSessionId(): string {
  return randomBytes(32).toString("base64url");
}

/** Whether a cookie has the format of a session id. */
export function isSessionId(text: string | undefined): text is string {
  return text !== undefined && /^[A-Za-z0-9_-]{43}$/.test(text);
}

/**
 * The CSRF token of a browser's forms. It is derived from the id in its cookie, which other sites cannot read, does not
 * reveal the id, and needs no storage, also before the sign-in.
 */
export function csrfTokenOf(sessionId: string): string {
  return createHmac("sha256", sessionId).update("csrf").digest("base64url");
}

/** Whether a form has the token of its browser; compared in constant time. */
export function isCsrfToken(token: string, sessionId: string): boolean {
  const given = createHash("sha256").update(token).digest();
  return timingSafeEqual(given, createHash("sha256").update(csrfTokenOf(sessionId)).digest());
}

function hashOf(id: string): string {
  return createHash("sha256").update(id).digest("hex");
}

function isOver({ createdMs, seenMs }: Session, nowMs: number): boolean {
  return nowMs - seenMs >= IDLE_MS || nowMs - createdMs >= LONGEST_MS;
}

function isSession(value: unknown): value is Session {
  const { idHash, accountId, createdMs, seenMs, siteId } = (value ?? {}) as Partial<Session>;
  return (
    typeof idHash === "string" &&
    typeof accountId === "string" &&
    Number.isFinite(createdMs) &&
    Number.isFinite(seenMs) &&
    (siteId === undefined || typeof siteId === "string")
  );
}
