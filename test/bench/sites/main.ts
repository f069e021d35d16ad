import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { ClassicLevel } from "classic-level";
import { median } from "../measure.js";
import { idleMb, residentMb } from "../memory.js";
import { benchMqtt } from "../mqtt.js";
import { type BenchGateway, benchFolder, startBenchGateway } from "../process.js";
import { signInTo } from "../sign-in.js";
import { comparisonOf, type Figures, type HomeFigures, lastRelease, saveRelease } from "./compare.js";
import { Devices } from "./devices.js";
import {
  BOUNDARY,
  benchSites,
  fleetFolder,
  PASSWORD,
  provision,
  startBroker,
  TRANSPORTS,
  type Transport,
} from "./fleet.js";
import { cpuSeconds, folderBytes, threadShare, writtenBytes } from "./process-usage.js";

const DAY_S = 86_400;
/** Devices send this long before figures are taken, and as long again until the threads rest: all sites have their first plans. */
const WARM_UP_MS = 15_000;
/** Share of a core that threads need at rest, at most: garbage collection, disk. */
const REST = 0.3;
/** Time from the start of the gateway's clock to the boundary: a base, and more for each site to start and to have its first plan. */
const LEAD_MS = { base: 60_000, perSite: 150 };
const ADDED_SITES = 3;

/** A period of the run. */
interface Phase {
  samplesPerSecond: number;
  failed: number;
  /** ms. */
  answers: { p50: number; p99: number };
  /** Shares of one core. */
  cpu: { total: number; main: number };
  /** Delay of the event loop, ms. */
  loop: { p99: number; max: number };
  /** Bytes a second that are written to disk. */
  written: number;
}

interface Level {
  sites: number;
  transport: Transport;
  load: number;
  startSeconds: number;
  steady: Phase;
  boundary: Phase;
  /** Time from the boundary until a site's plan is published, s; the number of sites with one. */
  plans: { count: number; p50: number; p99: number };
  memoryMb: number;
  /** Growth of the telemetry in a day after compaction, and bytes written in one, MB. */
  diskMb: { kept: number; written: number };
  addSiteMs: number;
}

/**
 * Measures one gateway with one site, then with many sites that send telemetry every ten seconds, over a full hour. Options: `--levels 100,500`,
 * `--transport http|mqtt|external`, `--seconds` after the boundary; `--release 0.3.0` keeps the figures as those of the release that
 * later runs are compared with.
 */
export async function benchManySites(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      levels: { type: "string", default: "250,1000" },
      transport: { type: "string", default: "http" },
      seconds: { type: "string", default: "60" },
      release: { type: "string" },
    },
  });
  const transport = TRANSPORTS.find((one) => one === values.transport);
  const levels = values.levels.split(",").map(Number);
  const seconds = Number(values.seconds);
  if (transport === undefined || [...levels, seconds].some((value) => !(value > 0)))
    throw new Error(`Usage: --levels 100,250 --transport ${TRANSPORTS.join("|")} --seconds 60`);
  const home = await measureHome();
  const results: Level[] = [];
  for (const count of levels) {
    console.error(`${count} sites over ${transport} …`);
    results.push(await measureLevel(count, transport, seconds));
    console.error(JSON.stringify(results.at(-1)));
  }
  console.log(markdownOf(results));
  const figures = results.map(figuresOf);
  const measured = { home, levels: figures };
  if (transport === "http") console.log(`\n${comparisonOf(measured, lastRelease())}`);
  if (values.release !== undefined) saveRelease({ version: values.release, ...measured });
}

function figuresOf({ sites, steady, boundary, plans, memoryMb }: Level): Figures {
  return {
    sites,
    cpuMsPerSample: (1000 * steady.cpu.total) / steady.samplesPerSecond,
    cpuPct: 100 * steady.cpu.total,
    cpuAfterPct: 100 * boundary.cpu.total,
    answersP99Ms: steady.answers.p99,
    answersAfterP99Ms: boundary.answers.p99,
    plansP99S: plans.count < sites ? null : plans.p99,
    memoryMb,
  };
}

/** A gateway with one site: its start, its memory, and how soon it answers a reading. */
async function measureHome(): Promise<HomeFigures> {
  const folder = benchFolder();
  try {
    const starts: number[] = [];
    for (let round = 0; round < 3; round++) {
      const started = await startBenchGateway(folder.config);
      starts.push(started.readyMs);
      await started.stop();
    }
    const gateway = await startBenchGateway(folder.config);
    try {
      const idleMemoryMb = await idleMb(gateway.pid);
      const [p50, p99] = await benchMqtt(gateway);
      return { startMs: median(starts), idleMemoryMb, outputsP50Ms: p50!.value, outputsP99Ms: p99!.value };
    } finally {
      await gateway.stop();
    }
  } finally {
    folder.remove();
  }
}

