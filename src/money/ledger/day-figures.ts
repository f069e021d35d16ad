import { QUARTER_MS } from "../../core/domain/interval.js";
import { moneyEur } from "../../core/domain/rounding.js";
import { type InverterCommand, inverterStep } from "../../plan/physics/inverter.js";
import { billMonth } from "../../tariff/bill.js";
import type {
  DayClosing,
  DayFigures,
  KnownQuarter,
  LedgerDay,
  LedgerQuarter,
  PromisedStep,
} from "./ledger-day.js";
import { perfectCommands } from "./perfect-foresight.js";

/** Share of a day's quarter-hours that must be known. */
const LEAST_SHARE = 0.9;

/** Which counterfactuals are computed, and how. */
export interface FigureOptions {
  /** Only the quarter-hours of a day that is not over; left out: the day is over. */
  elapsed?: number;
  /** Gives way to other work between the parts; a part takes a few milliseconds. */
  pause(): Promise<void>;
}

/** The result of a day; the closing is null where the next day has to start anew. */
export interface LedgerResult {
  figures: DayFigures;
  closing: DayClosing | null;
}

/**
 * The figures of a day. Every counterfactual has the load and PV as measured. The uncontrolled battery goes on from the day
 * before, the others start with what was stored in the morning. Stored energy counts by `storedWorthCt` (docs/savings.md).
 * Quarter-hours that are not known count nowhere. Throws TariffError.
 */
export async function dayFigures(day: LedgerDay, { elapsed, pause }: FigureOptions): Promise<LedgerResult> {
  const { battery } = day.plant;
  const quarters = elapsed === undefined ? day.quarters : day.quarters.slice(0, elapsed);
  const known = quarters.flatMap((quarter, index) => knownQuarter(day, quarter, index));
  const { socStartKwh, socEndKwh } = day;
  const figures = emptyFigures(day, quarters, known.length);
  const incomplete = { figures, closing: null };
  if (known.length === 0 || known.length < LEAST_SHARE * quarters.length) return incomplete;
  if (battery !== null && (socStartKwh === undefined || socEndKwh === undefined)) return incomplete;
  const complete = { ...figures, complete: elapsed === undefined };
  const costEur = billed(day, known, known);
  await pause();
  const noBattery = known.map(({ netKwh }) => ({
    importKwh: Math.max(0, netKwh),
    exportKwh: Math.min(Math.max(0, -netKwh), exportLimitKwh(day)),
  }));
  const noBatteryEur = billed(day, known, noBattery);
  if (battery === null || socStartKwh === undefined || socEndKwh === undefined) {
    const bills = { costEur: moneyEur(costEur), noBatteryEur: moneyEur(noBatteryEur) };
    return { figures: { ...complete, ...bills }, closing: null };
  }
  const worthCt = storedWorthCt(day.quarters, battery);
  const { uncontrolledKwh: openingKwh, aheadEur: openingEur } = day.opening ?? {
    uncontrolledKwh: socStartKwh,
    aheadEur: 0,
  };
  const free = simulated(day, known, openingKwh, () => ({ mode: "free" }));
  const uncontrolledEur = billed(day, known, free);
  await pause();
  const freeEndKwh = free.at(-1)?.socEndKwh ?? openingKwh;
  const aheadEur = ((socEndKwh - freeEndKwh) * worthCt) / 100;
  const storedChangeEur = aheadEur - openingEur;
  const given = (flows: readonly { dischargeKwh: number }[]) =>
    flows.reduce((sum, { dischargeKwh }) => sum + dischargeKwh, 0);
  const result = {
    ...complete,
    costEur: moneyEur(costEur),
    noBatteryEur: moneyEur(noBatteryEur),
    uncontrolledEur: moneyEur(uncontrolledEur),
    storedChangeEur: moneyEur(storedChangeEur),
    savedEur: moneyEur(uncontrolledEur - costEur + storedChangeEur),
    extraWearEur: moneyEur(((given(known) - given(free)) * battery.wearCtKwh) / 100),
  };
  const closing = {
    uncontrolledKwh: Math.round(freeEndKwh * 1e4) / 1e4,
    aheadEur: Math.round(aheadEur * 1e4) / 1e4,
  };
  if (elapsed !== undefined) return { figures: result, closing };
  /** The bill under other commands, less the worth of what they leave stored beyond what was left. */
  const run = (commandOf: (quarter: KnownQuarter, socKwh: number) => InverterCommand) => {
    const flows = simulated(day, known, socStartKwh, commandOf);
    const leftKwh = (flows.at(-1)?.socEndKwh ?? socStartKwh) - socEndKwh;
    return moneyEur(billed(day, known, flows) - (leftKwh * worthCt) / 100);
  };
  const steps = day.promise?.steps ?? [];
  const promisedEur =
    steps.length === 0 ? null : run(({ start }) => promisedCommand(steps, start, battery.capacityKwh));
  await pause();
  const perfectEur = run(await perfectCommands(day, known, { worthCt, pause }));
  return { figures: { ...result, promisedEur, perfectEur }, closing };
}

