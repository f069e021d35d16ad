import { QUARTER_MS } from "../../core/domain/interval.js";
import { knownQuarters } from "./known-quarters.js";
import type { KnownQuarter, LedgerDay, UncontrolledDay, UncontrolledEnd } from "./ledger-day.js";
import { billed, simulated } from "./runs.js";
import { type DeviceShift, deviceShift } from "./uncontrolled-devices.js";

/** A day before with its uncontrolled run, as it was known then. */
export interface BeforeDay {
  day: Omit<LedgerDay, "promise" | "opening">;
  run: UncontrolledDay;
}

/** An uncontrolled run of a day, settled with what is stored in the battery beyond its own. */
export interface UncontrolledRun {
  billEur: number;
  storedChangeEur: number;
  closing: UncontrolledEnd;
  /** What the day began with, with what is known by its end. */
  startKwh: number;
  /** Load less PV by known quarter-hour. */
  netKwh: number[];
}

/** Stored energy and its worth at the end of the day; without a battery 0. */
export interface Settlement {
  socStartKwh: number;
  socEndKwh: number;
  worthCt: number;
}

/** The battery in self-consumption, with the devices as they were. */
export function uncontrolledBattery(
  day: LedgerDay,
  known: readonly KnownQuarter[],
  settlement: Settlement,
): UncontrolledRun {
  const opening = day.opening?.batteryOnly ?? day.opening;
  const netKwh = known.map((quarter) => quarter.netKwh);
  return runOf({ day, known, netKwh, opening, settlement, startKwh: undefined, earlierEur: 0 });
}

/**
 * Battery in self-consumption and devices uncontrolled. What they took today and would have taken on the days before changes the
 * uncontrolled run of those days too: its cost then counts today, when the energy was taken. `before`: those days, oldest first.
 */
export function uncontrolledHome(
  day: LedgerDay,
  known: readonly KnownQuarter[],
  { settlement, before }: { settlement: Settlement; before: readonly BeforeDay[] },
): UncontrolledRun {
  const { opening } = day;
  const earlier = before.map((one) => ({ day: one.day, known: withNet(one) }));
  // What each took on later days is not in the stored run of a day.
  for (const [index, one] of earlier.entries())
    addNet(earlier, deviceShift(one.day, one.known, earlier.slice(0, index)));
  const shift = deviceShift(day, known, earlier);
  const netKwh = known.map((quarter, t) => quarter.netKwh + shift.kwh[t]!);
  if (shift.beforeKwh.flat().every((kwh) => Math.abs(kwh) < 1e-9))
    return runOf({ day, known, netKwh, opening, settlement, startKwh: undefined, earlierEur: 0 });
  const firstKwh = before[0]!.run.startKwh;
  const was = inSuccession(earlier, firstKwh);
  addNet(earlier, shift);
  const would = inSuccession(earlier, firstKwh);
  return runOf({
    day,
    known,
    netKwh,
    opening,
    settlement,
    startKwh: would.endKwh,
    earlierEur: would.billEur - was.billEur,
  });
}

type NetDay = Pick<BeforeDay, "day"> & { known: KnownQuarter[] };

/** Adds what a later day changes in the days before it. */
function addNet(days: readonly NetDay[], { beforeKwh }: DeviceShift): void {
  for (const [index, kwh] of beforeKwh.entries()) {
    const one = days[index]!;
    one.known = one.known.map((quarter, t) => ({ ...quarter, netKwh: quarter.netKwh + kwh[t]! }));
  }
}

/** The battery in self-consumption over several days: their bill, and what is stored at the end. */
function inSuccession(days: readonly NetDay[], startKwh: number): { billEur: number; endKwh: number } {
  let endKwh = startKwh;
  let billEur = 0;
  for (const { day, known } of days) {
    const flows = simulated(day, known, endKwh);
    billEur += billed(day, known, flows);
    endKwh = flows.at(-1)?.socEndKwh ?? endKwh;
  }
  return { billEur, endKwh };
}

/** The known quarter-hours of a day before with the load of its uncontrolled run. */
function withNet({ day, run }: BeforeDay): KnownQuarter[] {
  return knownQuarters(day).flatMap((quarter) => {
    const index = (quarter.start.getTime() - day.start.getTime()) / QUARTER_MS;
    const netKwh = run.netKwh[index];
    return netKwh === null || netKwh === undefined ? [] : [{ ...quarter, netKwh }];
  });
}

function runOf(input: {
  day: LedgerDay;
  known: readonly KnownQuarter[];
  netKwh: number[];
  opening: UncontrolledEnd | undefined;
  settlement: Settlement;
  /** Stored at the start; left out: as the day before ended. */
  startKwh: number | undefined;
  /** Cost on days before that counts today. */
  earlierEur: number;
}): UncontrolledRun {
  const { day, known, netKwh, opening, earlierEur } = input;
  const { socStartKwh, socEndKwh, worthCt } = input.settlement;
  const startKwh = input.startKwh ?? opening?.uncontrolledKwh ?? socStartKwh;
  const flows = simulated(
    day,
    known.map((quarter, t) => ({ ...quarter, netKwh: netKwh[t]! })),
    startKwh,
  );
  const endKwh = flows.at(-1)?.socEndKwh ?? startKwh;
  const aheadEur = ((socEndKwh - endKwh) * worthCt) / 100;
  return {
    billEur: billed(day, known, flows) + earlierEur,
    storedChangeEur: aheadEur - (opening?.aheadEur ?? 0),
    closing: { uncontrolledKwh: fourPlaces(endKwh), aheadEur: fourPlaces(aheadEur) },
    startKwh,
    netKwh,
  };
}

function fourPlaces(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}
