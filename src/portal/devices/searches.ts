import { errorMessage } from "../../core/error-message.js";
import type { DeviceFinder, SearchProgress } from "../../equipment/finding/finder.js";
import type { FoundDevice } from "../../equipment/finding/found.js";
import { TargetError } from "../../equipment/finding/targets.js";

/** What a search was asked for, as it was typed. */
export interface AskedSearch {
  targets: string;
  exclude: string;
}

/** A search of a site: running, or its result. */
export interface DeviceSearch extends AskedSearch {
  state: "running" | "done" | "cancelled" | "failed";
  lookedAt: number;
  of: number;
  ms: number;
  found: readonly FoundDevice[];
  /** Why it failed. */
  fault: { field: keyof AskedSearch; target: string } | { message: string } | undefined;
}

/** A result is shown for this time. */
const KEPT_MS = 30 * 60_000;

/** The last search of each site. */
export class DeviceSearches {
  readonly #finder: Pick<DeviceFinder, "find">;
  readonly #nowMs: () => number;
  readonly #searches = new Map<string, { search: DeviceSearch; cancel: AbortController; atMs: number }>();

  constructor(finder: Pick<DeviceFinder, "find">, nowMs: () => number = Date.now) {
    this.#finder = finder;
    this.#nowMs = nowMs;
  }

  get(siteId: string): DeviceSearch | undefined {
    const kept = this.#searches.get(siteId);
    return kept !== undefined && kept.atMs > this.#nowMs() - KEPT_MS ? kept.search : undefined;
  }

  /** Begins a search unless one of the site is running; resolves when it has begun or was refused. */
  async begin(siteId: string, asked: AskedSearch): Promise<void> {
    if (this.get(siteId)?.state === "running") return;
    const search: DeviceSearch = {
      ...asked,
      state: "running",
      lookedAt: 0,
      of: 0,
      ms: 0,
      found: [],
      fault: undefined,
    };
    const cancel = new AbortController();
    this.#searches.set(siteId, { search, cancel, atMs: this.#nowMs() });
    const ended = this.#run(search, cancel.signal);
    await Promise.race([ended, new Promise((resolve) => setImmediate(resolve))]);
  }

  cancel(siteId: string): void {
    this.#searches.get(siteId)?.cancel.abort();
  }

  /** Ends all searches. */
  stop(): void {
    for (const { cancel } of this.#searches.values()) cancel.abort();
  }

  async #run(search: DeviceSearch, signal: AbortSignal): Promise<void> {
    const beganMs = this.#nowMs();
    try {
      const { found, looked_at, ms } = await this.#finder.find({
        targets: listIn(search.targets),
        exclude: listIn(search.exclude),
        signal,
        onProgress: (progress: SearchProgress) =>
          Object.assign(search, {
            lookedAt: progress.looked_at,
            of: progress.of,
            found: progress.found,
          }),
      });
      Object.assign(search, { found, lookedAt: looked_at, ms, state: signal.aborted ? "cancelled" : "done" });
    } catch (error) {
      const fault =
        error instanceof TargetError
          ? { field: error.field, target: error.target }
          : { message: errorMessage(error) };
      Object.assign(search, { state: "failed", fault, ms: this.#nowMs() - beganMs });
    }
  }
}

function listIn(text: string): string[] {
  return text.split(/[\s,;]+/).filter((one) => one !== "");
}
