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

/** Each thread has its own children. */
function childrenOf(parent: number): number[] {
  return threadsOf(parent).flatMap(
    (thread) => read(`/proc/${parent}/task/${thread}/children`)?.split(" ").filter(Boolean).map(Number) ?? [],
  );
}

/** None if the process has ended. */
function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
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
