import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { realClock } from "../../src/core/time/clock.js";
import { ShellyGen2 } from "../support/devices/relays.js";
import { seeded } from "../support/random.js";

/**
 * Kills the process of an actuator, and sometimes the device, at random moments, and measures the time until the device is
 * in the planned state again: `tsx test/bench/actuator-crashes.ts [crashes]`. Exits with 1 if one took over a minute.
 */
const crashes = Number(process.argv[2] ?? 200);
const LONGEST_MS = 60_000;
const relay = new ShellyGen2(realClock());
await relay.start();
const folder = await mkdtemp(join(tmpdir(), "hourgate-crashes-"));
const random = seeded(11);
const phases = new Map<string, number>();
let phase = "none";

function start(planned: string): ChildProcess {
  const child = fork(join(import.meta.dirname, "actuator-child.mjs"), [folder, relay.host, planned], {
    execArgv: ["--import", "tsx"],
  });
  child.on("message", (message) => {
    phase = String(message);
  });
  return child;
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

async function settled(planned: string): Promise<number> {
  const since = performance.now();
  while (relay.actual() !== planned || !["confirmed", "idle"].includes(phase)) {
    if (performance.now() - since > LONGEST_MS) return Number.POSITIVE_INFINITY;
    await pause(20);
  }
  return performance.now() - since;
}

const times: number[] = [];
let planned = "on";
let child = start(planned);
await settled(planned);
for (let crash = 0; crash < crashes; crash++) {
  planned = random.pick(["on", "off"]);
  Object.assign(
    relay.faults,
    random.pick([{}, { lateMs: 300 }, { status: 500 }, { silent: true }, { inert: true }]),
  );
  child.send(planned);
  const wanted = random.pick(["sending", "failed", "confirmed", "any"]);
  const until = performance.now() + random.between(50, 3_000);
  while (phase !== wanted && performance.now() < until) await pause(5);
  phases.set(phase, (phases.get(phase) ?? 0) + 1);
  child.kill("SIGKILL");
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  if (random.chance(0.3)) relay.reboot();
  relay.repair();
  phase = "none";
  child = start(planned);
  times.push(await settled(planned));
}
child.kill("SIGKILL");
times.sort((a, b) => a - b);
const failed = times.filter((ms) => ms > LONGEST_MS).length;
console.log(
  `${crashes} crashes (${[...phases].map(([name, count]) => `${name} ${count}`).join(", ")}): planned state after ` +
    `${Math.round(times[times.length >> 1]!)} ms (median), ${Math.round(times.at(-1)!)} ms (longest); ${failed} over a minute.`,
);
await relay.stop();
await rm(folder, { recursive: true, force: true });
process.exitCode = failed > 0 ? 1 : 0;
