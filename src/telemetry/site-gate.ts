import type { SiteRuntime } from "../config/site-runtimes.js";
import type { LiveState, Sample } from "../core/domain/sample.js";
import type { HealthRegistry } from "../core/health-registry.js";
import type { Log } from "../core/log.js";
import type { Cancel, Clock } from "../core/time/clock.js";
import { changeLimits } from "./plausible-change.js";
import { type HeldReading, ReadingGate } from "./reading-gate.js";

export interface SiteGateOptions {
  runtime: SiteRuntime;
  clock: Clock;
  /** Stores readings that count although no second one has confirmed them. */
  release: (samples: Sample[]) => Promise<unknown>;
  /** Where held readings are shown; left out: in the log only. */
  components?: Pick<HealthRegistry, "report" | "remove"> | undefined;
  log: Pick<Log, "warn" | "error">;
}

/** The reading gate of one site: by its present settings, with the time after which a held reading counts. */
export class SiteGate {
  readonly #options: SiteGateOptions;
  readonly #gate = new ReadingGate();
  #cancel: Cancel = () => {};

  constructor(options: SiteGateOptions) {
    this.#options = options;
  }

  /** The samples to use; see `ReadingGate`. */
  pass(samples: readonly Sample[], live: LiveState): Sample[] {
    const { runtime, clock, log } = this.#options;
    const before = new Set(this.held().map(({ reading }) => reading));
    const passed = this.#gate.pass(samples, {
      limits: changeLimits(runtime.site.plant),
      live,
      now: clock.now(),
    });
    for (const { reading, value, used } of this.held())
      if (!before.has(reading))
        log.warn(
          { site: runtime.site.id, reading, value },
          `${reading} cannot have changed from ${used.value} to ${value} since the last reading; ${used.value} applies until a second reading confirms it.`,
        );
    this.#arm();
    return passed;
  }

  held(): HeldReading[] {
    return this.#gate.held();
  }

  stop(): void {
    this.#cancel();
  }

  #arm(): void {
    const { clock, log, release, runtime } = this.#options;
    this.#cancel();
    this.#show();
    const dueAt = this.#gate.dueAt();
    if (dueAt === undefined) return;
    this.#cancel = clock.at(dueAt, () => {
      const released = this.#gate.release(clock.now());
      this.#arm();
      if (released.length === 0) return;
      release(released).catch((err: unknown) =>
        log.error({ err, site: runtime.site.id }, "A reading that was held could not be stored."),
      );
    });
  }

  #show(): void {
    const { components, runtime } = this.#options;
    const { id: siteId } = runtime.site;
    const name = `readings ${siteId}`;
    const held = this.held();
    if (held.length === 0) components?.remove(name);
    else
      components?.report(
        name,
        "degraded",
        held.map(({ reading, value, used }) => ({ code: "reading_held", reading, value, used: used.value })),
        { siteId },
      );
  }
}
