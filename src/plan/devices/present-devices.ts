import type { Site } from "../../config/site.js";
import { fixedBatteryShare } from "../../config/slot-rules.js";
import { floorTo, HOUR_MS, QUARTER_MS } from "../../core/domain/interval.js";
import { type LiveState, readingOfSlot } from "../../core/domain/sample.js";
import { slotNumber } from "../../core/domain/slot.js";
import { isOnlyWallbox } from "../../core/domain/slots-apart.js";
import type { PresentDevice } from "../../forecast/load/device-load.js";
import type { LoadModel } from "../../forecast/load/load-model.js";
import type { ExpectedDevices } from "../assembly-input.js";
import type { SlotPlan } from "../windows/slot-schedule.js";
import type { SlotMeters } from "./slot-meters.js";

/** What tells the state of the devices. */
export interface DeviceSources {
  telemetry: { live(siteId: string): LiveState };
  meters: Pick<SlotMeters, "delivered">;
  flex: { current(siteId: string): SlotPlan[] };
}

/** Energy of so many hours says what a device has just done. */
const RECENT_MS = 12 * HOUR_MS;
/** The last hours of a device that switches itself. */
const RECENT_HOURS = 24;
/** A device with less power is off, kW. */
const ON_KW = 0.1;

/**
 * The devices that are measured apart and that the plan must expect beside what it plans: those that are not planned, and the planned ones
 * after the windows that are planned. The energy of a wallbox that the battery serves by a fixed share costs the same in every mode and is left out.
 */
export function presentDevices(
  { id, plant }: Site,
  model: LoadModel | undefined,
  { sources, now }: { sources: DeviceSources; now: Date },
): ExpectedDevices {
  const live = sources.telemetry.live(id);
  const plans = sources.flex.current(id);
  let vehicleIsExpected = false;
  const devices = (model?.devices ?? []).flatMap(({ slot }): PresentDevice[] => {
    const settings = plant.slots.find((one) => one.slot === slot && one.enabled);
    if (settings === undefined || fixedBatteryShare(settings) !== undefined) return [];
    const plan = plans.find((one) => one.slot === slot);
    const untilMs = plannedUntil(plan, now);
    if (untilMs !== undefined) return [{ slot, plannedUntilMs: untilMs }];
    if (settings.kind === "wallbox") vehicleIsExpected = true;
    const number = slotNumber(slot);
    const own = number && live[readingOfSlot(number, "power_kw")];
    const power = own ?? (isOnlyWallbox(plant.slots, slot) ? live.ev_power_kw : undefined);
    // Energy is counted by quarter-hours: an hour that began within one would have up to an hour and a quarter.
    const atMs = floorTo(now.getTime(), QUARTER_MS);
    const takenKwh = (ms: number) => sources.meters.delivered(id, slot, new Date(atMs - ms))?.kwh;
    const recentKwh = takenKwh(RECENT_MS);
    // Nothing is there that could take anything in the hour in progress.
    const isAway = plan?.plugged === 0;
    const state = { recentKwh: recentKwh ?? 0, isOn: !isAway && (power?.value ?? 0) > ON_KW };
    if (settings.kind === "wallbox") return [{ slot, state, ...(isAway && { aheadKwh: [0] }) }];
    // Nothing measures it at present.
    if (recentKwh === undefined) return [{ slot }];
    const sums = Array.from({ length: RECENT_HOURS + 1 }, (_, k) => takenKwh(k * HOUR_MS) ?? 0);
    const hourKwh = sums.slice(1).map((kwh, k) => Math.max(0, kwh - sums[k]!));
    return [{ slot, state, recent: { atMs, hourKwh } }];
  });
  return { devices, vehicleIsExpected };
}

/** End of the last window that is planned; undefined: nothing is. */
function plannedUntil(plan: SlotPlan | undefined, now: Date): number | undefined {
  const windows = [plan?.result, ...(plan?.later ?? [])].flatMap((result) =>
    result?.role === "consume" ? [result.window.end.getTime()] : [],
  );
  const untilMs = Math.max(...windows, now.getTime());
  return windows.length === 0 ? undefined : untilMs;
}
