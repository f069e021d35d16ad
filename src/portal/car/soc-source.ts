import type { Services } from "../../api/services.js";
import type { TelemetryMapEntry } from "../../config/settings.js";
import { readingOfSlot } from "../../core/domain/sample.js";
import { slotNumber } from "../../core/domain/slot.js";
import type { SlotPlan } from "../../plan/windows/slot-schedule.js";
import type { Format } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";

/** The typed states of charge: when each was entered, by site and slot; a restart forgets who entered them. */
export class TypedSocs {
  readonly #at = new Map<string, number>();

  note(siteId: string, slot: number, at: Date): void {
    this.#at.set(`${siteId} ${slot}`, at.getTime());
  }

  has(siteId: string, slot: number, at: Date): boolean {
    return this.#at.get(`${siteId} ${slot}`) === at.getTime();
  }
}

/** A reading counts as the state of charge itself while the plan uses a value this near to it, percent. */
const NEAR_PCT = 0.5;

/** Where the state of charge of a vehicle comes from, and when it was read, as a sentence. */
export function socSource(
  { slot, usual, settings, socPct }: SlotPlan,
  {
    siteId,
    services,
    topics,
    typed,
    now,
  }: {
    siteId: string;
    services: Pick<Services, "telemetry" | "devices">;
    /** Topics of other devices that are read. */
    topics: readonly TelemetryMapEntry[];
    typed: TypedSocs;
    now: Date;
  },
  format: Format,
): string {
  const { source } = textsOf(format.language).car;
  const leastPct = format.number((usual ?? settings).vehicle?.min_soc_pct, 0);
  const known = services.telemetry.live(siteId)[readingOfSlot(slotNumber(slot)!, "soc_pct")];
  if (socPct === undefined) return source.unknown(leastPct);
  if (known === undefined) return source.arrival(leastPct);
  const at = format.moment(known.at, now);
  if (Math.abs(known.value - socPct) > NEAR_PCT) return source.estimated(format.number(known.value, 0), at);
  if (typed.has(siteId, slot, known.at)) return source.typed(at);
  const device = services.devices
    .list(siteId)
    .find(({ reads, readings }) => reads.includes(`slot ${slot}`) && readings.soc_pct?.value != null);
  if (device !== undefined) return source.device(device.name, at);
  const topic = topics.find((entry) => entry.slot === slot && entry.field === "soc_pct")?.topic;
  return topic?.startsWith("evcc/") ? source.evcc(at) : source.reported(at);
}
