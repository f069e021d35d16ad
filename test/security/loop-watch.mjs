// Preloaded into a gateway: writes how much processor time the main thread used in one turn of its event loop, each time above
// 50 ms, as "<time, ms> <held, ms>" to the file named by HOURGATE_LOOP_FILE. Elapsed time would depend on what else runs on
// the machine.
import { appendFileSync, readFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

const STEP_MS = 10;
const file = process.env.HOURGATE_LOOP_FILE;
if (isMainThread && file !== undefined && process.argv.includes("serve")) {
  const usedMs = () =>
    Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, "latin1").split(" ")[0]) / 1e6;
  let last = usedMs();
  setInterval(() => {
    const now = usedMs();
    if (now - last > 50) appendFileSync(file, `${Date.now()} ${(now - last).toFixed(1)}\n`);
    last = usedMs();
  }, STEP_MS).unref();
}
