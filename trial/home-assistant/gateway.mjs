// A hourgate beside Home Assistant: real clock, generated prices and sky around now, two plants.
import { spawn } from "node:child_process";
import { mkdirSync, openSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const HOUR = 3_600_000;
const QUARTER = HOUR / 4;
export const KEY = `hg_live_${"trial-key-".repeat(4)}abc`;

/** A time as the files of prices and weather have it. */
const utc = (ms) => `${new Date(ms).toISOString().slice(0, 19)}Z`;

/** EUR/MWh of a quarter-hour: a day's shape with a dip at noon, each value different. */
function price(ms) {
  const hour = (ms / HOUR + 1) % 24;
  const noise = ((Math.imul(ms / QUARTER, 2654435761) >>> 8) % 2000) / 100;
  return (
    80 +
    40 * Math.cos(((hour - 19) / 12) * Math.PI) -
    (hour >= 11 && hour < 14 ? 70 : 0) +
    noise
  ).toFixed(2);
}

function lines(from, to, step, line) {
  const rows = [];
  for (let ms = from; ms < to; ms += step) rows.push(line(ms));
  return rows.join("\n");
}

/** Writes the files of the gateway into the folder. */
function writeInputs(folder) {
  const day = Math.floor(Date.now() / (24 * HOUR)) * 24 * HOUR - HOUR;
  const prices = lines(day - 40 * 24 * HOUR, day + 48 * HOUR, QUARTER, (ms) => `${utc(ms)},${price(ms)}`);
  writeFileSync(join(folder, "prices.csv"), `start_utc,eur_per_mwh\n${prices}\n`);
  const sky = lines(day - 24 * HOUR, day + 240 * HOUR, HOUR, (ms) => {
    const sun = Math.max(0, Math.cos(((((ms / HOUR + 1.5) % 24) - 12) / 12) * Math.PI) - 0.45);
    return `${utc(ms)},${(700 * sun).toFixed(1)},6,30`;
  });
  writeFileSync(join(folder, "weather.csv"), `start_utc,ghi_w_m2,temperature_c,cloud_cover_pct\n${sky}\n`);
}

/** Starts the built gateway; returns its process. `plants` changes the list of plants. */
export function startGateway({ folder, http, mqtt, external, language = "en", plants = PLANTS }) {
  mkdirSync(folder, { recursive: true });
  writeInputs(folder);
  const config = {
    data_dir: join(folder, "data"),
    http: { host: "127.0.0.1", port: http },
    owner: { email: "owner@localhost", password: "correct-horse-battery-staple-9", key: KEY },
    market: { resolution_minutes: 15, sources: [{ type: "file", path: join(folder, "prices.csv") }] },
    weather: { sources: [{ type: "file", path: join(folder, "weather.csv") }] },
    mqtt: {
      broker: { host: "127.0.0.1", port: mqtt },
      ...(external && { external: { url: `mqtt://127.0.0.1:${external}` } }),
      homeassistant: { language },
    },
    node_red: { enabled: false },
    plants,
  };
  const file = join(folder, "hourgate.yaml");
  writeFileSync(file, JSON.stringify(config, null, 2), { mode: 0o600 });
  const log = openSync(join(folder, "gateway.log"), "a");
  return spawn(process.execPath, [resolve("dist/cli.js"), "serve", "--config", file], {
    stdio: ["ignore", log, log],
  });
}

const HOME = {
  id: "home",
  name: "Home",
  latitude: 48.2,
  longitude: 16.37,
  timezone: "Europe/Vienna",
  tariff: {
    markup_ct_kwh: 1.5,
    grid_fee_ct_kwh: 8,
    vat_pct: 20,
    feed_in: { type: "spot", deduct_ct_kwh: 1 },
  },
  battery: {
    capacity_kwh: 10,
    min_soc_pct: 10,
    max_soc_pct: 95,
    max_charge_power_kw: 5,
    max_discharge_power_kw: 5,
    grid_charge_allowed: true,
  },
  pv: [{ peak_kw: 8, tilt_deg: 30, azimuth_deg: 180 }],
  slots: [
    {
      slot: 1,
      label: "Car",
      kind: "wallbox",
      power_kw: 11,
      vehicle: { capacity_kwh: 60, target_soc_pct: 80, departure: "07:00" },
    },
    {
      slot: 2,
      label: "Boiler",
      kind: "boiler",
      power_kw: 2,
      window_start_hour: 10,
      window_end_hour: 16,
      hours: 2,
    },
  ],
  actuators: [
    {
      id: "boiler-relay",
      controls: "slot 2",
      template: "shelly-gen2",
      with: { host: "127.0.0.1:9" },
      dry_run: false,
    },
  ],
};

export const CABIN = { id: "cabin", name: "Cabin", timezone: "Europe/Vienna" };
export const PLANTS = [HOME, CABIN];
