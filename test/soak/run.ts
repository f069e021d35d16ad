import { resolve } from "node:path";
import { connectAsync } from "mqtt";
import { call, sandbox, startGateway, TEST_KEY } from "../e2e/gateway-process.js";
import { seeded } from "../support/random.js";
import { HOURLY_PRICES, recordedFile } from "../support/recorded-data.js";
import { folderSize, type ProcessFigures, processFigures } from "./process-figures.js";

/**
 * Simulates a month in a few minutes: a real gateway on a replay clock with recorded prices. Every five simulated minutes it
 * receives a sample, alternately over HTTP and MQTT; every quarter-hour it receives a request. `--days N` and `--speed N`
 * change the length.
 */
const SAMPLE_MINUTES = 5;
const START = "2026-01-01T00:00:00+01:00";
const PRICES = recordedFile(HOURLY_PRICES);

const argument = (name: string, defaultValue: number) => {
  const at = process.argv.indexOf(name);
  return at < 0 ? defaultValue : Number(process.argv[at + 1]);
};
const days = argument("--days", 31);
const speed = argument("--speed", 7200);

const box = sandbox({
  clock: { start: START, speed, publish_at: "13:00" },
  market: { sources: [{ type: "file", path: PRICES }] },
  weather: { sources: [] },
  plants: [
    {
      id: "home",
      timezone: "Europe/Vienna",
      tariff: { markup_ct_kwh: 1.5, vat_pct: 20 },
      battery: { capacity_kwh: 10, max_charge_power_kw: 5, max_discharge_power_kw: 5 },
      slots: [
        { slot: 1, kind: "wallbox", power_kw: 11, window_start_hour: 20, window_end_hour: 6, energy_kwh: 20 },
      ],
    },
  ],
});
const gateway = await startGateway(box.config);
const pid = Number(/"pid":(\d+)/.exec(gateway.output())?.[1]);
const counts = new Map<string, number>();
const count = (what: string) => counts.set(what, (counts.get(what) ?? 0) + 1);

const client = await connectAsync(`mqtt://127.0.0.1:${gateway.mqttPort}`, {
  username: "soak",
  password: TEST_KEY,
});
client.on("message", (topic, payload) => {
  const name = topic.replace("hourgate/home/", "");
  if (name === "ack")
    count(JSON.parse(payload.toString()).ok ? "samples by MQTT" : "samples by MQTT rejected");
  else if (name === "plan" || name === "forecast" || name === "charge_now")
    count(`${name} published on MQTT`);
  else count("other MQTT messages");
});
client.on("close", () => count("MQTT connection lost"));
await client.subscribeAsync("hourgate/#", { qos: 1 });

const random = seeded(31);
const site = { socPct: 50, importKwh: 1000, exportKwh: 200 };
const sample = () => {
  site.socPct = Math.min(100, Math.max(5, site.socPct + random.between(-2, 2)));
  site.importKwh += random.between(0, 0.1);
  site.exportKwh += random.chance(0.2) ? random.between(0, 0.1) : 0;
  return {
    soc_pct: site.socPct,
    import_kwh: site.importKwh,
    export_kwh: site.exportKwh,
    load_power_kw: random.between(0.2, 2),
    pv_power_kw: random.between(0, 3),
  };
};
const requests = [
  () => call(gateway, "/v1/forecast"),
  () => call(gateway, "/v1/decision/hours-demand", { body: {} }),
  () => call(gateway, "/v1/decision/windows", { body: { count: 4 } }),
  () => call(gateway, "/v1/plant/device-schedules"),
  () => call(gateway, "/v1/status"),
];
const send = async (index: number) => {
  if (index % 2 === 0) {
    const { status } = await call(gateway, "/v1/plant/telemetry", { body: sample() });
    count(status === 200 ? "samples by HTTP" : `samples by HTTP rejected: ${status}`);
  } else await client.publishAsync("hourgate/home/telemetry", JSON.stringify(sample()), { qos: 1 });
  if (index % 3 !== 0) return;
  const { status } = await requests[(index / 3) % requests.length]!();
  count(`HTTP requests with status ${status}`);
};

const wallSeconds = (days * 86_400) / speed;
const began = performance.now();
const elapsed = () => (performance.now() - began) / 1000;
const seen: (ProcessFigures & { day: number })[] = [];
for (let index = 0; elapsed() < wallSeconds; index++) {
  const dueSeconds = (index * SAMPLE_MINUTES * 60) / speed;
  await new Promise((due) => setTimeout(due, Math.max(0, (dueSeconds - elapsed()) * 1000)));
  await send(index).catch((error: Error) => count(`failed: ${error.message}`));
  const day = (elapsed() * speed) / 86_400;
  if (day >= seen.length) seen.push({ ...processFigures(pid), day: Math.floor(day) });
}
const last = processFigures(pid);
const folder = folderSize(resolve(box.folder, "data"));
const health = await call(gateway, "/health", { key: null });
const errorLines = gateway
  .output()
  .split("\n")
  .filter((line) => /"level":[56]0/.test(line));
client.removeAllListeners("close");
await client.endAsync(true);
const stoppingFrom = performance.now();
const code = await gateway.end("SIGTERM");
const stopped = (performance.now() - stoppingFrom) / 1000;

console.log(`${days} days at ${speed} times real time: ${(elapsed() - stopped).toFixed(0)} s`);
for (const { day, rssMb, openFiles, threads } of seen.filter(({ day }) => day % 5 === 0 || day === 1))
  console.log(
    `day ${String(day).padStart(2)}   ${rssMb.toFixed(0)} MB   ${openFiles} open files   ${threads} threads`,
  );
console.log(`end      ${last.rssMb.toFixed(0)} MB   ${last.openFiles} open files   ${last.threads} threads`);
console.log(`peak     ${last.peakRssMb.toFixed(0)} MB`);
console.log(`data folder ${folder.megabytes.toFixed(1)} MB in ${folder.files} files`);
for (const [what, times] of [...counts].sort()) console.log(`${what}: ${times}`);
console.log(
  `/health ${health.status}, errors in the log ${errorLines.length}, SIGTERM: code ${code} after ${stopped.toFixed(1)} s`,
);
for (const line of errorLines.slice(0, 5)) console.log(line);
box.remove();

/** After two days everything has been loaded once; further growth indicates a leak. */
const settled = Math.max(...seen.filter(({ day }) => day >= 2 && day < days / 2).map(({ rssMb }) => rssMb));
const late = Math.min(...seen.filter(({ day }) => day >= (days * 3) / 4).map(({ rssMb }) => rssMb));
const isWell = health.status === 200 && code === 0 && errorLines.length === 0 && late <= settled * 1.2;
console.log(
  isWell ? "The soak test passed." : "The soak test FAILED: see health, log, stop and memory above.",
);
process.exit(isWell ? 0 : 1);
