import type { Delivered } from "../windows/delivered.js";
import type { SlotMeters } from "./slot-meters.js";
import type { SurplusFollower } from "./surplus-follower.js";

export interface DeliverySources {
  meters: Pick<SlotMeters, "delivered">;
  follower: Pick<SurplusFollower, "takenKwh">;
  switches: { confirmedHours(siteId: string, slot: number, from: Date): number | undefined };
}

/** What is known of the devices of slots: as measured, else as set by the surplus, and for how long their actuators confirmed. */
export class Deliveries {
  readonly #sources: DeliverySources;

  constructor(sources: DeliverySources) {
    this.#sources = sources;
  }

  /** What a device did from `from` to `to`, which is now. */
  of(siteId: string, slot: number, from: Date, to: Date): Delivered {
    const { meters, follower, switches } = this.#sources;
    const measured = meters.delivered(siteId, slot, from);
    return {
      kwh: measured?.kwh ?? follower.takenKwh(siteId, slot, from, to),
      isMeasured: measured?.isMeasured ?? false,
      confirmedHours: switches.confirmedHours(siteId, slot, from),
    };
  }
}
