import { QUARTER_MS } from "../../core/domain/interval.js";
import { moneyEur } from "../../core/domain/rounding.js";
import { each } from "../../core/shape.js";
import type { InverterCommand } from "../../plan/physics/inverter.js";
import { knownQuarters } from "./known-quarters.js";
import {
  AMOUNTS,
  type DayClosing,
  type DayFigures,
  type EnergyName,
  energiesBy,
  type KnownQuarter,
  type LedgerDay,
  type LedgerQuarter,
  type NegativeReason,
  type UncontrolledDay,
} from "./ledger-day.js";
import { perfectCommands } from "./perfect-foresight.js";
import { billed, promisedCommand, promisedStep, simulated, storedWorthCt, withoutBattery } from "./runs.js";
import {
  type BeforeDay,
  type Settlement,
  type UncontrolledRun,
  uncontrolledBattery,
  uncontrolledHome,
} from "./uncontrolled.js";
import { cheapestShift } from "./uncontrolled-devices.js";

/** Share of a day's quarter-hours that must be known. */
const LEAST_SHARE = 0.9;
/** Energy kept for the next day beyond this explains a loss, kWh. */
const KEPT_KWH = 0.5;
/** A loss is at least half a cent. */
const LEAST_LOSS_EUR = 0.005;

/** Which counterfactuals are computed, and how. */
export interface FigureOptions {
  /** Only the quarter-hours of a day that is not over; left out: the day is over. */
  elapsed?: number;
  /** The days before on which a device could have taken energy that it took today, oldest first; left out: it counts from midnight on. */
  before?: readonly BeforeDay[];
  /** Gives way to other work between the parts; a part takes a few milliseconds. */
  pause(): Promise<void>;
}

/** The result of a day; the closing is null where the next day has to start anew. */
export interface LedgerResult {
  figures: DayFigures;
  closing: DayClosing | null;
  /** For the next day, and for its hours. */
  uncontrolled?: UncontrolledDay;
}

/**
 * The figures of a day. Every run has the household load, PV and energy of the devices as measured. The uncontrolled home goes on
 * from the day before, the others start with what was stored in the morning. Stored energy counts by `storedWorthCt`
 * (docs/savings.md). Quarter-hours that are not known count nowhere. Throws TariffError.
 */
export async function dayFigures(
  day: LedgerDay,
  { elapsed, before = [], pause }: FigureOptions,
): Promise<LedgerResult> {
  const { battery, connection } = day.plant;
  const quarters = day.quarters.slice(0, elapsed);
  const known = knownQuarters(day, elapsed);
  const figures = emptyFigures(day, quarters, known.length);
  const settlement = settlementOf(day);
  if (known.length === 0 || known.length < LEAST_SHARE * quarters.length || settlement === undefined)
    return { figures, closing: null };
  const costEur = billed(day, known, known);
  await pause();
  const bills: DayFigures = {
    ...figures,
    ...(elapsed === undefined ? { complete: true } : { soFar: true as const }),
    costEur: moneyEur(costEur),
    noBatteryEur: moneyEur(billed(day, known, withoutBattery(connection.exportLimitKw, known))),
  };
  if (battery === null && day.devices.length === 0) return { figures: bills, closing: null };
  const batteryOnly = uncontrolledBattery(day, known, settlement);
  await pause();
  const hasDevices = day.devices.length > 0 || day.opening?.batteryOnly !== undefined;
  const home = hasDevices ? uncontrolledHome(day, known, { settlement, before }) : batteryOnly;
  await pause();
  const savedEur = home.billEur + home.storedChangeEur - costEur;
  const savedBatteryEur = batteryOnly.billEur + batteryOnly.storedChangeEur - costEur;
  const uncontrolledEur = costEur + savedEur;
  const result: DayFigures = {
    ...bills,
    uncontrolledEur: moneyEur(uncontrolledEur),
    storedChangeEur: moneyEur(home.storedChangeEur),
    savedEur: moneyEur(savedEur),
    savedBatteryEur: moneyEur(savedBatteryEur),
    savedDevicesEur: moneyEur(savedEur - savedBatteryEur),
    negativeReason: savedEur < -LEAST_LOSS_EUR ? negativeReason(day, settlement, home) : null,
  };
  const closing = { ...home.closing, ...differing(batteryOnly, home) };
  if (elapsed !== undefined) return { figures: result, closing };
  const run = settledRun(day, known, settlement);
  const promisedEur = promised(day, known, run);
  await pause();
  const best: number[] = [costEur, uncontrolledEur];
  for (const netKwh of [known.map((one) => one.netKwh), ...cheapest(day, known)]) {
    const loads = known.map((quarter, t) => ({ ...quarter, netKwh: netKwh[t]! }));
    best.push(run(await perfectCommands(day, loads, { worthCt: settlement.worthCt, pause }), netKwh));
  }
  const perfectEur = moneyEur(Math.min(...best));
  return {
    figures: { ...result, promisedEur: promisedEur === null ? null : moneyEur(promisedEur), perfectEur },
    closing,
    uncontrolled: uncontrolledDay(day, known, home),
  };
}

