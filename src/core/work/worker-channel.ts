import { fork } from "node:child_process";
import { readFileSync } from "node:fs";
import { setPriority } from "node:os";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { requirePackage } from "../installation.js";
import { volunteerForOutOfMemory } from "../memory.js";
import type { FromWorker, ToWorker } from "./serve-tasks.js";
import { WorkError } from "./work-error.js";

export interface ChannelOptions {
  /** The module of the worker. If it is a source, the worker first loads TypeScript support. */
  module: URL;
  /** Of a thread its heap, of a process everything. */
  memoryMb: number;
  niceness: number;
  /** Processes with a higher score are ended first when the memory of the machine runs out; threads have none. */
  outOfMemoryScore: number | undefined;
  /** Beginning of the sentence about an end: "The solver". */
  name: string;
  onMessage(message: FromWorker): void;
  /** Called once. */
  onEnd(error: WorkError): void;
}

/** The connection to a worker, which is a thread or a process. */
export interface WorkerChannel {
  /** Throws if the message cannot be copied. */
  post(message: ToWorker, transfer: readonly ArrayBuffer[]): void;
  /** Ends the worker whatever it does; `onEnd` follows. */
  kill(): void;
  /** A worker keeps the gateway running while it has a task. */
  setBusy(isBusy: boolean): void;
  /** The memory of a process, MB; undefined where the system does not tell. */
  residentMb(): number | undefined;
  /** Processor time that a process has used, ms; undefined where the system does not tell. */
  processorMs(): number | undefined;
}

const isSource = (module: URL) => module.href.endsWith(".ts");

/** How a process is started with a module. */
export function programOf(module: URL): { file: string; execArgv: string[] } {
  const file = fileURLToPath(module);
  if (!isSource(module)) return { file, execArgv: [] };
  return { file, execArgv: ["--import", pathToFileURL(requirePackage.resolve("tsx")).href] };
}

export function startThread({ module, memoryMb, name, onMessage, onEnd }: ChannelOptions): WorkerChannel {
  const resourceLimits = { maxOldGenerationSizeMb: memoryMb };
  const worker = isSource(module)
    ? new Worker(sourceLoader(module), { resourceLimits, eval: true })
    : new Worker(module, { resourceLimits });
  let fault: WorkError | undefined;
  worker.on("message", onMessage);
  worker.on("error", (error: NodeJS.ErrnoException) => {
    fault =
      error.code === "ERR_WORKER_OUT_OF_MEMORY"
        ? new WorkError("memory", `${name} needed too much memory.`)
        : new WorkError("ended", `${name} ended: ${error.message}`);
  });
  worker.once("exit", (code) => onEnd(fault ?? new WorkError("ended", `${name} ended with code ${code}.`)));
  return {
    post: (message, transfer) => worker.postMessage(message, transfer),
    kill: () => void worker.terminate(),
    setBusy: (isBusy) => (isBusy ? worker.ref() : worker.unref()),
    residentMb: () => undefined,
    processorMs: () => undefined,
  };
}

function sourceLoader(module: URL): string {
  const tsx = pathToFileURL(requirePackage.resolve("tsx/package.json"));
  const support = new URL("./dist/esm/api/index.mjs", tsx).href;
  return `import("${support}").then(({ register }) => { register(); return import("${module.href}"); });`;
}

export function startProcess(options: ChannelOptions): WorkerChannel {
  const { module, memoryMb, niceness, outOfMemoryScore, name, onMessage, onEnd } = options;
  const { file, execArgv } = programOf(module);
  const child = fork(file, {
    execArgv: [`--max-old-space-size=${memoryMb}`, ...execArgv],
    serialization: "advanced",
    // Not inherited: a reader of the gateway's output would otherwise wait for a process that outlives the gateway.
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  const { pid } = child;
  if (pid !== undefined) {
    lowerPriority(pid, niceness);
    if (outOfMemoryScore !== undefined) volunteerForOutOfMemory(outOfMemoryScore, pid);
  }
  child.on("message", onMessage);
  child.on("error", (error) => {
    // A failed message is an error, too; only a process that did not start has no exit event.
    if (pid === undefined) onEnd(new WorkError("ended", `${name} did not start: ${error.message}`));
  });
  child.once("exit", (code, signal) =>
    onEnd(
      // V8 aborts when the heap is full.
      signal === "SIGABRT"
        ? new WorkError("memory", `${name} needed too much memory.`)
        : new WorkError("ended", `${name} ended with ${signal ?? `code ${code}`}.`),
    ),
  );
  return {
    post: (message) => void child.send(message, () => {}),
    kill: () => void child.kill("SIGKILL"),
    setBusy: (isBusy) => {
      const change = isBusy ? "ref" : "unref";
      child[change]();
      child.channel?.[change]();
    },
    residentMb: () => residentMb(pid),
    processorMs: () => processorMs(pid),
  };
}

function lowerPriority(pid: number, niceness: number): void {
  try {
    setPriority(pid, niceness);
  } catch {
    // The process has ended, or the system does not allow it; the priority is optional.
  }
}

function residentMb(pid: number | undefined): number | undefined {
  try {
    const kb = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kb === undefined ? undefined : Number(kb) / 1024;
  } catch {
    // Not on Linux, or the process has ended.
    return undefined;
  }
}

/** Linux counts processor time in ticks of a hundredth of a second for all programs. */
const TICK_MS = 10;

function processorMs(pid: number | undefined): number | undefined {
  try {
    // Behind the name, which may contain anything: fields 14 and 15 of proc(5), counted from the state, the third.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    const ticks = Number(fields[11]) + Number(fields[12]);
    return Number.isFinite(ticks) ? ticks * TICK_MS : undefined;
  } catch {
    return undefined;
  }
}
