import { Redis } from "ioredis";
import type { RedisSettings } from "../config/settings.js";

export interface RedisLinkOptions {
  settings: RedisSettings & { url: string };
  /** Tried on each new connection; only one on which this succeeds is used. */
  probe(): Promise<unknown>;
  /** Told whenever the link begins to serve (undefined), or does not serve and why: half a sentence without a stop. */
  onChange(problem: string | undefined): void;
}

/** Nobody waits longer than this for an answer, ms of the wall clock; a Redis in the same house takes less than one. */
const COMMAND_TIMEOUT_MS = 250;
const CONNECT_TIMEOUT_MS = 1_000;
/** A server that does not take part in closing a connection is left after this. */
const DISCONNECT_TIMEOUT_MS = 500;
const RECONNECT_MS = 1_000;

/**
 * A connection to Redis that never makes anyone wait for a dead server: it serves once its probe has succeeded, the
 * first failure of any kind ends that, and it connects anew by itself for as long as it is not stopped. All times are
 * those of the wall clock.
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

  constructor({ settings, probe, onChange }: RedisLinkOptions) {
    const url = new URL(settings.url);
    const username = settings.username ?? decodeURIComponent(url.username);
    const password = settings.password ?? decodeURIComponent(url.password);
    // The client lets what stands in the address win over its options, even its time-outs.
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
      commandTimeout: COMMAND_TIMEOUT_MS,
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

  /** Resolves when the first attempt has succeeded or failed, after about two seconds at most. Never rejects. */
  async start(): Promise<void> {
    // A failure reaches onChange by the events.
    await this.client.connect().catch(() => {});
    await this.#probing;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#serving = false;
    this.client.disconnect();
  }

  /** What the task gives, or undefined where Redis does not serve: at once where that is known. Never rejects. */
  async run<Result>(task: () => Promise<Result>): Promise<Result | undefined> {
    if (!this.#serving) return undefined;
    try {
      return await task();
    } catch (error) {
      // Of many calls under way the first one tells.
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

/** Some network errors carry a code alone. */
function reasonOf(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  return message || code || String(error);
}
