import type { TimedValue } from "../core/domain/counter.js";
import { type EnergyStep, type Interval, QUARTER_MS } from "../core/domain/interval.js";
import { type Reading, readingOfSlot } from "../core/domain/sample.js";
import type { SlotNumber } from "../core/domain/slot.js";
import type { MeasuredFlows, PowerMeaning } from "./agreeing-readings.js";
import { type CounterStep, counterSteps, plausibleReadings } from "./plausible-history.js";
import { countedOr, counterPieces, powerPieces, Quarters } from "./quarters.js";
import { type LimitsByReading, powerRange } from "./reading-limits.js";
import { acKwh, correctedBySoc, LONGEST_SOC_GAP_MS, type MeasuredBattery } from "./soc-correction.js";

/** The readings of a period, each in order of time; one reading before the period gives counters their start. */
export type Readings = Partial<Record<Reading, readonly TimedValue[]>>;

const NOT_LIMITED: LimitsByReading = new Map();

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
  const { pv, charge, discharge } = pvAndBattery(stretch, {
    counter: (reading) => counterPieces(readings[reading] ?? [], limits.get(reading)),
    power: (reading) =>
      reading === "battery_power_kw"
        ? batteryPieces(readings, battery, meaning, limits)
        : powerPieces(readings[reading] ?? [], meaning),
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

/** Energies by the power of the battery. */
export function batteryPieces(
  { battery_power_kw: powers = [], soc_pct: soc = [] }: Readings,
  battery: MeasuredBattery | undefined,
  meaning: PowerMeaning,
  limits: LimitsByReading,
): readonly EnergyStep[] {
  const pieces = powerPieces(powers, meaning);
  return meaning === "corrected" && battery !== undefined
    ? correctedBySoc(pieces, soc, battery, powerRange(limits, "battery_power_kw"))
    : pieces;
}

interface EnergySources {
  counter(reading: "pv_kwh" | "charge_kwh" | "discharge_kwh"): EnergyStep[];
  power(reading: "pv_power_kw" | "battery_power_kw"): readonly EnergyStep[];
}

/** Energies of PV and battery, by their counters where there are any, otherwise by their powers. */
export function pvAndBattery(stretch: Interval, { counter, power }: EnergySources) {
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
  return new Quarters(stretch, powerPieces(readings, meaning)).all();
}

/** Measured energy of a slot in each quarter-hour of `stretch` (on the UTC grid) in which it is known. */
export function slotEnergySteps(
  readings: Readings,
  slot: SlotNumber,
  stretch: Interval,
  limits: LimitsByReading,
): EnergyStep[] {
  const quarters = (pieces: readonly EnergyStep[]) => new Quarters(stretch, pieces);
  const { counted, power } = slotQuarters(slot, { readings, limits, quarters });
  return Array.from({ length: power.count }, (_, index) => {
    const start = new Date(stretch.start.getTime() + index * QUARTER_MS);
    const kwh = counted.kwh(index) ?? power.kwh(index);
    return { start, end: new Date(start.getTime() + QUARTER_MS), kwh };
  }).filter((step): step is EnergyStep => step.kwh !== undefined);
}

/** Energy of each quarter-hour of `stretch` in which a power is known. */
export function powerSteps(
  readings: Readings,
  reading: Reading,
  stretch: Interval,
  limits: LimitsByReading,
): EnergyStep[] {
  return powerQuarters(possible(readings, reading, limits), stretch).flatMap((kwh, index) => {
    const start = new Date(stretch.start.getTime() + index * QUARTER_MS);
    return kwh === undefined ? [] : [{ start, end: new Date(start.getTime() + QUARTER_MS), kwh }];
  });
}

interface SlotReadings {
  readings: Readings;
  limits: LimitsByReading;
  quarters: (pieces: readonly EnergyStep[]) => Quarters;
  meaning?: PowerMeaning;
}

/** Energies of a slot by its counter and by its power. */
export function slotQuarters(slot: SlotNumber, { readings, limits, quarters, meaning }: SlotReadings) {
  return {
    counted: quarters(counted(readings, readingOfSlot(slot, "energy_kwh"), limits).filter(isShort)),
    power: quarters(powerPieces(possible(readings, readingOfSlot(slot, "power_kw"), limits), meaning)),
  };
}

/** The readings of a kind that can be. */
export function possible(
  readings: Readings,
  reading: Reading,
  limits: LimitsByReading,
): readonly TimedValue[] {
  return plausibleReadings(readings[reading] ?? [], limits.get(reading));
}

/** The energies between the readings of a counter. */
export function counted(readings: Readings, reading: Reading, limits: LimitsByReading): CounterStep[] {
  return counterSteps(readings[reading] ?? [], limits.get(reading));
}

export function lengthMs({ start, end }: Interval): number {
  return end.getTime() - start.getTime();
}

export function isShort({ isLong }: CounterStep): boolean {
  return !isLong;
}

/** AC energy into the battery (negative: out of it) between readings of its SOC. */
export function socPieces(readings: readonly TimedValue[], battery: MeasuredBattery): EnergyStep[] {
  return readings.slice(1).flatMap((after, index) => {
    const before = readings[index]!;
    const storedKwh = ((after.value - before.value) / 100) * battery.capacityKwh;
    const piece = { start: before.at, end: after.at, kwh: acKwh(storedKwh, battery) };
    return after.at > before.at && lengthMs(piece) <= LONGEST_SOC_GAP_MS ? [piece] : [];
  });
}
