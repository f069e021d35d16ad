import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

/** Clock ticks per second of the processor times in /proc. */
const TICKS = 100;

/** Processor time of a process in total, of its main thread, and of its children; s. Linux only. */
export function cpuSeconds(pid: number): { total: number; main: number; children: number } {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
    .trim()
    .split(" ")
    .filter(Boolean);
  return {
    total: secondsIn(`/proc/${pid}/stat`),
    main: secondsIn(`/proc/${pid}/task/${pid}/stat`),
    children: children.reduce((sum, child) => sum + secondsIn(`/proc/${child}/stat`), 0),
  };
}

function secondsIn(path: string): number {
  const text = readFileSync(path, "utf8");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

/** Share of a core that all threads but the main one have needed for a few seconds. */
export async function threadShare(pid: number): Promise<number> {
  const others = () => {
    const { total, main } = cpuSeconds(pid);
    return total - main;
  };
  const before = others();
  await wait(3000);
  return (others() - before) / 3;
}

/** Bytes that a process has caused to be written to disk. */
export function writtenBytes(pid: number): number {
  return Number(/^write_bytes: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, "utf8"))?.[1]);
}

/** Size of all files of a folder, bytes; files that vanish meanwhile do not count. */
export function folderBytes(folder: string): number {
  return readdirSync(folder, { withFileTypes: true, recursive: true }).reduce((sum, entry) => {
    try {
      return entry.isFile() ? sum + statSync(join(entry.parentPath, entry.name)).size : sum;
    } catch {
      return sum;
    }
  }, 0);
}
