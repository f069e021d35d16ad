import type { SlotSettings } from "../../config/settings.js";
import type { Site } from "../../config/site.js";
import { chargingPower } from "../../config/slot-rules.js";
import type { TimedValue } from "../../core/domain/counter.js";
import { DAY_MS, type Interval, MINUTE_MS, quartersOf } from "../../core/domain/interval.js";
import { isOnlyWallbox, slotsApart } from "../../core/domain/slots-apart.js";
import { addDays, instantOf } from "../../core/time/zone.js";
import { expectedDrawKwh } from "../../plan/windows/estimates.js";
import type { LedgerDevice } from "./ledger-day.js";
import { quarterOfDay, type UsualHours } from "./usual-hours.js";

/** The usual hours of a boiler without a tank in its settings. */
const HOUSEHOLD = { daily_kwh: null, draw_profile: null };
/** A plug that is out for no longer than this was not used. */
const FLICKER_MS = 5 * MINUTE_MS;
/**
 * A vehicle that stays for longer than a weekend with a holiday starts anew at each noon: it was driven without being seen to be unplugged, and
 * its energy belongs to the night before or after.
 */
const LONGEST_STAY_MS = 3.5 * DAY_MS;
/** Days before a day from which the plug has to be known to see that a stay is too long on the noon before. */
export const PLUG_DAYS_BEFORE = 5;

/** What was measured of the devices of a day. */
export interface MeasuredDevices {
  /** Energy by slot and quarter-hour, kWh. */
  slots: readonly { slot: number; kwh: readonly (number | undefined)[] }[];
  /** Readings of the plug from `PLUG_DAYS_BEFORE` on, and the last one before that. */
  plug: readonly TimedValue[];
  /** When devices without a window ran before they were controlled. */
  usual: UsualHours;
}

/** The devices that hourgate plans and that are measured, and when each would have run uncontrolled. */
export function ledgerDevices(
  { plant }: Pick<Site, "plant">,
  { date, day }: { date: string; day: Interval },
  { slots, plug, usual }: MeasuredDevices,
): LedgerDevice[] {
  return slotsApart(plant.slots).flatMap(({ slot }): LedgerDevice[] => {
    const settings = plant.slots.find((one) => one.slot === slot)!;
    const kwh = slots.find((one) => one.slot === slot)?.kwh;
    if (kwh === undefined || kwh.every((one) => one === undefined)) return [];
    const measured = { slot, kwh, powerKw: powerOf(settings, kwh) };
    const isPlugKnown = plug.length > 0 && isOnlyWallbox(plant.slots, slot);
    if (isPlugKnown) return [{ ...measured, spans: stays(plug, { day, date, zone: plant.timezone }) }];
    const spans = windows(settings, { date, zone: plant.timezone });
    if (spans !== undefined) return [{ ...measured, spans }];
    if (settings.kind !== "boiler") return [];
    const quarters = quartersOf(day);
    const { timezone: zone } = plant;
    const hours = usual.get(slot);
    const shares =
      hours === undefined
        ? expectedDrawKwh(settings.store ?? HOUSEHOLD, quarters, zone)
        : quarters.map(({ start }) => hours[quarterOfDay(start, zone)] ?? 0);
    return [{ ...measured, shares }];
  });
}

/** Power of a device while it runs, kW. */
function powerOf({ vehicle, power_kw }: SlotSettings, kwh: readonly (number | undefined)[]): number {
  const settingsKw = vehicle === null ? power_kw : chargingPower(vehicle, power_kw).maxKw;
  return Math.max(settingsKw ?? 0, ...kwh.map((one) => (one ?? 0) * 4));
}

/** The windows of the settings that touch the day; undefined without one, or where it is the whole day. */
function windows(
  { window_start_hour: startHour, window_end_hour: endHour }: SlotSettings,
  { date, zone }: { date: string; zone: string },
): { fromMs: number; endMs: number }[] | undefined {
  if (startHour === null || endHour === null || startHour === endHour) return undefined;
  return [addDays(date, -1), date].map((day) => ({
    fromMs: instantOf(day, startHour, zone).getTime(),
    endMs: instantOf(endHour > startHour ? day : addDays(day, 1), endHour, zone).getTime(),
  }));
}

/** When a vehicle was connected, on the day and the days before; a stay that is too long is divided at noon. */
export function stays(
  plug: readonly TimedValue[],
  { day, date, zone }: { day: Interval; date: string; zone: string },
): { fromMs: number; endMs: number }[] {
  const spans: { fromMs: number; endMs: number }[] = [];
  for (const [index, { at, value }] of plug.entries()) {
    if (value === 0) continue;
    const endMs = plug[index + 1]?.at.getTime() ?? day.end.getTime();
    const last = spans.at(-1);
    if (last !== undefined && at.getTime() - last.endMs <= FLICKER_MS)
      last.endMs = Math.max(last.endMs, endMs);
    else spans.push({ fromMs: at.getTime(), endMs });
  }
  const noons = Array.from({ length: PLUG_DAYS_BEFORE + 1 }, (_, k) =>
    instantOf(addDays(date, k - PLUG_DAYS_BEFORE), 12, zone).getTime(),
  );
  return spans.flatMap(({ fromMs, endMs }) => {
    const cuts = noons.filter((noonMs) => noonMs - fromMs >= LONGEST_STAY_MS && noonMs < endMs);
    const starts = [fromMs, ...cuts];
    return starts.map((startMs, k) => ({ fromMs: startMs, endMs: starts[k + 1] ?? endMs }));
  });
}
