import { type SlotNumber, slotNumber } from "./slot.js";

/** Settings of a slot that say whether its load is planned. */
interface SlotDemand {
  slot: number;
  kind: string;
  enabled: boolean;
  energy_kwh: number | null;
  hours: number | null;
  segments: readonly number[] | null;
  vehicle?: object | null;
  store?: object | null;
}

/** A slot whose measured load is not part of the site's load, because the plan adds it. */
export interface ApartSlot {
  slot: SlotNumber;
  /** A wallbox: `ev_power_kw` measures the same energy. */
  isWallbox: boolean;
}

/**
 * The slots whose load is planned apart from that of the site: wallboxes, and devices with a demand in their settings. The
 * load of all others, such as a heat pump that is only measured, has to remain in the site's load.
 */
export function slotsApart(slots: readonly SlotDemand[]): ApartSlot[] {
  return slots.flatMap((settings) => {
    const { kind, energy_kwh, hours, segments, vehicle, store } = settings;
    const slot = slotNumber(settings.slot);
    const isPlanned =
      kind === "wallbox" ||
      [energy_kwh, hours, segments, vehicle ?? null, store ?? null].some((demand) => demand !== null);
    return slot !== undefined && settings.enabled && isPlanned
      ? [{ slot, isWallbox: kind === "wallbox" }]
      : [];
  });
}

/** All slots that are switched on: what of them is measured is no part of the learned load, but has a forecast of its own. */
export function enabledSlots(slots: readonly Pick<SlotDemand, "slot" | "kind" | "enabled">[]): ApartSlot[] {
  return slots.flatMap((settings) => {
    const slot = slotNumber(settings.slot);
    return slot !== undefined && settings.enabled ? [{ slot, isWallbox: settings.kind === "wallbox" }] : [];
  });
}

/** Whether a slot is the only wallbox of its site, which may be measured as the vehicles' power. */
export function isOnlyWallbox(
  slots: readonly Pick<SlotDemand, "slot" | "kind" | "enabled">[],
  slot: number,
): boolean {
  const wallboxes = slots.filter(({ kind, enabled }) => enabled && kind === "wallbox");
  return wallboxes.length === 1 && wallboxes[0]!.slot === slot;
}