/** Worth of a stored kWh at the end of a day, ct: as in the backtest, by the prices of that day. */
function storedWorthCt(
  quarters: readonly LedgerQuarter[],
  battery: NonNullable<LedgerDay["plant"]["battery"]>,
): number {
  const prices = quarters.flatMap(({ importCtKwh }) => importCtKwh ?? []);
  const refillCt = Math.min(...prices) / battery.chargeEfficiency;
  const savesCt = Math.max(...prices) * battery.dischargeEfficiency - battery.wearCtKwh;
  return Math.max(0, Math.min(refillCt, savesCt));
}

function simulated(
  { plant }: LedgerDay,
  known: readonly KnownQuarter[],
  socStartKwh: number,
  commandOf: (quarter: KnownQuarter, socKwh: number) => InverterCommand,
) {
  let socKwh = socStartKwh;
  return known.map((quarter) => {
    const flows = inverterStep({
      storage: plant.battery!,
      connection: plant.connection,
      command: commandOf(quarter, socKwh),
      step: {
        minutes: 15,
        loadKwh: Math.max(0, quarter.netKwh),
        pvKwh: Math.max(0, -quarter.netKwh),
      },
      socKwh,
    });
    socKwh = flows.socEndKwh;
    return flows;
  });
}

/** The bill of the day for imports and exports of its quarter-hours, EUR. */
function billed(
  { date, zone, tariff }: LedgerDay,
  known: readonly KnownQuarter[],
  flows: readonly { importKwh: number; exportKwh: number }[],
): number {
  const steps = known.map(({ start, communityKwh, communityExportKwh, spotCtKwh }, index) => {
    const { importKwh, exportKwh } = flows[index]!;
    return {
      start,
      importKwh,
      exportKwh,
      communityKwh: Math.min(importKwh, communityKwh),
      communityExportKwh: Math.min(exportKwh, communityExportKwh),
      spotCtKwh,
    };
  });
  return billMonth({
    tariff: tariff ?? {},
    zone,
    month: date.slice(0, 7),
    days: { first: date, last: date },
    steps,
  }).totalEur;
}

/** The command of the morning's plan; self-consumption where it had none. */
function promisedCommand(steps: readonly PromisedStep[], start: Date, capacityKwh: number): InverterCommand {
  const ms = start.getTime();
  const step = steps.find(({ startMs, endMs }) => startMs <= ms && ms < endMs);
  if (step === undefined) return { mode: "free" };
  const { mode, stopSocPct = 100, dischargeKw } = step;
  return {
    mode,
    ...(mode === "charge" && { stopSocKwh: (capacityKwh * stopSocPct) / 100 }),
    ...(mode === "discharge" && dischargeKw !== undefined && { dischargeCapKw: dischargeKw }),
  };
}

function exportLimitKwh({ plant }: LedgerDay): number {
  return (plant.connection.exportLimitKw ?? Number.POSITIVE_INFINITY) / 4;
}

function knownQuarter({ start, plant }: LedgerDay, quarter: LedgerQuarter, index: number): KnownQuarter[] {
  const { importKwh, exportKwh, netKwh, dischargeKwh, spotCtKwh, importCtKwh, exportCtKwh } = quarter;
  if (importKwh === undefined || exportKwh === undefined) return [];
  if (netKwh === undefined || dischargeKwh === undefined) return [];
  if (importCtKwh === undefined) return [];
  // Under other commands too only a surplus is fed in, or what the battery discharges into the grid.
  const feedsIn = exportKwh > 0 || netKwh < 0 || plant.controls.includes("discharge");
  if (exportCtKwh === undefined && feedsIn) return [];
  const { communityKwh, communityExportKwh } = quarter;
  return [
    {
      start: new Date(start.getTime() + index * QUARTER_MS),
      importKwh,
      exportKwh,
      netKwh,
      dischargeKwh,
      communityKwh,
      communityExportKwh,
      spotCtKwh: spotCtKwh ?? 0,
      importCtKwh,
      exportCtKwh: exportCtKwh ?? 0,
    },
  ];
}

function emptyFigures(day: LedgerDay, quarters: readonly LedgerQuarter[], known: number): DayFigures {
  const sum = (value: (quarter: LedgerQuarter) => number | undefined) =>
    Math.round(1e4 * quarters.reduce((total, quarter) => total + (value(quarter) ?? 0), 0)) / 1e4;
  return {
    ...unknownDay(day.date),
    promisedSavingEur: day.promise?.savingEur ?? null,
    kwh: {
      import: sum(({ importKwh }) => importKwh),
      export: sum(({ exportKwh }) => exportKwh),
      pv: sum(({ pvKwh }) => pvKwh),
      load: sum(({ loadKwh }) => loadKwh),
      charge: sum(({ chargeKwh }) => chargeKwh),
      discharge: sum(({ dischargeKwh }) => dischargeKwh),
    },
    missingQuarters: quarters.length - known,
  };
}

/** A day of which nothing is known. */
export function unknownDay(date: string): DayFigures {
  return {
    date,
    complete: false,
    costEur: null,
    noBatteryEur: null,
    uncontrolledEur: null,
    promisedEur: null,
    perfectEur: null,
    storedChangeEur: null,
    savedEur: null,
    promisedSavingEur: null,
    extraWearEur: null,
    kwh: { import: 0, export: 0, pv: 0, load: 0, charge: 0, discharge: 0 },
    missingQuarters: 0,
  };
}
