import type { Site } from "../config/site.js";
import type { SiteParts, SiteRuntime, SiteRuntimes } from "../config/site-runtimes.js";
import { type Bus, subscribe } from "../core/bus.js";
import type { ComponentSentence } from "../core/domain/component-sentence.js";
import { type FreshnessLimits, freshness } from "../core/domain/freshness.js";
import { HOUR_MS, MINUTE_MS, QUARTER_MS } from "../core/domain/interval.js";
import { powerKw } from "../core/domain/rounding.js";
import type { LiveState, Reading } from "../core/domain/sample.js";
import type { HealthRegistry } from "../core/health-registry.js";
import type { Cancel, Clock } from "../core/time/clock.js";
import { BalanceWindow, LoadHypotheses } from "./balance-window.js";
import { type PowerBalance, powerBalance } from "./energy-balance.js";

export interface BalanceMonitorOptions {
  clock: Pick<Clock, "now">;
  bus: Bus;
  sites: SiteRuntimes;
  telemetry: { live(siteId: string): LiveState };
  freshness: FreshnessLimits;
  components: Pick<HealthRegistry, "report" | "remove">;
}

/** The balance may differ by this, kW, and for this long. */
const LEAST_GAP_KW = 0.3;
const LASTING_MS = 5 * MINUTE_MS;

interface WatchedSite {
  runtime: SiteRuntime;
  /** Since when the balance of the powers has not closed. */
  openSinceMs: number | undefined;
  /** What does not add up, and since when it is said. */
  open: ComponentSentence | undefined;
  window: BalanceWindow | undefined;
  hypotheses: LoadHypotheses;
  settings: Site["plant"];
  said: string;
}

/**
 * Compares the readings of each site: says where they do not add up, and which devices its load contains where the grid is measured
 * too.
 */
export class BalanceMonitor {
  readonly #options: BalanceMonitorOptions;
  readonly #sites: SiteParts<WatchedSite>;
  #unsubscribe: Cancel = () => {};

  constructor(options: BalanceMonitorOptions) {
    this.#options = options;
    this.#sites = options.sites.parts<WatchedSite>({
      create: (runtime) => ({
        runtime,
        openSinceMs: undefined,
        open: undefined,
        window: undefined,
        hypotheses: new LoadHypotheses(),
        settings: runtime.site.plant,
        said: "[]",
      }),
    });
  }

  async start(): Promise<void> {
    this.#unsubscribe = subscribe(this.#options.bus, {
      "telemetry.received": ({ siteId }) => this.#observe(siteId),
    });
  }

  async stop(): Promise<void> {
    this.#unsubscribe();
  }

  #observe(siteId: string): void {
    const part = this.#sites.get(siteId);
    if (part === undefined) return;
    const { site } = part.runtime;
    if (part.settings !== site.plant) {
      part.settings = site.plant;
      part.hypotheses = new LoadHypotheses();
      part.window = undefined;
    }
    const now = this.#options.clock.now();
    const live = this.#options.telemetry.live(siteId);
    const read = (reading: Reading) => {
      const last = live[reading];
      return last !== undefined && freshness(last.at, now, this.#options.freshness) === "fresh"
        ? last.value
        : undefined;
    };
    const balance = powerBalance(site.plant, read);
    if (balance.gapKw !== undefined) this.#byPowers(part, balance, now);
    this.#byEnergies(part, { balance, read, now });
    this.#report(part);
  }

  #byPowers(part: WatchedSite, { gapKw = 0, ...powers }: PowerBalance, now: Date): void {
    if (Math.abs(gapKw) <= LEAST_GAP_KW) {
      part.openSinceMs = undefined;
      part.open = undefined;
      return;
    }
    part.openSinceMs ??= now.getTime();
    if (now.getTime() - part.openSinceMs < LASTING_MS) return;
    const { pvKw = 0, gridKw = 0, batteryKw = 0, loadKw = 0 } = powers;
    part.open ??= openBalance({ pvKw, gridKw, batteryKw, homeKw: loadKw - gapKw });
  }

  /** Energies of a quarter-hour, or with counters, which may be coarse, of an hour. */
  #byEnergies(
    part: WatchedSite,
    of: { balance: PowerBalance; read: (reading: Reading) => number | undefined; now: Date },
  ): void {
    const { now, read } = of;
    const { plant } = part.runtime.site;
    const hasGrid = read("grid_power_kw") !== undefined;
    part.window ??= new BalanceWindow(now);
    const window = part.window;
    window.add(of);
    if (now.getTime() - window.startMs < (hasGrid ? QUARTER_MS : HOUR_MS)) return;
    const means = window.means(plant);
    part.window = new BalanceWindow(now, window);
    if (means === undefined) return;
    part.hypotheses.add(plant, means);
    if (hasGrid) return;
    const { pvKw, gridKw, batteryKw, homeKw } = means;
    const isOpen = Math.abs(gridKw + pvKw - batteryKw - homeKw) > LEAST_GAP_KW;
    part.open = isOpen ? openBalance({ pvKw, gridKw, batteryKw, homeKw }) : undefined;
  }

  #report(part: WatchedSite): void {
    const { site } = part.runtime;
    const proposal = part.hypotheses.proposal(site.plant);
    const sentences = [
      ...(part.open === undefined ? [] : [part.open]),
      ...(proposal === undefined ? [] : [proposal]),
    ];
    const said = JSON.stringify(sentences);
    if (said === part.said) return;
    part.said = said;
    const name = `balance ${site.id}`;
    if (sentences.length === 0) this.#options.components.remove(name);
    else this.#options.components.report(name, "degraded", sentences, { siteId: site.id });
  }
}

function openBalance(powers: {
  pvKw: number;
  gridKw: number;
  batteryKw: number;
  homeKw: number;
}): ComponentSentence {
  const { pvKw, gridKw, batteryKw, homeKw } = powers;
  const fits = (grid: number, battery: number) => Math.abs(grid + pvKw - battery - homeKw) <= LEAST_GAP_KW;
  const reversed = fits(-gridKw, batteryKw) ? "grid" : fits(gridKw, -batteryKw) ? "battery" : null;
  const rounded = (kw: number) => powerKw(kw) ?? 0;
  return {
    code: "balance_open",
    pvKw: rounded(pvKw),
    gridKw: rounded(gridKw),
    homeKw: rounded(homeKw),
    batteryKw: rounded(batteryKw),
    reversed,
  };
}
