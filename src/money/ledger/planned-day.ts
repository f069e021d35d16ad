import type { Site } from "../../config/site.js";
import type { TimedValue } from "../../core/domain/counter.js";
import { type Interval, QUARTER_MS, quartersOf } from "../../core/domain/interval.js";
import { each } from "../../core/shape.js";
import { dayInterval } from "../../core/time/zone.js";
import type { SitePlan } from "../../plan/site-plan.js";
import type { DayClosing, LedgerDay, LedgerQuarter } from "./ledger-day.js";
import { ledgerDevices } from "./ledger-devices.js";
import { ledgerPlant } from "./measure-day.js";
import { QUARTER_NUMBERS } from "./stored-day.js";
import type { UsualHours } from "./usual-hours.js";

/** Planned energy of a slot in each of the intervals, kWh. */
export type PlannedSlotKwh = (slot: number, intervals: readonly Interval[]) => readonly number[];

/** A plan, with the planned energy of its devices. */
export interface PlannedDay {
  plan: SitePlan;
  slotKwh: PlannedSlotKwh;
}

/** A day as a plan expects it, for the same figures as those of a measured day. */
export function plannedDay(
  site: Site,
  { plan, date, slotKwh }: PlannedDay & { date: string },
  {
    plug,
    usual,
    opening,
  }: { plug: readonly TimedValue[]; usual: UsualHours; opening: DayClosing | undefined },
): LedgerDay {
  const { timezone: zone, tariff, slots } = site.plant;
  const day = dayInterval(date, zone);
  const plant = ledgerPlant(site);
  const planned = plan.days.find((one) => one.date === date);
  const quarters = quartersOf(day);
  const kwh = (pct: number | undefined) =>
    pct === undefined || plant.battery === null ? undefined : (plant.battery.capacityKwh * pct) / 100;
  const measured = slots.map(({ slot }) => ({ slot, kwh: slotKwh(slot, quarters) }));
  return {
    date,
    start: day.start,
    zone,
    tariff,
    plant,
    quarters: quarters.map((quarter): LedgerQuarter => {
      const hour = planned?.hours.find(({ start, end }) => start < quarter.end && quarter.start < end);
      if (hour === undefined) return NOTHING_PLANNED;
      const share = QUARTER_MS / Math.max(QUARTER_MS, hour.end.getTime() - hour.start.getTime());
      return {
        importKwh: hour.importKwh * share,
        exportKwh: hour.exportKwh * share,
        pvKwh: hour.pvKwh * share,
        netKwh: (hour.loadKwh - hour.pvKwh) * share,
        loadKwh: hour.loadKwh * share,
        chargeKwh: hour.chargeKwh * share,
        dischargeKwh: hour.dischargeKwh * share,
        communityKwh: 0,
        communityExportKwh: 0,
        spotCtKwh: hour.priceCtKwh,
        importCtKwh: hour.totalCtKwh,
        exportCtKwh: hour.priceCtKwh,
        slotKwh: {},
      };
    }),
    devices: ledgerDevices(site, { date, day }, { slots: measured, plug, usual }),
    socStartKwh: kwh(planned?.socStartPct),
    socEndKwh: kwh(planned?.socEndPct),
    promise: undefined,
    opening,
  };
}

const NOTHING_PLANNED: LedgerQuarter = {
  ...each([...QUARTER_NUMBERS, "netKwh", "spotCtKwh"], undefined),
  communityKwh: 0,
  communityExportKwh: 0,
  slotKwh: {},
};
