import { energyKwh, lengthHours, priceCtKwh, sharePct } from "../../core/domain/rounding.js";
import { formatIso } from "../../core/time/zone.js";
import { type FlexResult, momentOf } from "../../plan/windows/result.js";

/** Inputs of a windows document besides the result. */
export interface WindowsView {
  now: Date;
  /** Zone of the times in the document. */
  zone: string;
  schema: "windows_v1" | "windows_v1.1";
  /** As named by the caller; null without a slot. */
  slotId: string | null;
  /** The access object; left out on MQTT. */
  access?: Record<string, unknown> | undefined;
}

/** The document `windows_v1` or `windows_v1.1` (docs/spec/http-api.md section 7). */
export function windowsDocument(result: FlexResult, view: WindowsView): Record<string, unknown> {
  const { zone } = view;
  const moment = momentOf(result, view.now);
  return {
    schema: view.schema,
    issued_at: formatIso(view.now, zone),
    timezone: zone,
    mode: result.mode,
    role: result.role,
    deadline_strict: result.deadlineStrict,
    repeat_daily: result.repeatDaily,
    window_start: formatIso(result.window.start, zone),
    window_end: formatIso(result.window.end, zone),
    demand_hours: lengthHours(result.demandHours),
    demand_energy_kwh: orNull(result.demandEnergyKwh, energyKwh),
    slot_count: result.slots.length,
    unmet_hours: lengthHours(result.unmetHours),
    feasible: result.unmetHours <= 0,
    truncated: result.window.truncated,
    charge_now: moment.chargeNow,
    next_start: moment.nextStart === undefined ? null : formatIso(moment.nextStart, zone),
    minutes_to_start: moment.minutesToStart,
    average_price_ct_kwh: orNull(result.averageCtKwh, priceCtKwh),
    window_average_price_ct_kwh: orNull(result.windowAverageCtKwh, priceCtKwh),
    plugged: result.plugged,
    slot_id: view.slotId,
    allocation: result.allocation,
    battery_to_ev_pct: orNull(result.batterySharePct, sharePct),
    battery_energy_kwh: orNull(result.batteryEnergyKwh, energyKwh),
    ...(view.access === undefined ? {} : { access: view.access }),
    slots: result.slots.map((slot) => ({
      rank: slot.rank,
      start: formatIso(slot.start, zone),
      end: formatIso(slot.end, zone),
      price_ct_kwh: priceCtKwh(slot.spotCtKwh),
      total_ct_kwh: priceCtKwh(slot.importCtKwh),
      export_ct_kwh: priceCtKwh(slot.exportCtKwh),
      energy_kwh: orNull(slot.energyKwh, energyKwh),
      quartile: slot.quartile,
      source: slot.source,
    })),
    windows: chosenWindows(result, zone),
    segments: result.segments.map(({ segment, hours, completedHours, start, end }) => ({
      segment,
      hours: lengthHours(hours),
      completed_hours: lengthHours(completedHours),
      start: start === undefined ? null : formatIso(start, zone),
      end: end === undefined ? null : formatIso(end, zone),
    })),
  };
}

/** `windows[]`: adjoining slots merged, in order of rank. */
export function chosenWindows({ windows }: Pick<FlexResult, "windows">, zone: string) {
  return windows.map((window) => ({
    rank: window.rank,
    start: formatIso(window.start, zone),
    end: formatIso(window.end, zone),
    hours: lengthHours(window.hours),
    average_price_ct_kwh: priceCtKwh(window.averageCtKwh),
    energy_kwh: orNull(window.energyKwh, energyKwh),
    segment: window.segment ?? null,
  }));
}

function orNull(value: number | undefined, round: (value: number) => number | null): number | null {
  return value === undefined ? null : round(value);
}
