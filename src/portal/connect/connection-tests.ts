import { type Bus, subscribe } from "../../core/bus.js";
import { errorMessage } from "../../core/error-message.js";
import type { Log } from "../../core/log.js";
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
  log: Pick<Log, "warn">;
}

/** Tests of connections: each waits for the next sign of life. The last result of each is stored. */
export class ConnectionTests {
  readonly #options: Options;
  readonly #running = new Map<string, Running>();
  #results: Stored = {};
  #unsubscribe = () => {};

  constructor(options: Options) {
    this.#options = options;
  }

  /** Loads the results. Throws StoreError. */
  async start(): Promise<void> {
    const { bus, documents } = this.#options;
    this.#results = ((await documents.get(DOCUMENT)) as Stored | undefined) ?? {};
    const check = ({ siteId }: { siteId: string }) => this.#check(siteId);
    this.#unsubscribe = subscribe(bus, {
      "connection.used": check,
      "telemetry.received": check,
      "actuator.changed": check,
      "site.removed": ({ siteId }) => this.#forget(siteId),
    });
  }

  stop(): void {
    this.#unsubscribe();
    for (const { timer } of this.#running.values()) clearTimeout(timer);
    this.#running.clear();
  }

  /** Starts a test; one that is running goes on. */
  run(siteId: string, kind: KindId): void {
    const name = nameOf(siteId, kind);
    if (this.#running.has(name)) return;
    const timer = setTimeout(() => {
      const kindFacts = kindNamed(kind);
      const isConnected =
        kindFacts !== undefined &&
        this.#options.connections.of(siteId, kindFacts).contacts.some((contact) => contact.isConnected);
      this.#end(siteId, kind, isConnected ? "quiet" : "none");
    }, TEST_MS).unref();
    this.#running.set(name, { startedMs: Date.now(), timer });
  }

  /** The running test or the last result; undefined if the connection was never tested. */
  of(siteId: string, kind: KindId): { endsAt: Date } | TestResult | undefined {
    const name = nameOf(siteId, kind);
    const running = this.#running.get(name);
    if (running !== undefined) return { endsAt: new Date(running.startedMs + TEST_MS) };
    const result = this.#results[name];
    return result && { outcome: result.outcome, at: new Date(result.at) };
  }

  #check(siteId: string): void {
    for (const [name, { startedMs }] of this.#running) {
      const kind = kindNamed(name.slice(name.lastIndexOf(" ") + 1));
      if (kind === undefined || nameOf(siteId, kind.id) !== name) continue;
      const { lastAt } = this.#options.connections.of(siteId, kind);
      if (lastAt !== undefined && lastAt.getTime() >= startedMs) this.#end(siteId, kind.id, "passed");
    }
  }

  #end(siteId: string, kind: KindId, outcome: TestResult["outcome"]): void {
    const name = nameOf(siteId, kind);
    clearTimeout(this.#running.get(name)?.timer);
    this.#running.delete(name);
    this.#results[name] = { outcome, at: new Date().toISOString() };
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

function nameOf(siteId: string, kind: KindId): string {
  return `${siteId} ${kind}`;
}
