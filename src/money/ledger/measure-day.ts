import type { Site } from "../../config/site.js";
import { namedControls, oneWayEfficiency } from "../../core/domain/battery.js";
import type { TimedValue } from "../../core/domain/counter.js";
import { DAY_MS, type EnergyStep, HOUR_MS, type Interval, QUARTER_MS } from "../../core/domain/interval.js";
import type { Reading } from "../../core/domain/sample.js";
import type { SlotNumber } from "../../core/domain/slot.js";
import { isOnlyWallbox } from "../../core/domain/slots-apart.js";
import { addDays, dayInterval, localDate } from "../../core/time/zone.js";
import type { PriceSeries } from "../../forecast/market/price-series.js";
import { allowedControls } from "../../plan/site-policy.js";
import type { MeterArchive } from "../../store/meter-archive.js";
import type { SampleArchive } from "../../store/sample-archive.js";
import { compileTariff } from "../../tariff/compile-tariff.js";
import { settledPrices } from "../../tariff/settled-price.js";
import { agreeingMeanings, deviceQuarters, type PowerMeaning } from "../../telemetry/agreeing-readings.js";
import { quarterLoad } from "../../telemetry/learned-load.js";
import { plausibleReadings } from "../../telemetry/plausible-history.js";
import { plugStates } from "../../telemetry/quarters.js";
import { measuredFlows, type Readings } from "../../telemetry/reading-energies.js";
import { readingLimits } from "../../telemetry/reading-limits.js";
import { type BilledSources, billedQuarters } from "../bill/billed-quarters.js";
import { knownQuarters } from "./known-quarters.js";
import type { LedgerDay, LedgerPlant, LedgerQuarter } from "./ledger-day.js";
import { ledgerDevices, PLUG_DAYS_BEFORE } from "./ledger-devices.js";
import { netLoads } from "./net-load.js";
import { slotReadings } from "./slot-readings.js";
import type { UsualHours } from "./usual-hours.js";

/** Where the measurements of a ledger come from. */
export interface LedgerSources extends BilledSources {
  samples: Pick<SampleArchive, "range" | "lastBefore" | "firstAt">;
  series(): Promise<PriceSeries> | PriceSeries;
  /** Energy of a device that nothing measured, by the commands that it had; left out: not known. */
  assumed?(siteId: string, slot: SlotNumber, from: Date, to: Date): readonly EnergyStep[];
}

/** Many devices report a power of 0 once and then nothing while they are idle. */
const LOOK_BACK_MS = 18 * HOUR_MS;
/** The plug may be reported when it changes only, and a vehicle be at home or away for weeks. */
const PLUG_LOOK_BACK_MS = 60 * DAY_MS;
/** A state of charge may be this old. */
const SOC_AGE_MS = 3 * HOUR_MS;
const READINGS: readonly Reading[] = [
  "pv_kwh",
  "charge_kwh",
  "discharge_kwh",
  "pv_power_kw",
  "battery_power_kw",
  "soc_pct",
];

export interface MeasureOptions {
  plant: LedgerPlant;
  until: Date;
  /** When devices without a window ran before they were controlled. */
  usual: UsualHours;
  pause(): Promise<void>;
}

