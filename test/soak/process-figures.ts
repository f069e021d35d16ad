import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** What a process holds at one moment. */
export interface Holding {
  rssMb: number;
  /** Highest so far, as the kernel counted it. */
  peakRssMb: number;
  openFiles: number;
  threads: number;
}

/** Reads what the kernel tells of a process (Linux only). */
export function holdingOf(pid: number): Holding {
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
