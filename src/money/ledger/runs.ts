import type { StorageLimits } from "../../core/domain/battery.js";
import { type InverterCommand, inverterStep } from "../../plan/physics/inverter.js";
import { billMonth } from "../../tariff/bill.js";
import type { KnownQuarter, LedgerDay, LedgerQuarter, PromisedStep } from "./ledger-day.js";

/** Energies of a quarter-hour under other commands, kWh. */
export interface RunFlows {
  importKwh: number;
  exportKwh: number;
  socEndKwh: number;
}

type RunDay = Pick<LedgerDay, "date" | "zone" | "tariff" | "plant">;

/** The known quarter-hours of a day under other commands of the battery; without a battery what the load draws. */
export function simulated(
  { plant: { battery, connection } }: RunDay,
  known: readonly Pick<KnownQuarter, "start" | "netKwh">[],
  socStartKwh: number,
  commandOf: (start: Date, socKwh: number) => InverterCommand = () => ({ mode: "free" }),
): RunFlows[] {
  if (battery === null) return withoutBattery(connection.exportLimitKw, known);
  let socKwh = socStartKwh;
  return known.map(({ start, netKwh }) => {
    const flows = inverterStep({
      storage: battery,
      connection,
      command: commandOf(start, socKwh),
      step: { minutes: 15, loadKwh: Math.max(0, netKwh), pvKwh: Math.max(0, -netKwh) },
      socKwh,
    });
    socKwh = flows.socEndKwh;
    return flows;
  });
}

/** What the load draws and feeds in without a battery. */
export function withoutBattery(
  exportLimitKw: number | undefined,
  known: readonly Pick<KnownQuarter, "netKwh">[],
): RunFlows[] {
  const mostKwh = (exportLimitKw ?? Number.POSITIVE_INFINITY) / 4;
  return known.map(({ netKwh }) => ({
    importKwh: Math.max(0, netKwh),
    exportKwh: Math.min(Math.max(0, -netKwh), mostKwh),
    socEndKwh: 0,
  }));
}

/** The bill of the day for imports and exports of its quarter-hours, EUR. Throws TariffError. */
export function billed(
  { date, zone, tariff }: RunDay,
  known: readonly KnownQuarter[],
  flows: readonly Pick<RunFlows, "importKwh" | "exportKwh">[],
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

/** Worth of a stored kWh at the end of a day, ct: as in the backtest, by the prices of that day. */
export function storedWorthCt(
  quarters: readonly Pick<LedgerQuarter, "importCtKwh">[],
  battery: StorageLimits & { wearCtKwh: number },
): number {
  const prices = quarters.flatMap(({ importCtKwh }) => importCtKwh ?? []);
  const refillCt = Math.min(...prices) / battery.chargeEfficiency;
  const savesCt = Math.max(...prices) * battery.dischargeEfficiency - battery.wearCtKwh;
  return Math.max(0, Math.min(refillCt, savesCt));
}

/** The step of the morning's plan at an instant. */
export function promisedStep(steps: readonly PromisedStep[], start: Date): PromisedStep | undefined {
  const ms = start.getTime();
  return steps.find(({ startMs, endMs }) => startMs <= ms && ms < endMs);
}

/** The command of the morning's plan; self-consumption where it had none. */
export function promisedCommand(step: PromisedStep | undefined, capacityKwh: number): InverterCommand {
  if (step === undefined) return { mode: "free" };
  const { mode, stopSocPct = 100, dischargeKw } = step;
  return {
    mode,
    ...(mode === "charge" && { stopSocKwh: (capacityKwh * stopSocPct) / 100 }),
    ...(mode === "discharge" && dischargeKw !== undefined && { dischargeCapKw: dischargeKw }),
  };
}