/** Stored energy and what it is worth; undefined where it is not known. */
function settlementOf({ quarters, plant, socStartKwh, socEndKwh }: LedgerDay): Settlement | undefined {
  if (plant.battery === null) return { socStartKwh: 0, socEndKwh: 0, worthCt: 0 };
  if (socStartKwh === undefined || socEndKwh === undefined) return undefined;
  return { socStartKwh, socEndKwh, worthCt: storedWorthCt(quarters, plant.battery) };
}

type SettledRun = (
  commandOf: (start: Date, socKwh: number) => InverterCommand,
  netKwh: readonly number[],
) => number;

/** The bill under other commands and loads, less the worth of what they leave stored beyond what was left. */
function settledRun(
  day: LedgerDay,
  known: readonly KnownQuarter[],
  { socStartKwh, socEndKwh, worthCt }: Settlement,
): SettledRun {
  return (commandOf, netKwh) => {
    const loads = known.map((quarter, t) => ({ ...quarter, netKwh: netKwh[t]! }));
    const flows = simulated(day, loads, socStartKwh, commandOf);
    const leftKwh = (flows.at(-1)?.socEndKwh ?? socStartKwh) - socEndKwh;
    return billed(day, known, flows) - (leftKwh * worthCt) / 100;
  };
}

/** The bill if the plan of the morning had been followed, EUR; null without a plan. */
function promised(day: LedgerDay, known: readonly KnownQuarter[], run: SettledRun): number | null {
  const steps = day.promise?.steps ?? [];
  if (steps.length === 0) return null;
  const capacityKwh = day.plant.battery?.capacityKwh ?? 0;
  const devices = known.map(({ start }) => {
    const index = (start.getTime() - day.start.getTime()) / QUARTER_MS;
    return day.devices.reduce((sum, { kwh }) => sum + Math.max(0, kwh[index] ?? 0), 0);
  });
  const planned = known.map(({ start }) => {
    const step = promisedStep(steps, start);
    return step === undefined ? 0 : (step.devicesKwh ?? 0) / (step.endMs - step.startMs);
  });
  const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0);
  // The same energy as the devices took, at the times of the plan.
  const scale = sum(planned) > 0 ? sum(devices) / sum(planned) : 0;
  return run(
    (start) => promisedCommand(promisedStep(steps, start), capacityKwh),
    known.map(({ netKwh }, t) => (scale > 0 ? netKwh - devices[t]! + planned[t]! * scale : netKwh)),
  );
}

/** The load with the devices in the cheapest quarter-hours, where there are any. */
function cheapest(day: LedgerDay, known: readonly KnownQuarter[]): number[][] {
  if (day.devices.length === 0) return [];
  const shift = cheapestShift(day, known);
  return [known.map(({ netKwh }, t) => netKwh + shift[t]!)];
}

function negativeReason(
  { incidents }: LedgerDay,
  { socStartKwh, socEndKwh }: Settlement,
  home: UncontrolledRun,
): NegativeReason {
  if (incidents?.overridden) return "override";
  if (incidents?.notFollowed) return "not_followed";
  const keptKwh = socEndKwh - home.closing.uncontrolledKwh - (socStartKwh - home.startKwh);
  return keptKwh > KEPT_KWH ? "kept" : "forecast";
}

/** The end of the day with the devices as they were, where it differs. */
function differing(batteryOnly: UncontrolledRun, home: UncontrolledRun): Pick<DayClosing, "batteryOnly"> {
  const { uncontrolledKwh, aheadEur } = batteryOnly.closing;
  const isSame = uncontrolledKwh === home.closing.uncontrolledKwh && aheadEur === home.closing.aheadEur;
  return isSame ? {} : { batteryOnly: batteryOnly.closing };
}

function uncontrolledDay(
  { quarters, start }: LedgerDay,
  known: readonly KnownQuarter[],
  { startKwh, netKwh }: UncontrolledRun,
): UncontrolledDay {
  const all: (number | null)[] = quarters.map(() => null);
  known.forEach((quarter, t) => {
    all[(quarter.start.getTime() - start.getTime()) / QUARTER_MS] = Math.round(netKwh[t]! * 1e4) / 1e4;
  });
  return { startKwh: Math.round(startKwh * 1e4) / 1e4, netKwh: all };
}

function emptyFigures(day: LedgerDay, quarters: readonly LedgerQuarter[], known: number): DayFigures {
  const sum = (name: EnergyName) =>
    quarters.reduce((total, quarter) => total + (quarter[`${name}Kwh`] ?? 0), 0);
  return {
    ...unknownDay(day.date),
    promisedSavingEur: day.promise?.savingEur ?? null,
    kwh: energiesBy((name) => Math.round(1e4 * sum(name)) / 1e4),
    missingQuarters: quarters.length - known,
  };
}

/** A day of which nothing is known. */
export function unknownDay(date: string): DayFigures {
  return {
    date,
    complete: false,
    ...each(AMOUNTS, null),
    negativeReason: null,
    promisedSavingEur: null,
    kwh: energiesBy(() => 0),
    missingQuarters: 0,
  };
}
