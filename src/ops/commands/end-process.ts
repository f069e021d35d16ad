import { setTimeout as wait } from "node:timers/promises";

/** Work of Node's thread pool: files and host names. */
const THREAD_WORK = /^(FSReq|GetAddrInfo|GetNameInfo)/;
const CHECK_MS = 20;

/**
 * Ends this process with the exit code. Node waits at the exit for work of its thread pool, such as a host name that no
 * server resolves or a file that never opens; after `graceMs` the process is killed instead.
 */
export async function endProcess(code: number, graceMs = 3_000): Promise<never> {
  const untilMs = performance.now() + graceMs;
  while (isWorking() && performance.now() < untilMs) await wait(CHECK_MS);
  if (isWorking()) process.kill(process.pid, "SIGKILL");
  return process.exit(code);
}

function isWorking(): boolean {
  return process.getActiveResourcesInfo().some((resource) => THREAD_WORK.test(resource));
}
