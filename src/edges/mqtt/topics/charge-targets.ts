import type { Site } from "../../../config/site.js";
import type { Log } from "../../../core/log.js";
import { recordOf } from "../../../core/net/json.js";
import { numberFromText } from "../../../core/number-text.js";
import { isNumber } from "../../../core/shape.js";
import { SerialQueue } from "../../../core/work/serial-queue.js";
import type { SitePlan } from "../../../plan/site-plan.js";
import { type DocumentArchive, restored } from "../../../store/archive.js";
import { PayloadError, readText } from "./payload.js";
import { errorIn, type SlotCommands } from "./slot-commands.js";
import type { Topics } from "./topics.js";

export interface ChargeTargetOptions {
  documents: DocumentArchive;
  topics: Topics;
  plans: { current(siteId: string): Pick<SitePlan, "override"> | undefined };
  slots: Pick<SlotCommands, "override">;
  setValue(topic: string, payload: string): void;
  log: Log;
}

const DOCUMENT = "battery-charge-targets";

/** The SOC up to which the word `charge` charges the battery of each site; stored, the maximum of the settings at first. */
export class ChargeTargets {
  readonly #options: ChargeTargetOptions;
  readonly #targets = new Map<string, number>();
  readonly #writes = new SerialQueue();

  constructor(options: ChargeTargetOptions) {
    this.#options = options;
  }

  async load(): Promise<void> {
    const { documents, log } = this.#options;
    const warning = "The charge targets of the batteries could not be read.";
    const stored = Object.entries(await restored(documents, DOCUMENT, recordOf, { log, warning }));
    for (const [siteId, pct] of stored) if (isNumber(pct)) this.#targets.set(siteId, pct);
  }

  /** Percent; undefined without a battery. The settings may have changed since it was set. */
  of({ id, plant: { battery } }: Site): number | undefined {
    if (!battery) return undefined;
    const pct = this.#targets.get(id) ?? battery.max_soc_pct;
    return pct > battery.min_soc_pct && pct <= battery.max_soc_pct ? pct : battery.max_soc_pct;
  }

  /** Executes `…/battery/charge_target_pct/set`, also for a charge in force. Throws PayloadError. */
  async take(site: Site, payload: Buffer): Promise<undefined> {
    const { battery } = site.plant;
    if (!battery) throw new PayloadError("This plant has no battery in its settings: enter one first.");
    const pct = numberFromText(readText(payload));
    if (pct === undefined || pct <= battery.min_soc_pct || pct > battery.max_soc_pct)
      throw new PayloadError(
        `The payload must be a number above ${battery.min_soc_pct} and at most ${battery.max_soc_pct}, the limits in the plant's settings.`,
      );
    const { documents, plans, slots, setValue, topics } = this.#options;
    const override = plans.current(site.id)?.override;
    if (override?.action === "charge") {
      const problem = errorIn(
        await slots.override(site.id, {
          slot_id: "battery",
          override: "charge",
          target_soc_pct: pct,
          until: override.until.toISOString(),
        }),
      );
      if (problem !== undefined) throw new PayloadError(problem);
    }
    this.#targets.set(site.id, pct);
    await this.#writes.run(() => documents.put(DOCUMENT, Object.fromEntries(this.#targets)));
    setValue(topics.of(site.id, "battery/charge_target_pct"), String(pct));
    return undefined;
  }

  forget(siteId: string): void {
    this.#targets.delete(siteId);
  }
}
