#!/usr/bin/env node
// A hourgate for trials beside evcc: real clock, generated quarter-hour prices around now, weather from a generated file.
//
//   node gateway.mjs FOLDER [OVER.json]       in a built checkout; ends with Ctrl-C
//
// FOLDER keeps configuration and data, so that kill -9 and a new start are a trial too. OVER.json is merged over the configuration.
// Prints the address of the portal, the owner's key and where the log is. Ports: HG_HTTP (8180), HG_MQTT (1983).
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";

const HOUR = 3_600_000;
const QUARTER = 900_000;
const [folder, over] = process.argv.slice(2);
if (!folder) throw new Error("usage: gateway.mjs FOLDER [OVER.json]");
fs.mkdirSync(folder, { recursive: true });
const http = Number(process.env.HG_HTTP ?? 8180);
const mqtt = Number(process.env.HG_MQTT ?? 1983);

/** EUR/MWh of a quarter-hour: a day's shape, a midday dip below zero, each value different. */
const price = (ms) => {
  const hour = (ms / HOUR + 1) % 24;
  const noise = ((Math.imul(ms / QUARTER, 2654435761) >>> 8) % 2000) / 100;
  return Number(
    (80 + 40 * Math.cos(((hour - 19) / 12) * Math.PI) - (hour >= 11 && hour < 14 ? 70 : 0) + noise).toFixed(
      2,
    ),
  );
};
const now = Math.floor(Date.now() / HOUR) * HOUR;
const midnight = (days) => {
  const d = new Date();
  d.setHours(0, 0, 0, 0);
  d.setDate(d.getDate() + days);
  return d.getTime();
};
const rows = [];
for (let ms = midnight(-40); ms < midnight(Number(process.env.HG_DAYS_AHEAD ?? 2)); ms += QUARTER)
  rows.push(`${new Date(ms).toISOString().slice(0, 19)}Z,${price(ms)}`);
const prices = path.join(folder, "prices.csv");
fs.writeFileSync(prices, `start_utc,eur_per_mwh\n${rows.join("\n")}\n`);

// A sun that is high enough to see something in winter too.
const weather = path.join(folder, "weather.csv");
const sky = [];
for (let ms = now - 48 * HOUR; ms < now + 200 * HOUR; ms += HOUR) {
  const sun = Math.max(0, Math.cos((((((ms + HOUR / 2) / HOUR + 1) % 24) - 12) / 12) * Math.PI) - 0.45);
  sky.push(`${new Date(ms).toISOString().slice(0, 19)}Z,${(700 * sun).toFixed(1)},6,30`);
}
fs.writeFileSync(weather, `start_utc,ghi_w_m2,temperature_c,cloud_cover_pct\n${sky.join("\n")}\n`);

const keyFile = path.join(folder, "key");
if (!fs.existsSync(keyFile))
  fs.writeFileSync(keyFile, `hg_live_${randomBytes(32).toString("base64url")}`, { mode: 0o600 });
const key = fs.readFileSync(keyFile, "utf8");
const plain = (v) => typeof v === "object" && v !== null && !Array.isArray(v);
const merge = (a, b) =>
  plain(a) && plain(b)
    ? Object.fromEntries(
        [...new Set([...Object.keys(a), ...Object.keys(b)])].map((k) => [
          k,
          k in b ? (k in a ? merge(a[k], b[k]) : b[k]) : a[k],
        ]),
      )
    : b;
const config = {
  data_dir: path.join(folder, "data"),
  http: { host: "127.0.0.1", port: http },
  owner: { email: "owner@localhost", password: "correct-horse-battery-staple-9", key },
  market: { sources: [{ type: "file", path: prices }] },
  weather: { sources: [{ type: "file", path: weather }] },
  mqtt: { broker: { enabled: true, host: "127.0.0.1", port: mqtt } },
  node_red: { enabled: false },
  plants: [
    {
      id: "home",
      name: "Home",
      latitude: 48.2,
      longitude: 16.37,
      timezone: "Europe/Vienna",
      tariff: {
        markup_ct_kwh: 1.5,
        markup_pct: 0,
        levies_ct_kwh: 2,
        grid_fee_ct_kwh: 6,
        vat_pct: 20,
        feed_in: { type: "spot", deduct_ct_kwh: 1, deduct_pct: 0 },
      },
      battery: {
        capacity_kwh: 10,
        min_soc_pct: 10,
        max_soc_pct: 95,
        max_charge_power_kw: 5,
        max_discharge_power_kw: 5,
        grid_charge_allowed: true,
      },
      pv: [{ peak_kw: 8, tilt_deg: 30, azimuth_deg: 180, losses_pct: 14, inverter_kw: 8 }],
    },
  ],
};
const configFile = path.join(folder, "hourgate.yaml");
fs.writeFileSync(
  configFile,
  JSON.stringify(over ? merge(config, JSON.parse(fs.readFileSync(over, "utf8"))) : config, null, 2),
  { mode: 0o600 },
);
const bin = path.resolve(JSON.parse(fs.readFileSync("package.json", "utf8")).bin.hourgate);
const log = path.join(folder, "log.txt");
const out = fs.openSync(log, "a");
const child = spawn(process.execPath, [bin, "serve", "--config", configFile], {
  stdio: ["ignore", out, out],
});
fs.writeFileSync(path.join(folder, "pid"), String(child.pid));
console.log(
  `http://127.0.0.1:${http}  mqtt 127.0.0.1:${mqtt}  owner@localhost / correct-horse-battery-staple-9\nkey ${key}\npid ${child.pid}, log ${log}\ncommands: HOURGATE_CONFIG=${configFile} node ${path.relative(".", bin)} …`,
);
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill("SIGTERM"));
child.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGKILL" ? 137 : 0)));
