import { QUARTER_MS } from "../../core/domain/interval.js";
import type { KnownQuarter, LedgerDay, LedgerQuarter } from "./ledger-day.js";

/** The quarter-hours of a day, up to `count`, in which everything is known that its bills need. */
export function knownQuarters(
  day: Pick<LedgerDay, "quarters" | "start" | "plant">,
  count?: number,
): KnownQuarter[] {
  return day.quarters.slice(0, count).flatMap((quarter, index) => knownQuarter(day, quarter, index));
}

function knownQuarter(
  { start, plant }: Pick<LedgerDay, "start" | "plant">,
  quarter: LedgerQuarter,
  index: number,
): KnownQuarter[] {
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
      communityKwh,
      communityExportKwh,
      spotCtKwh: spotCtKwh ?? 0,
      importCtKwh,
      exportCtKwh: exportCtKwh ?? 0,
    },
  ];
}
