import type { SiteParts, SiteRuntimes } from "../../config/site-runtimes.js";
import { type Bus, subscribe } from "../../core/bus.js";
import { errorMessage } from "../../core/error-message.js";
import type { Log } from "../../core/log.js";
import { isRecord, recordOf } from "../../core/net/json.js";
import type { DocumentArchive } from "../../store/archive.js";
import type { Connections } from "./connections.js";
import { type KindId, kindNamed } from "./kinds.js";

const DOCUMENT = "portal.connection_tests";
/** How long a test waits for a message, ms. */
export const TEST_MS = 60_000;

/** `quiet`: connected, but nothing was sent; `none`: not connected either. */
export interface TestResult {
  outcome: "passed" | "quiet" | "none";
  at: Date;
}

type Stored = Record<string, { outcome: TestResult["outcome"]; at: string }>;

interface Running {
  startedMs: number;
  timer: NodeJS.Timeout;
}

interface Options {
  connections: Connections;
  documents: DocumentArchive;
  bus: Bus;
  sites: SiteRuntimes;
  log: Pick<Log, "warn">;
}

/** Tests of connections: each waits for the next sign of life. The last result of each is stored. */
export class ConnectionTests {
  readonly #options: Options;
  readonly #sites: SiteParts<Map<KindId, Running>>;
  #results: Stored = {};
  #unsubscribe = () => {};

  constructor(options: Options) {
    this.#options = options;
    this.#sites = options.sites.parts({
      create: () => new Map<KindId, Running>(),
      remove: (running, { site }) => {
        end(running);
        this.#forget(site.id);
      },
    });
  }

  /** Loads the results. Throws StoreError. */
  async start(): Promise<void> {
    const { bus, documents } = this.#options;
    const stored = Object.entries(recordOf(await documents.get(DOCUMENT)));
    this.#results = Object.fromEntries(
      stored.filter((entry): entry is [string, Stored[string]] => isResult(entry[1])),
    );
    const check = ({ siteId }: { siteId: string }) => this.#check(siteId);
    this.#unsubscribe = subscribe(bus, {
      "connection.used": check,
      "telemetry.received": check,
      "actuator.changed": check,
    });
  }

  stop(): void {
    this.#unsubscribe();
    for (const running of this.#sites) end(running);
  }

  /** Starts a test; one that is running goes on. */
  run(siteId: string, kind: KindId): void {
    const running = this.#sites.of(siteId);
    if (running.has(kind)) return;
    const timer = setTimeout(() => {
      const kindFacts = kindNamed(kind);
      const isConnected =
        kindFacts !== undefined &&
        this.#options.connections.of(siteId, kindFacts).contacts.some((contact) => contact.isConnected);
      this.#end(siteId, kind, isConnected ? "quiet" : "none");
    }, TEST_MS).unref();
    running.set(kind, { startedMs: Date.now(), timer });
  }

  /** The running test or the last result; undefined if the connection was never tested. */
  of(siteId: string, kind: KindId): { endsAt: Date } | TestResult | undefined {
    const running = this.#sites.get(siteId)?.get(kind);
    if (running !== undefined) return { endsAt: new Date(running.startedMs + TEST_MS) };
    const result = this.#results[nameOf(siteId, kind)];
    return result && { outcome: result.outcome, at: new Date(result.at) };
  }

  #check(siteId: string): void {
    for (const [id, { startedMs }] of this.#sites.get(siteId) ?? []) {
      const kind = kindNamed(id);
      if (kind === undefined) continue;
      const { lastAt } = this.#options.connections.of(siteId, kind);
      if (lastAt !== undefined && lastAt.getTime() >= startedMs) this.#end(siteId, kind.id, "passed");
    }
  }

  #end(siteId: string, kind: KindId, outcome: TestResult["outcome"]): void {
    const running = this.#sites.of(siteId);
    clearTimeout(running.get(kind)?.timer);
    running.delete(kind);
    this.#results[nameOf(siteId, kind)] = { outcome, at: new Date().toISOString() };
    this.#save();
    this.#options.bus.emit("connection.used", { siteId });
  }

  #forget(siteId: string): void {
    for (const name of Object.keys(this.#results))
      if (name.startsWith(`${siteId} `)) delete this.#results[name];
    this.#save();
  }

  #save(): void {
    this.#options.documents
      .put(DOCUMENT, this.#results)
      .catch((error: unknown) =>
        this.#options.log.warn({}, `The result of a test could not be stored: ${errorMessage(error)}`),
      );
  }
}

function end(running: Map<KindId, Running>): void {
  for (const { timer } of running.values()) clearTimeout(timer);
  running.clear();
}

function nameOf(siteId: string, kind: KindId): string {
  return `${siteId} ${kind}`;
}

function isResult(stored: unknown): stored is Stored[string] {
  if (!isRecord(stored)) return false;
  const { outcome, at } = stored;
  return ["passed", "quiet", "none"].includes(String(outcome)) && !Number.isNaN(Date.parse(String(at)));
}
