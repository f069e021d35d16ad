import { Redis } from "ioredis";

/** Where the server is; user name and password take precedence over those in the URL. */
export interface RedisAddress {
  url: string;
  username: string | null;
  password: string | null;
}

export interface RedisLinkOptions {
  settings: RedisAddress;
  /** Run on each new connection; the connection is used only if it succeeds. */
  probe(): Promise<unknown>;
  /** Called with undefined when the link becomes available, and with the reason (a clause) when it is unavailable. */
  onChange(problem: string | undefined): void;
  /** Timeout of a command, ms of wall time; the default suits a call that a client waits for. */
  commandTimeoutMs?: number;
}

/** A Redis on the same network answers within one. */
const COMMAND_TIMEOUT_MS = 250;
const CONNECT_TIMEOUT_MS = 1_000;
/** Timeout for closing a connection that the server does not close. */
const DISCONNECT_TIMEOUT_MS = 500;
const RECONNECT_MS = 1_000;

/**
 * A connection to Redis that does not block callers when the server is unavailable: it is available once the probe has
 * succeeded, becomes unavailable with the first failure of any kind, and reconnects until it is stopped. All times are
 * wall time.
 */
export class RedisLink {
  readonly client: Redis;
  /** Host and port, for sentences; user and password are not in it. */
  readonly address: string;
  readonly #probe: RedisLinkOptions["probe"];
  readonly #onChange: RedisLinkOptions["onChange"];
  #serving = false;
  #stopped = false;
  #probing: Promise<void> = Promise.resolve();
  #lastError: string | undefined;

  constructor({ settings, probe, onChange, commandTimeoutMs = COMMAND_TIMEOUT_MS }: RedisLinkOptions) {
    const url = new URL(settings.url);
    const username = settings.username ?? decodeURIComponent(url.username);
    const password = settings.password ?? decodeURIComponent(url.password);
    // In this client, parameters in the URL override its options, including time-outs.
    Object.assign(url, { username: "", password: "", search: "" });
    this.address = url.host;
    this.#probe = probe;
    this.#onChange = onChange;
    this.client = new Redis(url.href, {
      ...(username === "" ? {} : { username }),
      ...(password === "" ? {} : { password }),
      lazyConnect: true,
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      commandTimeout: commandTimeoutMs,
      connectTimeout: CONNECT_TIMEOUT_MS,
      disconnectTimeout: DISCONNECT_TIMEOUT_MS,
      retryStrategy: () => RECONNECT_MS,
    });
    this.client.on("error", (error) => {
      this.#lastError = reasonOf(error);
    });
    this.client.on("ready", () => {
      this.#probing = this.#begin();
    });
    this.client.on("close", () => this.#end(this.#lastError ?? "the connection was closed"));
  }

  /** Resolves when the first attempt has succeeded or failed, within about two seconds. Never rejects. */
  async start(): Promise<void> {
    // A failure is reported by the events.
    await this.client.connect().catch(() => {});
    await this.#probing;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#serving = false;
    this.client.disconnect();
  }

  /** Result of the task, or undefined if Redis is unavailable (immediately if that is known). Never rejects. */
  async run<Result>(task: () => Promise<Result>): Promise<Result | undefined> {
    if (!this.#serving) return undefined;
    try {
      return await task();
    } catch (error) {
      // Only the first of several failing calls is reported.
      if (this.#serving) this.#drop(reasonOf(error));
      return undefined;
    }
  }

  async #begin(): Promise<void> {
    try {
      await this.#probe();
    } catch (error) {
      this.#drop(reasonOf(error));
      return;
    }
    if (this.#stopped || this.client.status !== "ready") return;
    this.#serving = true;
    this.#lastError = undefined;
    this.#onChange(undefined);
  }

  #drop(problem: string): void {
    this.#lastError = problem;
    this.#end(problem);
    if (!this.#stopped && this.client.status === "ready") this.client.disconnect(true);
  }

  #end(problem: string): void {
    this.#serving = false;
    if (!this.#stopped) this.#onChange(problem);
  }
}

/** Some network errors have a code and no message. */
function reasonOf(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  return message || code || String(error);
}
