#!/usr/bin/env node
// Kills or stops evcc, the gateway or the broker while a command is in force, starts it again, and says for how long the battery and the
// wallbox of the simulated home were in another state, and when that was last so.
//
//   node restarts.mjs FOLDER EVCC CELL …      in a built checkout; CELL: hold|charge,evcc|hourgate|broker,stop|kill,SECONDS OFF
//
// Listens on 127.0.0.1:1884 (mosquitto), 7170 (evcc), 7171 (home), 8180 and 1983 (gateway); see README.md for a network of its own.
import { execSync, spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

const [folder, evcc, ...asked] = process.argv.slice(2);
const here = import.meta.dirname;
const file = (name) => path.join(folder, name);
const data = file("data");
fs.mkdirSync(folder, { recursive: true });
const OVER = {
  mqtt: { external: { url: "mqtt://127.0.0.1:1884" } },
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
      slots: [{ slot: 1, label: "wallbox", power_kw: 11 }],
      actuators: [
        {
          id: "battery",
          controls: "battery",
          template: "evcc-battery",
          with: { transport: "mqtt", root: "evcc", interval: 5 },
          enabled: true,
          dry_run: false,
        },
        {
          id: "wallbox",
          controls: "slot 1",
          template: "evcc-loadpoint",
          with: { transport: "mqtt", root: "evcc", loadpoint: 1, off_mode: "off", max_amps: 16 },
          enabled: true,
          dry_run: false,
        },
      ],
    },
  ],
};
const sleep = (ms) => new Promise((r) => setTimeout(r, ms));
const log = (...w) => {
  const l = [new Date().toISOString().slice(11, 23), ...w].join(" ");
  console.log(l);
};
const out = (n) => fs.openSync(path.join(folder, `${n}.log`), "a");
const procs = {};
const start = {
  broker: () =>
    spawn("mosquitto", ["-c", file("mosquitto.conf")], { stdio: ["ignore", out("broker"), out("broker")] }),
  home: () => spawn("node", [path.join(here, "home.mjs")], { stdio: ["ignore", out("home"), out("home")] }),
  hourgate: () =>
    spawn("node", ["dist/cli.js", "serve", "--config", path.join(data, "hourgate.yaml")], {
      stdio: ["ignore", out("hourgate"), out("hourgate")],
    }),
  evcc: () =>
    spawn(evcc, ["--config", file("evcc.yaml"), "--database", file("evcc.db")], {
      stdio: ["ignore", out("evcc"), out("evcc")],
    }),
};
const up = (n) => {
  procs[n] = start[n]();
};
const down = async (n, sig) => {
  const p = procs[n];
  const e = new Promise((r) => p.once("exit", r));
  p.kill(sig);
  await e;
};
fs.writeFileSync(
  file("mosquitto.conf"),
  `listener 1884 127.0.0.1\nallow_anonymous true\npersistence true\npersistence_location ${folder}/\n`,
);
fs.writeFileSync(file("over.json"), JSON.stringify(OVER));
// gateway.mjs writes the configuration; then the gateway runs on its own.
if (!fs.existsSync(path.join(data, "hourgate.yaml"))) {
  const g = spawn("node", [path.join(here, "gateway.mjs"), data, file("over.json")], { stdio: "ignore" });
  while (!fs.existsSync(path.join(data, "pid"))) await sleep(200);
  await sleep(500);
  g.kill("SIGTERM");
  await sleep(4000);
}
const key = fs.readFileSync(path.join(data, "key"), "utf8");
fs.writeFileSync(
  file("evcc.yaml"),
  `${execSync(`node ${path.join(here, "evcc-yaml.mjs")} < /dev/null`).toString()}\nmqtt: { broker: "127.0.0.1:1884", topic: evcc }\n`,
);
up("broker");
up("home");
await sleep(1500);
up("hourgate");
up("evcc");
const api = async (path, body) => {
  const r = await fetch(`http://127.0.0.1:8180${path}`, {
    method: body ? "POST" : "GET",
    headers: { "X-API-Key": key, "content-type": "application/json" },
    body: body && JSON.stringify(body),
  });
  return [r.status, await r.text()];
};
const state = async () => (await fetch("http://127.0.0.1:7171/state")).json();
const wait = async (f, ms) => {
  const t = Date.now();
  for (;;) {
    try {
      if (await f()) return Date.now() - t;
    } catch {}
    if (Date.now() - t > ms) return null;
    await sleep(250);
  }
};
log("hourgate up", await wait(async () => (await api("/health"))[0] === 200, 60000));
log("evcc up", await wait(async () => (await fetch("http://127.0.0.1:7170/api/state")).ok, 90000));
const MODE = { hold: 2, charge: 3 };
const soc = async () => {
  const s = await state();
  await api("/v1/plant/telemetry", {
    soc_pct: Math.round(s.soc * 10) / 10,
    load_power_kw: s.load / 1000,
    pv_power_kw: s.pv / 1000,
  });
};
setInterval(() => soc().catch(() => {}), 20000);
await soc();
const statusOf = async () => {
  const [, t] = await api("/v1/status");
  const c = JSON.parse(t).components ?? [];
  return JSON.stringify(
    (Array.isArray(c) ? c : Object.entries(c)).filter((x) => /actuator/.test(JSON.stringify(x))),
  ).slice(0, 600);
};
const want = async (s) => {
  const until = new Date(Date.now() + 6 * 3600e3).toISOString();
  log(
    s,
    ...(
      await api("/v1/plant/device-overrides", {
        slot_id: "battery",
        override: s,
        ...(s === "charge" ? { target_soc_pct: 95 } : {}),
        until,
      })
    ).map((x) => String(x).slice(0, 160)),
  );
  log(
    "run",
    ...(await api("/v1/plant/device-overrides", { slot_id: 1, override: "run", until })).map((x) =>
      String(x).slice(0, 160),
    ),
  );
};
const right = (x, s) => [x.mode === MODE[s], x.wallboxes[0].enabled === true];
const cells = asked.map((c) => c.split(","));
let current;
for (const [s, who, how, secs] of cells) {
  await fetch("http://127.0.0.1:7171/put?soc=40&wb1=B");
  if (s !== current) {
    await want(s);
    current = s;
  }
  const ok = await wait(async () => right(await state(), s).every(Boolean), 90000);
  if (ok === null) {
    log(
      "CELL",
      s,
      who,
      how,
      secs,
      "NOT READY",
      JSON.stringify(await state()),
      await statusOf().catch(String),
    );
    continue;
  }
  await sleep(3000);
  await down(who, how === "kill" ? "SIGKILL" : "SIGTERM");
  const downAt = Date.now();
  let wrongB = 0,
    wrongW = 0,
    lastWB = 0,
    lastWW = 0,
    upAt;
  const sample = async () => {
    try {
      const [b, w] = right(await state(), s);
      const t = Date.now();
      if (!b) {
        wrongB += 250;
        lastWB = t;
      }
      if (!w) {
        wrongW += 250;
        lastWW = t;
      }
    } catch {}
    await sleep(250);
  };
  while (Date.now() - downAt < Number(secs) * 1000) await sample();
  up(who);
  upAt = Date.now();
  while (Date.now() - upAt < 75000) await sample();
  const after = (t) =>
    t === 0
      ? "never wrong"
      : t < upAt
        ? "right before up"
        : `${((t - upAt) / 1000).toFixed(1)} s after start`;
  log(
    "CELL",
    s,
    who,
    how,
    secs,
    "| battery wrong",
    (wrongB / 1000).toFixed(1),
    "s, last wrong",
    after(lastWB),
    "| wallbox wrong",
    (wrongW / 1000).toFixed(1),
    "s, last wrong",
    after(lastWW),
  );
  if (lastWB > upAt + 74000 || lastWW > upAt + 74000) log("STATUS", await statusOf().catch(String));
}
for (const n of Object.keys(procs)) procs[n].kill("SIGTERM");
await sleep(6000);
process.exit(0);
for (const one of Object.values(procs)) one.kill("SIGTERM");
process.exit();