async function measureLevel(count: number, transport: Transport, seconds: number): Promise<Level> {
  const sites = benchSites(count);
  const broker = transport === "external" ? await startBroker() : undefined;
  const leadMs = LEAD_MS.base + count * LEAD_MS.perSite;
  const folder = fleetFolder(sites, { leadMs, brokerUrl: broker?.url });
  try {
    await provision(folder.dataDir, sites);
    const gateway = await startBenchGateway(folder.config);
    let measured: Omit<Level, "diskMb"> & { written: number };
    try {
      measured = await measure(gateway, { sites, transport, seconds, brokerUrl: broker?.url });
    } finally {
      await gateway.stop();
    }
    const { written, ...level } = measured;
    const kept = (await bytesPerReading(folder.dataDir)) * count * 4 * (DAY_S / 10);
    return { ...level, diskMb: { kept: kept / 1e6, written: written / 1e6 } };
  } finally {
    folder.remove();
    broker?.stop();
  }
}

async function measure(
  gateway: BenchGateway,
  {
    sites,
    transport,
    seconds,
    brokerUrl,
  }: {
    sites: ReturnType<typeof benchSites>;
    transport: Transport;
    seconds: number;
    brokerUrl: string | undefined;
  },
): Promise<Omit<Level, "diskMb"> & { written: number }> {
  const boundaryInMs = BOUNDARY.getTime() - (await nextSecond(gateway.url, sites[0]!.key));
  const boundaryMs = performance.now() + boundaryInMs;
  const load = loadavg()[0]!;
  const devices = new Devices(sites, {
    transport,
    url: gateway.url,
    mqttUrl: brokerUrl ?? `mqtt://127.0.0.1:${gateway.mqttPort}`,
    boundaryInMs,
  });
  await devices.start();
  try {
    do await wait(WARM_UP_MS);
    while ((await threadShare(gateway.pid)) > REST && boundaryMs - performance.now() > WARM_UP_MS);
    if (boundaryMs - performance.now() < 10_000)
      throw new Error("The gateway started too slowly to measure before the boundary; measure fewer sites.");
    const steady = await phase(gateway, devices, boundaryMs - 500);
    const boundary = await phase(gateway, devices, boundaryMs + seconds * 1000);
    const plans = [...devices.plans.values()].map((ms) => ms / 1000);
    const memoryMb = residentMb(gateway.pid);
    // What an hour's plans write counts once an hour.
    const written = DAY_S * steady.written + 24 * seconds * (boundary.written - steady.written);
    await devices.stop();
    return {
      sites: sites.length,
      transport,
      load,
      startSeconds: gateway.readyMs / 1000,
      steady,
      boundary,
      plans: { count: plans.length, p50: percentile(plans, 0.5), p99: percentile(plans, 0.99) },
      memoryMb,
      written,
      addSiteMs: await addSites(gateway.url),
    };
  } finally {
    await devices.stop();
  }
}

/** Waits for the next full second of the gateway's clock; ms since 1970. */
async function nextSecond(url: string, key: string): Promise<number> {
  const read = async () => {
    const { time } = (await (await fetch(`${url}/v1/status`, { headers: { "X-API-Key": key } })).json()) as {
      time: string;
    };
    return Date.parse(time);
  };
  const first = await read();
  for (;;) {
    const now = await read();
    if (now > first) return now;
  }
}

/** Figures of the time from now until `untilMs`. */
async function phase({ pid, url }: BenchGateway, devices: Devices, untilMs: number): Promise<Phase> {
  devices.reset();
  // Reading the metrics begins a new period of the delay of the event loop.
  await metricsOf(url);
  const startMs = performance.now();
  const before = cpuSeconds(pid);
  const writtenBefore = writtenBytes(pid);
  await wait(untilMs - startMs);
  const after = cpuSeconds(pid);
  const seconds = (performance.now() - startMs) / 1000;
  const { accepted, failed, answers } = devices.counts;
  const times = answers.map(({ ms }) => ms);
  const metrics = await metricsOf(url);
  return {
    samplesPerSecond: accepted / seconds,
    failed,
    answers: { p50: percentile(times, 0.5), p99: percentile(times, 0.99) },
    cpu: { total: (after.total - before.total) / seconds, main: (after.main - before.main) / seconds },
    loop: {
      p99: 1000 * metrics("nodejs_eventloop_lag_p99_seconds"),
      max: 1000 * metrics("nodejs_eventloop_lag_max_seconds"),
    },
    written: (writtenBytes(pid) - writtenBefore) / seconds,
  };
}