/** What was measured on a local day, with the prices in force. Throws StoreError, TariffError. */
export async function measuredDay(
  sources: LedgerSources,
  site: Site,
  date: string,
  { plant, until, usual, pause }: MeasureOptions,
): Promise<Omit<LedgerDay, "promise" | "opening">> {
  const { timezone: zone, tariff, pv } = site.plant;
  const day = dayInterval(date, zone);
  const end = until < day.end ? until : day.end;
  const series = await sources.series();
  const prices = compileTariff(tariff ?? {}, zone);
  const billed = await billedQuarters(sources, site, day);
  const limits = readingLimits(site.plant);
  const readings: Readings = {};
  for (const reading of READINGS) {
    const from = new Date(day.start.getTime() - LOOK_BACK_MS);
    const before = await sources.samples.lastBefore(site.id, reading, from, day.start);
    const within = await sources.samples.range(site.id, reading, day.start, new Date(day.end.getTime() + 1));
    const stored = before === undefined ? within : [before, ...within];
    readings[reading] = plausibleReadings(stored, limits.get(reading));
    await pause();
  }
  const { battery } = plant;
  const oneWay = battery && { capacityKwh: battery.capacityKwh, oneWayEfficiency: battery.chargeEfficiency };
  const meter = billed.map(({ importKwh, exportKwh }) => ({
    importKwh,
    // Without PV in the settings a meter that never exports need not be read.
    exportKwh: pv.length === 0 ? (exportKwh ?? 0) : exportKwh,
  }));
  const flowsBy = (meaning: PowerMeaning) => {
    const measured = measuredFlows(readings, day, oneWay ?? undefined, { meaning, limits });
    // And there is none to measure.
    return pv.length === 0 ? measured.map((flow) => ({ ...flow, pvKwh: flow.pvKwh ?? 0 })) : measured;
  };
  const instant = flowsBy("instant");
  await pause();
  const mean = flowsBy("mean");
  await pause();
  const flowsByMeaning = { instant, mean, corrected: flowsBy("corrected") };
  await pause();
  const devices = await slotReadings(sources, site, day);
  const meanings = agreeingMeanings(meter, flowsByMeaning, devices);
  const flows = flowsByMeaning[meanings.flows];
  const nets = netLoads(meter, flows);
  const slots = devices.map((device, index) => ({
    slot: device.slot,
    kwh: deviceQuarters(device, meanings.devices[index]!),
  }));
  const wallbox = devices.findIndex(({ slot }) => isOnlyWallbox(site.plant.slots, slot));
  const plug = await plugReadings(sources, site, { date, until: end });
  const quarters = billed.map(({ start, communityKwh, communityExportKwh }, t): LedgerQuarter => {
    const { importKwh, exportKwh } = meter[t]!;
    const { pvKwh, chargeKwh, dischargeKwh } = flows[t]!;
    const netKwh = nets[t];
    return {
      importKwh,
      exportKwh,
      pvKwh,
      netKwh,
      loadKwh: netKwh === undefined || pvKwh === undefined ? undefined : netKwh + pvKwh,
      chargeKwh,
      dischargeKwh,
      communityKwh,
      communityExportKwh,
      ...settledPrices(series, prices, start),
      slotKwh: Object.fromEntries(
        slots.flatMap(({ slot, kwh }) => (kwh[t] === undefined ? [] : [[slot, kwh[t]]])),
      ),
    };
  });
  // Its readings come after a quarter-hour is over: stored energy is that at the end of what is known.
  const known = knownQuarters({ start: day.start, plant, quarters }, elapsedQuarters(day.start, end));
  const last = known.at(-1)?.start;
  return {
    date,
    start: day.start,
    zone,
    tariff,
    plant,
    quarters,
    devices: ledgerDevices(
      site,
      { date, day },
      {
        slots: withAssumed(sources, site, { day, quarters, measured: slots }),
        plug: plugStates(plug, meanings.devices[wallbox] ?? "instant"),
        usual,
      },
    ),
    socStartKwh: storedAt(readings.soc_pct ?? [], day.start, plant),
    socEndKwh: storedAt(
      readings.soc_pct ?? [],
      last === undefined ? end : new Date(last.getTime() + QUARTER_MS),
      plant,
    ),
  };
}

/** The battery and the connection of a plant as its settings have them. */
export function ledgerPlant({ plant }: Site): LedgerPlant {
  const { battery, grid, pv } = plant;
  const { import_limit_kw, export_limit_kw } = grid;
  const rest = {
    connection: {
      ...(import_limit_kw !== null && { importLimitKw: import_limit_kw }),
      ...(export_limit_kw !== null && { exportLimitKw: export_limit_kw }),
    },
    curtailmentAllowed: pv.length > 0 && pv.every(({ curtailable }) => curtailable),
  };
  if (battery === null) return { battery, controls: [], ...rest };
  const oneWay = oneWayEfficiency(battery.efficiency_pct);
  const kwh = (pct: number) => (battery.capacity_kwh * pct) / 100;
  return {
    battery: {
      capacityKwh: battery.capacity_kwh,
      minSocKwh: kwh(battery.min_soc_pct),
      maxSocKwh: kwh(battery.max_soc_pct),
      maxChargePowerKw: battery.max_charge_power_kw,
      maxDischargePowerKw: battery.max_discharge_power_kw,
      chargeEfficiency: oneWay,
      dischargeEfficiency: oneWay,
      wearCtKwh: battery.wear_ct_kwh,
    },
    controls: allowedControls({
      battery: {
        controls: namedControls(battery),
        gridChargeAllowed: battery.grid_charge_allowed,
        exportAllowed: battery.export_allowed,
      },
    }),
    ...rest,
  };
}

