import type { Site } from "../config/site.js";
import type { Log } from "../core/log.js";
import { SerialQueue } from "../core/work/serial-queue.js";
import type { DocumentArchive } from "../store/archive.js";
import {
  type BatteryOverride,
  type BatteryOverrideRequest,
  batteryOverrideOf,
  canCarryOut,
  isInForce,
} from "./battery-override.js";

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
  readonly #overrides = new Map<string, BatteryOverride>();

  constructor(documents: DocumentArchive, log: Log) {
    this.#documents = documents;
    this.#log = log;
  }

  /** Restores the override of a site. */
  async load(siteId: string): Promise<void> {
    const stored = (await this.#documents.get(nameOf(siteId))) as
      | { action: BatteryOverride["action"]; until: string; targetSocPct: number }
      | null
      | undefined;
    if (stored) this.#overrides.set(siteId, { ...stored, until: new Date(stored.until) });
  }

  /** Replaces the override of a site; on disk when this resolves. Throws PlanInputError and StoreError. */
  async set({ id, plant }: Site, request: BatteryOverrideRequest, moment: Moment): Promise<void> {
    const override = batteryOverrideOf(request, { plant, ...moment });
    await this.#save(id, override);
    if (override === undefined) this.#overrides.delete(id);
    else this.#overrides.set(id, override);
  }

  /** The override in force; one that the settings no longer allow does not apply. */
  inForce({ id, plant }: Site, moment: Moment): BatteryOverride | undefined {
    const override = this.#overrides.get(id);
    if (override === undefined || !canCarryOut(plant, override.action)) return undefined;
    return isInForce(override, moment) ? override : undefined;
  }

  /** Removes the override of a site if it has ended; returns whether it has. */
  end({ id }: Site, moment: Moment): boolean {
    const override = this.#overrides.get(id);
    if (override === undefined || isInForce(override, moment)) return false;
    this.remove(id);
    return true;
  }

  /** Removes the override of a site, on disk in the background. */
  remove(siteId: string): void {
    if (!this.#overrides.delete(siteId)) return;
    this.#save(siteId, undefined).catch((error: unknown) =>
      this.#log.error({ site: siteId, err: error }, "The end of an override could not be written to disk."),
    );
  }

  /** Resolves when everything has been written. */
  idle(): Promise<void> {
    return this.#writes.idle();
  }

  #save(siteId: string, override: BatteryOverride | undefined): Promise<void> {
    const value = override === undefined ? null : { ...override, until: override.until.toISOString() };
    return this.#writes.run(() => this.#documents.put(nameOf(siteId), value));
  }
}

function nameOf(siteId: string): string {
  return `battery-override/${siteId}`;
}
