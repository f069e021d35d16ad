import { execSync } from "node:child_process";
import { cpus, loadavg } from "node:os";
import { benchBatteries } from "./batteries.js";
import { benchFamilies } from "./battery-families.js";
import { benchBroker } from "./broker.js";
import { benchCar } from "./car/main.js";
import { runClosedLoop } from "./closed-loop/main.js";
import { benchPeaks } from "./closed-loop/peaks.js";
import { benchCommuter } from "./devices/commuter.js";
import { benchJoint } from "./devices/main.js";
import { benchForecast } from "./forecast.js";
import { benchControllers, benchHttp } from "./http.js";
import { median } from "./measure.js";
import { benchTrainingMemory, idleMb, residentMb } from "./memory.js";
import { benchMeterFile } from "./meter.js";
import { benchMqtt } from "./mqtt.js";
import { benchOptimizer } from "./optimizer.js";
import { benchPages } from "./pages.js";
import { benchPlanner } from "./planner.js";
import { benchFolder, startBenchGateway } from "./process.js";
import { benchReading } from "./reading.js";
import { benchManySites } from "./sites/main.js";
import { benchStops } from "./stops.js";
import { type BenchLine, tableOf, writeBetweenMarkers } from "./table.js";
import { benchWindows } from "./windows.js";

/** Measures the gateway process: start, memory, responses. */
async function benchGateway(add: (lines: readonly BenchLine[]) => void): Promise<void> {
  const folder = benchFolder();
  const starts: number[] = [];
  for (let round = 0; round < 4; round++) {
    const started = await startBenchGateway(folder.config);
    starts.push(started.readyMs);
    await started.stop();
  }
  const gateway = await startBenchGateway(folder.config);
  try {
    const memoryMb = await idleMb(gateway.pid);
    add([
      {
        name: "start without Node-RED until /v1/forecast responds",
        value: median([...starts, gateway.readyMs]),
        unit: "ms",
        goal: "below 1000",
      },
      { name: "idle memory without Node-RED", value: memoryMb, unit: "MB", goal: "below 100" },
    ]);
    add(await benchHttp(gateway));
    add(await benchControllers(gateway));
    add(await benchMqtt(gateway));
    add([{ name: "memory after these benchmarks", value: residentMb(gateway.pid), unit: "MB", goal: "" }]);
  } finally {
    const began = performance.now();
    await gateway.stop();
    add([
      {
        name: "stop until the process has ended",
        value: performance.now() - began,
        unit: "ms",
        goal: "below 2000",
      },
    ]);
    folder.remove();
  }
}

/** Measures speed and memory and writes speed.md. */
async function benchSpeed(): Promise<void> {
  const before = loadavg()[0]!;
  const lines: BenchLine[] = [];
  /** Prints lines immediately, since a run takes minutes. */
  function add(more: readonly BenchLine[]): void {
    for (const { name, value, unit, goal } of more) {
      console.log(
        `${name.padEnd(64)} ${value.toFixed(2).padStart(9)} ${unit.padEnd(3)} ${goal && `goal: ${goal}`}`.trimEnd(),
      );
    }
    lines.push(...more);
  }
  await benchGateway(add);
  add(await benchStops());
  add(await benchPages());
  add((await benchPlanner()).map(({ name, ratio, goal }) => ({ name, value: ratio, unit: "×", goal })));
  add(benchWindows().map(({ name, medianMs }) => ({ name, value: medianMs, unit: "ms", goal: "" })));
  add(benchForecast());
  add(await benchMeterFile());
  add(await benchTrainingMemory());
  add(await benchOptimizer());
  add(await benchReading());
  const commit = execSync("git rev-parse --short HEAD", { cwd: import.meta.dirname })
    .toString()
    .trim();
  const about =
    `Made by \`npm run bench\` at ${commit} on ${cpus().length} cores (${cpus()[0]?.model.trim() ?? "unknown"}), Node ` +
    `${process.version}, load average ${before.toFixed(1)} before and ${loadavg()[0]!.toFixed(1)} after. Ratios are medians of alternating ` +
    "runs on the same machine; times and memory apply to this machine.";
  writeBetweenMarkers(new URL("speed.md", import.meta.url), tableOf(lines, about));
}

if (process.argv[2] === "closed-loop") runClosedLoop(process.argv.slice(3));
else if (process.argv[2] === "car") await benchCar(process.argv.slice(3));
else if (process.argv[2] === "commuter") await benchCommuter(process.argv.slice(3));
else if (process.argv[2] === "peaks") benchPeaks(process.argv.slice(3));
else if (process.argv[2] === "joint") await benchJoint(process.argv.slice(3));
else if (process.argv[2] === "batteries") await benchBatteries();
else if (process.argv[2] === "families") console.table(await benchFamilies());
else if (process.argv[2] === "broker") console.table(await benchBroker());
else if (process.argv[2] === "pages") console.table(await benchPages());
else if (process.argv[2] === "stops") console.table(await benchStops());
else if (process.argv[2] === "optimizer") console.table(await benchOptimizer());
else if (process.argv[2] === "reading") console.table(await benchReading());
else if (process.argv[2] === "sites") await benchManySites(process.argv.slice(3));
else await benchSpeed();
