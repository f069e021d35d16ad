import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** Resources of a process at one moment. */
export interface ProcessFigures {
  rssMb: number;
  /** Maximum so far, from the kernel. */
  peakRssMb: number;
  openFiles: number;
  threads: number;
}

/** Reads the resources of a process from /proc (Linux only). */
export function processFigures(pid: number): ProcessFigures {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const figure = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1]);
  return {
    rssMb: figure("VmRSS") / 1024,
    peakRssMb: figure("VmHWM") / 1024,
    openFiles: readdirSync(`/proc/${pid}/fd`).length,
    threads: figure("Threads"),
  };
}

/** Number and total size of the files below a folder. */
export function folderSize(folder: string): { files: number; megabytes: number } {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
  return { files: files.length, megabytes: bytes / 1024 / 1024 };
}