/** Readings of the plug from `PLUG_DAYS_BEFORE` a day on, and the last one before that. */
export async function plugReadings(
  { samples }: Pick<LedgerSources, "samples">,
  { id, plant }: Site,
  { date, until }: { date: string; until: Date },
): Promise<TimedValue[]> {
  if (!plant.slots.some(({ kind, enabled }) => enabled && kind === "wallbox")) return [];
  const { start } = dayInterval(addDays(date, -PLUG_DAYS_BEFORE), plant.timezone);
  const from = new Date(start.getTime() - PLUG_LOOK_BACK_MS);
  const before = await samples.lastBefore(id, "ev_connected", from, start);
  const within = await samples.range(id, "ev_connected", start, until);
  return before === undefined ? within : [before, ...within];
}

/** Energy of the quarter-hours of a slot, kWh. */
interface SlotEnergy {
  slot: SlotNumber;
  kwh: readonly (number | undefined)[];
}

/**
 * The energies with those of slots that report nothing by their commands: a boiler behind a relay. They are part of the measured load,
 * and never more than that.
 */
function withAssumed(
  { assumed }: LedgerSources,
  { id, plant }: Site,
  {
    day,
    quarters,
    measured,
  }: {
    day: Interval;
    quarters: readonly LedgerQuarter[];
    measured: readonly SlotEnergy[];
  },
): SlotEnergy[] {
  return measured.map(({ slot, kwh }) => {
    const isSilent = kwh.every((one) => one === undefined);
    const isEnabled = plant.slots.some((one) => one.slot === slot && one.enabled);
    const steps = isSilent && isEnabled ? (assumed?.(id, slot, day.start, day.end) ?? []) : [];
    if (steps.length === 0) return { slot, kwh };
    const energy = quarterLoad(steps, day.start, quarters.length);
    const taken = quarters.map(({ loadKwh = 0 }, t) => Math.min(energy[t] ?? 0, Math.max(0, loadKwh)));
    return { slot, kwh: taken };
  });
}

/** Stored energy by the last state of charge before or at an instant, kWh. */
function storedAt(readings: readonly TimedValue[], at: Date, { battery }: LedgerPlant): number | undefined {
  const last = readings.findLast((reading) => reading.at <= at);
  if (last === undefined || battery === null || at.getTime() - last.at.getTime() > SOC_AGE_MS)
    return undefined;
  return (battery.capacityKwh * last.value) / 100;
}

/** Whole quarter-hours of a day that are over at an instant. */
export function elapsedQuarters(start: Date, now: Date): number {
  return Math.max(0, Math.floor((now.getTime() - start.getTime()) / QUARTER_MS));
}

/** Local date of the first measurement of a site; undefined without any. Throws StoreError. */
export async function firstMeasuredDate(
  { samples, meter }: Pick<LedgerSources, "samples"> & { meter: Pick<MeterArchive, "list"> },
  site: Site,
): Promise<string | undefined> {
  const counter = await samples.firstAt(site.id, "import_kwh");
  const reading = counter ?? (await samples.firstAt(site.id, "grid_power_kw"));
  const starts = meter.list(site.id).flatMap(({ series }) => series.map(({ firstStart }) => firstStart));
  if (reading !== undefined) starts.push(reading.toISOString());
  const first = starts.sort()[0];
  return first === undefined ? undefined : localDate(new Date(first), site.plant.timezone);
}