async function metricsOf(url: string): Promise<(name: string) => number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return (name) => Number(new RegExp(`^${name} (\\S+)`, "m").exec(text)?.[1]);
}

/** Size of a stored reading after compaction, bytes. */
async function bytesPerReading(dataDir: string): Promise<number> {
  const folder = join(dataDir, "series");
  const level = new ClassicLevel<string, Buffer>(folder, { valueEncoding: "buffer" });
  await level.open();
  let count = 0;
  const others: string[] = [];
  for await (const key of level.keys()) {
    if (key.startsWith("sample/")) count++;
    else others.push(key);
  }
  // Documents and latest values are replaced, so they do not grow.
  for (let start = 0; start < others.length; start += 1000)
    await level.batch(others.slice(start, start + 1000).map((key) => ({ type: "del", key })));
  await level.compactRange("", "~");
  await level.close();
  return folderBytes(folder) / count;
}

/** Median time to add a site in the portal, ms. */
async function addSites(url: string): Promise<number> {
  const cookie = await signInTo(url, PASSWORD);
  const page = await fetch(`${url}/settings/sites`, { headers: { accept: "text/html", cookie } });
  const [, csrf = ""] = /_csrf" value="([^"]+)"/.exec(await page.text()) ?? [];
  const times: number[] = [];
  for (let index = 0; index < ADDED_SITES; index++) {
    const began = performance.now();
    const answer = await fetch(`${url}/settings/sites`, {
      method: "POST",
      redirect: "manual",
      headers: { accept: "text/html", origin: url, cookie },
      body: new URLSearchParams({ _csrf: csrf, label: `Added ${index}`, customer_ref: "" }),
    });
    await answer.arrayBuffer();
    // The account's limit of sites is reached at the highest level.
    const isAdded = answer.headers.get("location")?.includes("site=");
    times.push(isAdded ? performance.now() - began : Number.NaN);
  }
  return median(times);
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

function markdownOf(levels: readonly Level[]): string {
  const heads = [
    "sites",
    "samples/s",
    "answers p50 / p99 steady",
    "… after the hour",
    "CPU steady (main thread)",
    "… after the hour",
    "event loop p99 steady",
    "… after the hour (longest)",
    "plans p50 / p99",
    "memory",
    "telemetry a day",
    "written a day",
    "start",
    "add a site",
    "load average",
  ];
  const ms = ({ p50, p99 }: { p50: number; p99: number }) => `${p50.toFixed(1)} / ${p99.toFixed(0)} ms`;
  const cpu = ({ cpu: { total, main } }: Phase) =>
    `${Math.round(100 * total)} % (${Math.round(100 * main)} %)`;
  const rows = levels.map((level) => {
    const { steady, boundary, plans, diskMb } = level;
    const failed = steady.failed + boundary.failed;
    return [
      `${level.sites}`,
      `${steady.samplesPerSecond.toFixed(0)}${failed > 0 ? ` (${failed} failed)` : ""}`,
      ms(steady.answers),
      ms(boundary.answers),
      cpu(steady),
      cpu(boundary),
      `${steady.loop.p99.toFixed(0)} ms`,
      `${boundary.loop.p99.toFixed(0)} ms (${boundary.loop.max.toFixed(0)} ms)`,
      `${plans.p50.toFixed(1)} / ${plans.p99.toFixed(1)} s (${plans.count} of ${level.sites})`,
      `${level.memoryMb.toFixed(0)} MB`,
      `${diskMb.kept.toFixed(0)} MB`,
      `${(diskMb.written / 1000).toFixed(1)} GB`,
      `${level.startSeconds.toFixed(1)} s`,
      Number.isNaN(level.addSiteMs) ? "–" : `${level.addSiteMs.toFixed(0)} ms`,
      level.load.toFixed(1),
    ];
  });
  const about =
    `Telemetry over ${levels[0]?.transport} every 10 s, ${cpus().length} cores (${cpus()[0]?.model.trim() ?? "unknown"}), ` +
    `Node ${process.version}.`;
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [about, "", line(heads), line(heads.map(() => "---")), ...rows.map(line)].join("\n");
}
