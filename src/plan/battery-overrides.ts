import type { Log } from "../core/log.js";
import { recordOf } from "../core/net/json.js";
import { isNumber, isTimeText } from "../core/shape.js";
import { SerialQueue } from "../core/work/serial-queue.js";
import type { DocumentArchive } from "../store/archive.js";
import {
  type BatteryOverride,
  type BatteryOverrideRequest,
  batteryOverrideOf,
  canCarryOut,
  isInForce,
} from "./battery-override.js";
import type { SiteState } from "./replan-rules.js";

type OverriddenSite = Pick<SiteState, "site" | "override">;

/** The present time, and the SOC if it is known, percent. */
interface Moment {
  now: Date;
  socPct: number | undefined;
}

/** The override of each site's battery, stored so that a restart keeps it. */
export class BatteryOverrides {
  readonly #documents: DocumentArchive;
  readonly #log: Log;
  readonly #writes = new SerialQueue();

  constructor(documents: DocumentArchive, log: Log) {
    this.#documents = documents;
    this.#log = log;
  }

  /** Restores the override of a site. */
  async load(state: OverriddenSite): Promise<void> {
    const { action, until, targetSocPct } = recordOf(await this.#documents.get(nameOf(state)));
    if ((action === "charge" || action === "hold") && isTimeText(until) && isNumber(targetSocPct))
      state.override = { action, until: new Date(until), targetSocPct };
  }

  /** Replaces the override of a site; on disk when this resolves. Throws PlanInputError and StoreError. */
  async set(state: OverriddenSite, request: BatteryOverrideRequest, moment: Moment): Promise<void> {
    const override = batteryOverrideOf(request, { plant: state.site.plant, ...moment });
    await this.#save(state, override);
    state.override = override;
  }

  /** The override in force; one that the settings no longer allow does not apply. */
  inForce({ site, override }: OverriddenSite, moment: Moment): BatteryOverride | undefined {
    if (override === undefined || !canCarryOut(site.plant, override.action)) return undefined;
    return isInForce(override, moment) ? override : undefined;
  }

  /** Removes the override of a site if it has ended; returns whether it has. */
  end(state: OverriddenSite, moment: Moment): boolean {
    if (state.override === undefined || isInForce(state.override, moment)) return false;
    this.remove(state);
    return true;
  }

  /** Removes the override of a site, on disk in the background. */
  remove(state: OverriddenSite): void {
    if (state.override === undefined) return;
    state.override = undefined;
    this.#save(state, undefined).catch((error: unknown) =>
      this.#log.error(
        { site: state.site.id, err: error },
        "The end of an override could not be written to disk.",
      ),
    );
  }

  /** Resolves when everything has been written. */
  idle(): Promise<void> {
    return this.#writes.idle();
  }

  #save(state: OverriddenSite, override: BatteryOverride | undefined): Promise<void> {
    const value = override === undefined ? null : { ...override, until: override.until.toISOString() };
    return this.#writes.run(() => this.#documents.put(nameOf(state), value));
  }
}

function nameOf({ site }: OverriddenSite): string {
  return `battery-override/${site.id}`;
}
