import { fork } from "node:child_process";
import { once } from "node:events";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { defaultSettings } from "../../src/config/load.js";
import { newDevice } from "../../src/config/new-device.js";
import type { DeviceSettings } from "../../src/config/settings.js";
import { createBus } from "../../src/core/bus.js";
import { realClock } from "../../src/core/time/clock.js";
import { ReadingService } from "../../src/equipment/reading/service.js";
import { TemplateLibrary } from "../../src/equipment/template-library.js";
import { openSources } from "../equipment/reading/rig.js";
import type { BenchLine } from "./table.js";

const DEVICES = 20;
const SECONDS = 30;
const POLL_S = 2;
const MB = 1024 * 1024;

/** Reads 20 devices of five families every two seconds, which are simulated by another process. */
export async function benchReading(): Promise<BenchLine[]> {
  const program = fileURLToPath(new URL("reading-devices.ts", import.meta.url));
  const child = fork(program, [String(DEVICES)], { execArgv: ["--import", "tsx"] });
  const [found] = (await once(child, "message")) as [Pick<DeviceSettings, "template" | "with">[]];
  const library = await TemplateLibrary.open();
  for (const { template } of found) library.get(template);
  const devices = found.map(
    (one, index): DeviceSettings => ({
      ...newDevice(one.template, defaultSettings().plants[0]!),
      ...one,
      id: `device-${index}`,
      poll_s: POLL_S,
      fallback: index > 0,
    }),
  );
  const site = { id: "home", accountId: "", plant: { ...defaultSettings().plants[0]!, devices } };
  const service = new ReadingService({
    ...openSources(),
    clock: realClock(),
    bus: createBus(),
    components: { report: () => {}, remove: () => {} },
    sites: { list: () => [site], get: () => site },
    templates: () => library,
    telemetry: { ingest: async () => {} },
    commandOf: () => undefined,
    log: { trace() {}, debug() {}, info() {}, warn: (_, text) => console.warn(text), error() {} },
  });
  const memory = () => {
    globalThis.gc?.();
    return process.memoryUsage().rss / MB;
  };
  const before = memory();
  await service.start();
  // The first readings compile and identify.
  await wait(3 * POLL_S * 1000);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const cpu = process.cpuUsage();
  const readsBefore = service.list().reduce((sum, { counts }) => sum + counts.reads, 0);
  await wait(SECONDS * 1000);
  delay.disable();
  const { user, system } = process.cpuUsage(cpu);
  const list = service.list();
  const reads = list.reduce((sum, { counts }) => sum + counts.reads, -readsBefore);
  const after = memory();
  await service.stop();
  child.disconnect();
  const notRead = list.filter(({ counts, state }) => state !== "ok" || counts.failures > 0);
  if (notRead.length > 0)
    throw new Error(`Not read: ${notRead.map((one) => `${one.template} ${one.state}`).join(", ")}`);
  const byTemplate = new Map(list.map((one) => [one.template, one]));
  const polls = Math.min(...list.map(({ counts }) => counts.reads));
  return [
    {
      name: `${DEVICES} devices: readings of each in ${SECONDS + 6} s`,
      value: polls,
      unit: "",
      goal: `≥ ${Math.floor(SECONDS / POLL_S)}`,
    },
    {
      name: `${DEVICES} devices: longest reading`,
      value: Math.max(...list.map((one) => one.durationMs)),
      unit: "ms",
      goal: `< ${POLL_S * 1000}`,
    },
    {
      name: `${DEVICES} devices: event loop held, 99.9 %`,
      value: delay.percentile(99.9) / 1e6,
      unit: "ms",
      goal: "< 20",
    },
    {
      name: `${DEVICES} devices: event loop held, longest`,
      value: delay.max / 1e6,
      unit: "ms",
      goal: "< 20",
    },
    {
      name: `${DEVICES} devices: processor time of one reading`,
      value: (user + system) / 1000 / reads,
      unit: "ms",
      goal: "",
    },
    { name: `${DEVICES} devices: memory`, value: after - before, unit: "MB", goal: "< 15" },
    ...[...byTemplate].flatMap(([template, { durationMs, bytes }]) => [
      { name: `${template}: one reading`, value: durationMs, unit: "ms", goal: "" },
      { name: `${template}: one reading`, value: bytes, unit: "bytes", goal: "" },
    ]),
  ];
}
