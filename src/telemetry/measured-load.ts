import { type EnergyStep, HOUR_MS, type Interval, QUARTER_MS } from "../core/domain/interval.js";
import { type Reading, readingOfSlot } from "../core/domain/sample.js";
import type { SlotNumber } from "../core/domain/slot.js";
import type { ApartSlot } from "../core/domain/slots-apart.js";
import { type MeteredEnergy, NOTHING_METERED } from "./metered-energy.js";
import { powerMeanings } from "./power-meanings.js";
import { counterPieces, powerPieces, Quarters } from "./quarters.js";
import {
  batteryPieces,
  counted,
  isShort,
  lengthMs,
  possible,
  pvAndBattery,
  type Readings,
  slotQuarters,
  socPieces,
} from "./reading-energies.js";
import type { LimitsByReading } from "./reading-limits.js";
import type { MeasuredBattery } from "./soc-correction.js";

/** What is known of a site besides its readings. */
export interface MeasuredSite {
  battery?: MeasuredBattery | undefined;
  hasPv?: boolean;
  /** Imported quarter-hours of the stretch. */
  metered?: MeteredEnergy;
  /** Devices whose measured energy is not part of the load. */
  slots?: readonly ApartSlot[];
  /** What `load_power_kw` does not contain; left out: it contains everything. */
  loadWithout?: LoadWithout;
  /** What the readings can be; others are left out. Left out: not limited. */
  limits?: LimitsByReading;
}

/** Devices that are not part of `load_power_kw`. */
export interface LoadWithout {
  vehicles: boolean;
  slots: readonly SlotNumber[];
}

const EVERYTHING: LoadWithout = { vehicles: false, slots: [] };
const NOT_LIMITED: LimitsByReading = new Map();

/** Largest distance of readings of a counter that is used at all. */
const LONGEST_STRETCH_MS = 7 * 24 * HOUR_MS;

/**
 * Load of the site by quarter-hour of `stretch` (on the UTC grid), as far as the readings show it:
 * - `grid_power_kw` + PV - battery where they are known, less what is planned apart;
 * - else `load_power_kw`, less what it contains of that;
 * - else import + PV - export - battery (charging positive) - vehicle. Every reading in `available` must be known in
 *   the quarter-hour, except the vehicle, which then counts as absent. Without readings of PV the export is not used;
 * - for an import counter that is rarely read: whole steps of at most a week.
 * PV and battery come from their counters, else from their power, else the battery from the SOC; without either in the period it counts as idle. A
 * single value may be negative, because meters and powers are never read at exactly the same time.
 *
 * The measured energy of `slots` is taken out in the quarter-hours in which it is known, down to 0: from imported load that of
 * all, from `load_power_kw` that of those that it contains (`loadWithout`), and that of the wallboxes only where there is no
 * `ev_power_kw`.
 *
 * Imported quarter-hours come first where they suffice: the own load as imported, else imported draw and feed-in in place of
 * the counters. A site with PV needs readings of it and the feed-in for that, since part of its load never passes the meter.
 */
