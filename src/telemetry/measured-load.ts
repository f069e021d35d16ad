import type { TimedValue } from "../core/domain/counter.js";
import { type EnergyStep, HOUR_MS, type Interval, MINUTE_MS, QUARTER_MS } from "../core/domain/interval.js";
import { type Reading, readingOfSlot } from "../core/domain/sample.js";
import type { SlotNumber } from "../core/domain/slot.js";
import type { ApartSlot } from "../core/domain/slots-apart.js";
import type { MeasuredFlows, PowerMeaning } from "./agreeing-readings.js";
import { type MeteredEnergy, NOTHING_METERED } from "./metered-energy.js";
import { type CounterStep, counterSteps, plausibleReadings } from "./plausible-history.js";
import { countedOr, counterPieces, powerPieces, Quarters } from "./quarters.js";
import type { LimitsByReading } from "./reading-limits.js";

/** The readings of a period, each in order of time; one reading before the period gives counters their start. */
export type Readings = Partial<Record<Reading, readonly TimedValue[]>>;

/** The battery whose energies are derived from its SOC. */
export interface MeasuredBattery {
  capacityKwh: number;
  /** Stored per AC kWh charged, and AC kWh per stored kWh: the same in both directions. */
  oneWayEfficiency: number;
}

/** What is known of a site besides its readings. */
export interface MeasuredSite {
  battery?: MeasuredBattery | undefined;
  /** Whether the settings of the site have PV. */
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

/** Largest distance of readings of the SOC that still shows the hour of the energy. */
const LONGEST_GAP_MS = 65 * MINUTE_MS;
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
  const power = (reading: Reading) => quarters(powerPieces(possible(readings, reading, limits)));
  const imports = counted(readings, "import_kwh", limits);
  const load = power("load_power_kw");
  const grid = power("grid_power_kw");
  const imported = quarters(imports.filter(isShort));
  const exported = quarters(counted(readings, "export_kwh", limits).filter(isShort));
  const { pv, charge, discharge } = deviceEnergies(stretch, {
    counter: (reading) => counterPieces(readings[reading] ?? [], limits.get(reading)),
    power: (reading) => powerPieces(possible(readings, reading, limits)),
  });
  const knowsPv = available.has("pv_power_kw") || available.has("pv_kwh");
  const batterySoc = quarters(
    battery === undefined ? [] : socPieces(possible(readings, "soc_pct", limits), battery),
  );
  const vehicle = power("ev_power_kw");
  const wallboxes = slotEnergy(
    slots.filter(({ isWallbox }) => isWallbox),
    (slot) => slotQuarters(slot, { readings, limits, quarters }),
  );
  const energyOf = (of: readonly { slot: SlotNumber }[]) =>
    slotEnergy(of, (slot) => slotQuarters(slot, { readings, limits, quarters }));
  const others = slots.filter(({ isWallbox }) => !isWallbox);
  const devices = energyOf(others);
  const isOutside = ({ slot }: { slot: SlotNumber }) => loadWithout.slots.includes(slot);
  const contained = energyOf(others.filter((one) => !isOutside(one)));
  // Outside of the reading, and not planned apart: part of the load.
  const added = energyOf(
    loadWithout.slots.filter((slot) => !slots.some((one) => one.slot === slot)).map((slot) => ({ slot })),
  );
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
    const withPv = hasPv || knowsPv;
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

/**
 * What PV and battery measured in each quarter-hour of `stretch`: their counters, or else their power, or else the battery's SOC. Without a battery
 * nothing is charged or discharged.
 */
export function measuredFlows(
  readings: Readings,
  stretch: Interval,
  battery: MeasuredBattery | undefined,
  { meaning = "instant", limits = NOT_LIMITED }: { meaning?: PowerMeaning; limits?: LimitsByReading } = {},
): MeasuredFlows[] {
  const { pv, charge, discharge } = deviceEnergies(stretch, {
    counter: (reading) => counterPieces(readings[reading] ?? [], limits.get(reading)),
    power: (reading) => powerPieces(readings[reading] ?? [], meaning),
  });
  const soc = battery === undefined ? [] : socPieces(readings.soc_pct ?? [], battery);
  const [stored, taken] = [1, -1].map((sign) => new Quarters(stretch, partOf(soc, sign)));
  const count = stored!.count;
  return Array.from({ length: count }, (_, index) => ({
    pvKwh: pv.kwh(index),
    chargeKwh: battery === undefined ? 0 : (charge.kwh(index) ?? stored!.kwh(index)),
    dischargeKwh: battery === undefined ? 0 : (discharge.kwh(index) ?? taken!.kwh(index)),
  }));
}

interface EnergySources {
  counter(reading: "pv_kwh" | "charge_kwh" | "discharge_kwh"): EnergyStep[];
  power(reading: "pv_power_kw" | "battery_power_kw"): EnergyStep[];
}

/** Energies of PV and battery, by their counters where there are any, otherwise by their powers. */
function deviceEnergies(stretch: Interval, { counter, power }: EnergySources) {
  const quarters = (pieces: readonly EnergyStep[]) => new Quarters(stretch, pieces);
  const battery = power("battery_power_kw");
  return {
    pv: countedOr(quarters(counter("pv_kwh")), quarters(power("pv_power_kw"))),
    charge: countedOr(quarters(counter("charge_kwh")), quarters(partOf(battery, 1))),
    discharge: countedOr(quarters(counter("discharge_kwh")), quarters(partOf(battery, -1))),
  };
}

/** What flows in one direction. */
function partOf(pieces: readonly EnergyStep[], sign: number): EnergyStep[] {
  return pieces.map((piece) => ({ ...piece, kwh: Math.max(0, sign * piece.kwh) }));
}

/** Energy of each quarter-hour of `stretch` by the readings of a power, kWh; undefined where they are missing. */
export function powerQuarters(
  readings: readonly TimedValue[],
  stretch: Interval,
  meaning: PowerMeaning = "instant",
): (number | undefined)[] {
  const quarters = new Quarters(stretch, powerPieces(readings, meaning));
  return Array.from({ length: quarters.count }, (_, index) => quarters.kwh(index));
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

/** Measured energy of a slot in each quarter-hour of `stretch` (on the UTC grid) in which it is known. */
export function slotEnergySteps(
  readings: Readings,
  slot: SlotNumber,
  stretch: Interval,
  limits: LimitsByReading = NOT_LIMITED,
): EnergyStep[] {
  const quarters = (pieces: readonly EnergyStep[]) => new Quarters(stretch, pieces);
  const { counted, power } = slotQuarters(slot, { readings, limits, quarters });
  return Array.from({ length: power.count }, (_, index) => {
    const start = new Date(stretch.start.getTime() + index * QUARTER_MS);
    const kwh = counted.kwh(index) ?? power.kwh(index);
    return { start, end: new Date(start.getTime() + QUARTER_MS), kwh };
  }).filter((step): step is EnergyStep => step.kwh !== undefined);
}

interface SlotReadings {
  readings: Readings;
  limits: LimitsByReading;
  quarters: (pieces: readonly EnergyStep[]) => Quarters;
}

function slotQuarters(slot: SlotNumber, { readings, limits, quarters }: SlotReadings) {
  return {
    counted: quarters(counted(readings, readingOfSlot(slot, "energy_kwh"), limits).filter(isShort)),
    power: quarters(powerPieces(possible(readings, readingOfSlot(slot, "power_kw"), limits))),
  };
}

/** The readings of a kind that can be. */
function possible(readings: Readings, reading: Reading, limits: LimitsByReading): readonly TimedValue[] {
  return plausibleReadings(readings[reading] ?? [], limits.get(reading));
}

/** The energies between the readings of a counter. */
function counted(readings: Readings, reading: Reading, limits: LimitsByReading): CounterStep[] {
  return counterSteps(readings[reading] ?? [], limits.get(reading));
}

/** A load without the devices' part of it; meters that are read at different times must not make it negative. */
function without(kwh: number, devicesKwh: number): number {
  return devicesKwh > 0 ? Math.max(Math.min(kwh, 0), kwh - devicesKwh) : kwh;
}

function lengthMs({ start, end }: Interval): number {
  return end.getTime() - start.getTime();
}

function isShort({ isLong }: CounterStep): boolean {
  return !isLong;
}

/** AC energy into the battery (negative: out of it) between readings of its SOC. */
function socPieces(readings: readonly TimedValue[], battery: MeasuredBattery): EnergyStep[] {
  return readings.slice(1).flatMap((after, index) => {
    const before = readings[index]!;
    const storedKwh = ((after.value - before.value) / 100) * battery.capacityKwh;
    const kwh = storedKwh > 0 ? storedKwh / battery.oneWayEfficiency : storedKwh * battery.oneWayEfficiency;
    const piece = { start: before.at, end: after.at, kwh };
    return after.at > before.at && lengthMs(piece) <= LONGEST_GAP_MS ? [piece] : [];
  });
}
