import { readdirSync, readFileSync } from "node:fs";

/** Memory of a process and its children together, MB: pages that several share count once. */
export class ProcessMemory {
  readonly #pid: number;
  readonly #timer: NodeJS.Timeout;
  peakMb = 0;

  constructor(pid: number) {
    this.#pid = pid;
    this.#timer = setInterval(() => {
      this.peakMb = Math.max(this.peakMb, this.nowMb());
    }, 250);
  }

  nowMb(): number {
    return [this.#pid, ...childrenOf(this.#pid)].reduce((sum, pid) => sum + proportionalMb(pid), 0);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

function childrenOf(parent: number): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && parentOf(pid) === parent);
}

function parentOf(pid: number): number | undefined {
  // Behind the name: the state, then the parent.
  const fields = read(`/proc/${pid}/stat`)
    ?.replace(/^.*\) /s, "")
    .split(" ");
  return fields && Number(fields[1]);
}

function proportionalMb(pid: number): number {
  const kb = /^Pss:\s+(\d+) kB/m.exec(read(`/proc/${pid}/smaps_rollup`) ?? "")?.[1];
  return Number(kb ?? 0) / 1024;
}

/** The time for which the main thread of a process has waited for a processor, ms. */
export function waitedForProcessorMs(pid: number): number {
  return Number(read(`/proc/${pid}/schedstat`)?.split(" ")[1] ?? 0) / 1e6;
}

/** Undefined if the process has ended. */
function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
