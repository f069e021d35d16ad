import { readFileSync } from "node:fs";
import { HOURLY_PRICES, recordedFile } from "../support/recorded-data.js";
import { BENCH_KEY, benchFolder, startBenchGateway } from "./process.js";
import type { BenchLine } from "./table.js";

/** Idle time of a gateway before its memory is measured. */
const IDLE_MS = 15_000;

/** A memory value of `/proc/<pid>/status`, MB; NaN on systems without it. */
function memoryMb(pid: number, figure: "VmRSS" | "VmHWM"): number {
  try {
    const text = readFileSync(`/proc/${pid}/status`, "utf8");
    const [, kilobytes] = new RegExp(`^${figure}:\\s+(\\d+)`, "m").exec(text) ?? [];
    return Number(kilobytes) / 1024;
  } catch {
    return Number.NaN;
  }
}

function childrenOf(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
    return text.split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** Resident memory of a process, MB. */
export const residentMb = (pid: number) => memoryMb(pid, "VmRSS");

/** Resident memory after the idle time, MB. */
export async function idleMb(pid: number): Promise<number> {
  await new Promise((over) => setTimeout(over, IDLE_MS));
  return residentMb(pid);
}

/** Memory of a gateway that trains on four years of prices: the peak, and afterwards. */
export async function benchTrainingMemory(): Promise<BenchLine[]> {
  const folder = benchFolder({
    clock: { start: "2026-02-20T14:00:00+01:00", publish_at: "13:00" },
    market: { sources: [{ type: "file", path: recordedFile(HOURLY_PRICES) }] },
  });
  const gateway = await startBenchGateway(folder.config);
  try {
    let trainingMb = 0;
    for (let model = ""; model !== "ridge-2"; ) {
      await new Promise((over) => setTimeout(over, 100));
      for (const child of childrenOf(gateway.pid))
        trainingMb = Math.max(trainingMb, memoryMb(child, "VmHWM") || 0);
      const answer = await fetch(`${gateway.url}/v1/forecast`, { headers: { "X-API-Key": BENCH_KEY } });
      ({ model_version: model } = (await answer.json()) as { model_version: string });
    }
    return [
      {
        name: "memory after training on four years",
        value: await idleMb(gateway.pid),
        unit: "MB",
        goal: "",
      },
      { name: "… peak until then", value: memoryMb(gateway.pid, "VmHWM"), unit: "MB", goal: "" },
      { name: "training process, peak", value: trainingMb, unit: "MB", goal: "below 300" },
    ];
  } finally {
    await gateway.stop();
    folder.remove();
  }
}
