import { basename } from "node:path";
import { type BacktestSite, type HeldData, measuredSite } from "../comparison/past-site.js";
import type { PlantSettings } from "../config/settings.js";
import type { Terminal } from "./command.js";
import { readLoadFile, readPvFile } from "./load-files.js";

/** Load and PV from the files, else from telemetry, the load else from the settings; an error sentence if a file is invalid. */
export async function backtestSiteOf(
  files: { load: string | undefined; pv: string | undefined },
  plant: PlantSettings,
  held: HeldData,
  terminal: Terminal,
): Promise<BacktestSite | string> {
  const pv = files.pv === undefined ? undefined : readPvFile(files.pv, terminal);
  if (typeof pv === "string") return pv;
  const stored = measuredSite(held);
  const withPv =
    pv !== undefined
      ? { pv: { measured: pv, name: `file ${basename(files.pv!)}` } }
      : stored.pv && { pv: stored.pv };
  if (files.load !== undefined) {
    const load = await readLoadFile(files.load, terminal);
    return typeof load === "string"
      ? load
      : { measured: load, name: `file ${basename(files.load)}`, ...withPv };
  }
  if (stored.measured.length > 0) return { ...stored, ...withPv };
  return {
    measured: [],
    name: `settings, ${plant.load.daily_kwh} kWh a day, known to the plan`,
    ...withPv,
  };
}
