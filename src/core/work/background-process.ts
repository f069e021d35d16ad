import { type ChildProcess, fork } from "node:child_process";
import { createRequire } from "node:module";
import { setPriority } from "node:os";
import { fileURLToPath, pathToFileURL } from "node:url";

/** Largest heap: a process that needs more would take the memory of the gateway. */
const MOST_MEMORY_MB = 300;
/** Lets the gateway and other programs of the computer go first. */
const NICENESS = 10;

/**
 * Starts a compiled module as a process of low priority that receives and sends messages. From the sources, as in tests, the
 * process first loads TypeScript support.
 */
export function startBackgroundProcess(module: URL): ChildProcess {
  const isSource = import.meta.url.endsWith(".ts");
  const file = fileURLToPath(isSource ? module.href.replace(/\.js$/, ".ts") : module);
  const loader = isSource
    ? ["--import", pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href]
    : [];
  const child = fork(file, {
    execArgv: [`--max-old-space-size=${MOST_MEMORY_MB}`, ...loader],
    serialization: "advanced",
    // Not inherited: a reader of the gateway's output would otherwise wait for a process that outlives the gateway.
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  try {
    if (child.pid !== undefined) setPriority(child.pid, NICENESS);
  } catch {
    // The process has ended, or the system does not allow it; the priority is optional.
  }
  return child;
}
