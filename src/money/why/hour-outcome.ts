import { QUARTER_MS } from "../../core/domain/interval.js";
import { type LedgerHour, ledgerHour } from "../ledger/hour.js";
import type { LedgerPlant } from "../ledger/ledger-day.js";
import { simulated, storedWorthCt } from "../ledger/runs.js";
import type { DayDetails, QuarterColumns } from "../ledger/stored-day.js";

/** What came of an hour, and its part of what the day saved. */
export interface HourOutcome extends LedgerHour {
  /**
   * What the uncontrolled home would have paid less `costEur`, with what the battery has stored beyond the uncontrolled one at the
   * worth of the day; the hours of a day add up to what it saved. Null without a battery, or where the uncontrolled one is not known.
   */
  savedEur: number | null;
  /** What the battery gave less than the uncontrolled one would have, or stored more, kWh; null as above. */
  keptKwh: number | null;
}

/** A day as the ledger has it, with its uncontrolled home. */
interface OutcomeDay {
  quarters: QuarterColumns;
  plant: LedgerPlant;
  uncontrolled: {
    startKwh: number | undefined;
    /** Load less PV with the devices uncontrolled; undefined: as they were. */
    netKwh: readonly (number | null)[] | undefined;
  };
}

/** The outcome of the four quarter-hours from `first` on; undefined where none of them is measured. */
export function hourOutcome(
  { quarters, plant, uncontrolled }: OutcomeDay,
  first: number,
): HourOutcome | undefined {
  if (quarters.importKwh.slice(first, first + 4).every((kwh) => kwh === null)) return undefined;
  const hour = ledgerHour(quarters, first);
  return { ...hour, ...savingOf({ quarters, plant, uncontrolled }, first, hour) };
}

/** What an hour that costs `costEur` saved. */
function savingOf(
  { quarters, plant, uncontrolled }: OutcomeDay,
  first: number,
  { costEur }: LedgerHour,
): Pick<HourOutcome, "savedEur" | "keptKwh"> {
  const { exportKwh, chargeKwh, dischargeKwh, importCtKwh, exportCtKwh } = quarters;
  const hour = [0, 1, 2, 3].map((t) => first + t);
  const { battery } = plant;
  const isKnown = hour.every((t) =>
    [exportKwh, exportCtKwh].every((values) => typeof values[t] === "number"),
  );
  const run = battery && isKnown ? uncontrolledRun({ quarters, plant, uncontrolled }) : undefined;
  if (costEur === null || !battery || !run || hour.some((t) => run[t] === undefined))
    return { savedEur: null, keptKwh: null };
  const prices = importCtKwh.map((ct) => ({ importCtKwh: ct ?? undefined }));
  const worthCt = storedWorthCt(prices, battery);
  const storedKwh = hour.reduce(
    (kwh, t) =>
      kwh +
      (chargeKwh[t] ?? 0) * battery.chargeEfficiency -
      (dischargeKwh[t] ?? 0) / battery.dischargeEfficiency,
    0,
  );
  const before = run[first - 1]?.socEndKwh ?? uncontrolled.startKwh!;
  const keptKwh = storedKwh - (run[first + 3]!.socEndKwh - before);
  const uncontrolledCt = hour.reduce(
    (ct, t) => ct + run[t]!.importKwh * importCtKwh[t]! - run[t]!.exportKwh * exportCtKwh[t]!,
    0,
  );
  return { savedEur: (uncontrolledCt + keptKwh * worthCt) / 100 - costEur, keptKwh };
}

/** The uncontrolled battery through the day, to the first quarter-hour that is not known; undefined where its start is not. */
function uncontrolledRun({ quarters, plant, uncontrolled }: OutcomeDay) {
  const { startKwh, netKwh } = uncontrolled;
  if (startKwh === undefined) return undefined;
  const loads: { start: Date; netKwh: number }[] = [];
  for (let t = 0; t < quarters.importKwh.length; t++) {
    const [load, pv] = [quarters.loadKwh[t], quarters.pvKwh[t]];
    const net = netKwh?.[t] ?? (typeof load === "number" && typeof pv === "number" ? load - pv : undefined);
    if (net === undefined) break;
    loads.push({ start: new Date(t * QUARTER_MS), netKwh: net });
  }
  return simulated({ date: "", zone: "UTC", tariff: null, plant }, loads, startKwh);
}

/** What the uncontrolled battery had stored at the end of a day; undefined where that is not known. */
export function uncontrolledEndKwh({ uncontrolled, quarters, plant }: DayDetails): number | undefined {
  if (uncontrolled === undefined || quarters === undefined || plant === undefined) return undefined;
  const run = uncontrolledRun({ quarters, plant, uncontrolled });
  return run?.length === quarters.importKwh.length ? run.at(-1)?.socEndKwh : undefined;
}
