import type { HealthRegistry } from "../core/health-registry.js";
import type { HttpLimits, HttpUsage } from "../edges/http/connection-limiter.js";

const UPDATE_MS = 60_000;

export interface HttpHealthOptions {
  components: Pick<HealthRegistry, "report">;
  hasTls: boolean;
  limits: HttpLimits;
  usage: () => HttpUsage;
}

/** Reports the component of the HTTP server: whether it has TLS, and what is in use of its limits. */
export class HttpHealth {
  readonly #options: HttpHealthOptions;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: HttpHealthOptions) {
    this.#options = options;
  }

  /** What clients use of `limits.http`; `refused` counts since the start. */
  usage(): { resource: string; used: number; limit: number; refused: number }[] {
    const { limits, usage } = this.#options;
    const { connections, upgrades, refused } = usage();
    return [
      { resource: "connections", used: connections, limit: limits.connections.total, refused },
      { resource: "upgrades", used: upgrades, limit: limits.upgrades.total, refused: 0 },
    ];
  }

  start(port: number): void {
    const report = () => {
      const { components, hasTls } = this.#options;
      components.report("http", "ok", [
        { code: hasTls ? "http_secure" : "http_plain", port },
        { code: "http_limits", usage: this.usage() },
      ]);
    };
    report();
    this.#timer = setInterval(report, UPDATE_MS).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
  }
}