export function measuredLoad(
  readings: Readings,
  stretch: Interval,
  available: ReadonlySet<Reading>,
  {
    battery,
    hasPv = false,
    metered = NOTHING_METERED,
    slots = [],
    loadWithout = EVERYTHING,
    limits = NOT_LIMITED,
  }: MeasuredSite = {},
): EnergyStep[] {
  const quarters = (pieces: readonly EnergyStep[]) => new Quarters(stretch, pieces);
  const knowsPv = available.has("pv_power_kw") || available.has("pv_kwh");
  const withPv = hasPv || knowsPv;
  const isOutside = ({ slot }: { slot: SlotNumber }) => loadWithout.slots.includes(slot);
  const hasOutside = (one: ApartSlot) => (one.isWallbox ? loadWithout.vehicles : isOutside(one));
  // Outside of the reading, and not planned apart: part of the load.
  const addedSlots = loadWithout.slots
    .filter((slot) => !slots.some((one) => one.slot === slot))
    .map((slot) => ({ slot, isWallbox: false }));
  const meaningOf = powerMeanings(readings, stretch, {
    battery,
    withPv,
    metered,
    slots: [...slots, ...addedSlots].map((one) => ({ ...one, isOutside: hasOutside(one) })),
    limits,
  });
  const pieces = (reading: Reading) => powerPieces(possible(readings, reading, limits), meaningOf(reading));
  const usable: Readings = {
    battery_power_kw: possible(readings, "battery_power_kw", limits),
    soc_pct: possible(readings, "soc_pct", limits),
  };
  const power = (reading: Reading) => quarters(pieces(reading));
  const imports = counted(readings, "import_kwh", limits);
  const load = power("load_power_kw");
  const grid = power("grid_power_kw");
  const imported = quarters(imports.filter(isShort));
  const exported = quarters(counted(readings, "export_kwh", limits).filter(isShort));
  const { pv, charge, discharge } = pvAndBattery(stretch, {
    counter: (reading) => counterPieces(readings[reading] ?? [], limits.get(reading)),
    power: (reading) =>
      reading === "battery_power_kw"
        ? batteryPieces(usable, battery, meaningOf(reading), limits)
        : pieces(reading),
  });
  const batterySoc = quarters(battery === undefined ? [] : socPieces(usable.soc_pct!, battery));
  const vehicle = power("ev_power_kw");
  const energyOf = (of: readonly { slot: SlotNumber }[]) =>
    slotEnergy(of, (slot) =>
      slotQuarters(slot, { readings, limits, quarters, meaning: meaningOf(readingOfSlot(slot, "power_kw")) }),
    );
  const wallboxes = energyOf(slots.filter(({ isWallbox }) => isWallbox));
  const others = slots.filter(({ isWallbox }) => !isWallbox);
  const devices = energyOf(others);
  const contained = energyOf(others.filter((one) => !isOutside(one)));
  const added = energyOf(addedSlots);
  const balance = (index: number, kwh: number): number => {
    const vehicleKwh = vehicle.kwh(index);
    return without(
      kwh - (vehicleKwh ?? 0),
      devices(index) + (vehicleKwh === undefined ? wallboxes(index) : 0),
    );
  };
  const hasBattery = !charge.isEmpty || !discharge.isEmpty || !batterySoc.isEmpty;
  const batteryOf = (index: number): number | undefined => {
    const [chargeKwh, dischargeKwh] = [charge.kwh(index), discharge.kwh(index)];
    if (!hasBattery) return 0;
    return chargeKwh === undefined || dischargeKwh === undefined
      ? batterySoc.kwh(index)
      : chargeKwh - dischargeKwh;
  };

  const meteredLoad = quarters(metered.load);
  const meteredImport = quarters(metered.gridImport);
  const meteredExport = quarters(metered.gridExport);

  const meteredBalance = (index: number): number | undefined => {
    const importKwh = meteredImport.kwh(index);
    const pvKwh = withPv ? pv.kwh(index) : 0;
    const exportKwh = withPv ? (meteredExport.kwh(index) ?? exported.kwh(index)) : 0;
    const batteryKwh = batteryOf(index);
    if (importKwh === undefined || pvKwh === undefined) return undefined;
    if (exportKwh === undefined || batteryKwh === undefined) return undefined;
    return balance(index, importKwh + pvKwh - exportKwh - batteryKwh);
  };
  const loadOf = (index: number): number | undefined => {
    const own = meteredLoad.kwh(index);
    if (own !== undefined) return without(own, wallboxes(index) + devices(index));
    const metered15 = meteredBalance(index);
    if (metered15 !== undefined) return metered15;
    const batteryKwh = batteryOf(index);
    const pvKwh = knowsPv ? pv.kwh(index) : 0;
    const gridKwh = grid.kwh(index);
    const isPvKnown = !hasPv || knowsPv;
    if (gridKwh !== undefined && pvKwh !== undefined && batteryKwh !== undefined && isPvKnown)
      return balance(index, gridKwh + pvKwh - batteryKwh);
    const direct = load.kwh(index);
    if (direct !== undefined) {
      const vehiclesKwh = loadWithout.vehicles ? 0 : (vehicle.kwh(index) ?? wallboxes(index));
      return without(direct, contained(index) + vehiclesKwh) + added(index);
    }
    const exportKwh = knowsPv && available.has("export_kwh") ? exported.kwh(index) : 0;
    const importKwh = imported.kwh(index);
    if (importKwh === undefined || pvKwh === undefined) return undefined;
    if (exportKwh === undefined || batteryKwh === undefined) return undefined;
    return balance(index, importKwh + pvKwh - exportKwh - batteryKwh);
  };

  const measured: EnergyStep[] = [];
  for (let index = 0; index < imported.count; index++) {
    const kwh = loadOf(index);
    if (kwh === undefined) continue;
    const startMs = stretch.start.getTime() + index * QUARTER_MS;
    measured.push({ start: new Date(startMs), end: new Date(startMs + QUARTER_MS), kwh });
  }
  if (hasBattery || knowsPv || !load.isEmpty || !grid.isEmpty) return measured;
  if (!meteredLoad.isEmpty || !meteredImport.isEmpty) return measured;
  const longSteps = imports.filter(
    (delta) =>
      !isShort(delta) &&
      lengthMs(delta) <= LONGEST_STRETCH_MS &&
      delta.end > stretch.start &&
      delta.end <= stretch.end,
  );
  return [...measured, ...longSteps.map(({ start, end, kwh }) => ({ start, end, kwh }))];
}

/** Energy of the slots in a quarter-hour, kWh, by their counter or else their power; 0 where it is not known. */
function slotEnergy(
  slots: readonly { slot: SlotNumber }[],
  quartersOf: (slot: SlotNumber) => ReturnType<typeof slotQuarters>,
): (index: number) => number {
  const measured = slots.map(({ slot }) => quartersOf(slot));
  return (index) =>
    measured.reduce(
      (sum, { counted, power }) => sum + Math.max(0, counted.kwh(index) ?? power.kwh(index) ?? 0),
      0,
    );
}

/** A load without the devices' part of it; meters that are read at different times must not make it negative. */
function without(kwh: number, devicesKwh: number): number {
  return devicesKwh > 0 ? Math.max(Math.min(kwh, 0), kwh - devicesKwh) : kwh;
}
