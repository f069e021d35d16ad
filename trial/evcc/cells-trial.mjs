// What a trial of cells.mjs starts: Mosquitto, a simulated home, the gateway of the checkout and evcc, and what it asks of them.
import { execFileSync, spawn } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";

const BROKER = 1884;
const HOME = "http://127.0.0.1:7171";
const EVCC = "http://127.0.0.1:7170";
const GATEWAY = "http://127.0.0.1:8180";
const here = import.meta.dirname;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const reached = (port) =>
  new Promise((resolve, reject) => {
    const socket = net.connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve();
    });
    socket.on("error", reject);
  });

async function within(ms, check) {
  for (const end = Date.now() + ms; Date.now() < end; await sleep(200))
    if (await Promise.resolve(check()).catch(() => false)) return true;
  return false;
}

/** The sides of a trial, and what is asked of them. */
export class Trial {
  #folder;
  #evcc;
  #transport;
  #intervalS;
  #children = new Map();
  #key;
  #telemetry;

  constructor({ folder, evcc, transport, intervalS }) {
    this.#folder = folder;
    this.#evcc = evcc;
    this.#transport = transport;
    this.#intervalS = intervalS;
  }

  async start() {
    const file = (name) => path.join(this.#folder, name);
    const data = file("gateway");
    fs.writeFileSync(
      file("mosquitto.conf"),
      `listener ${BROKER} 127.0.0.1\nallow_anonymous true\npersistence true\npersistence_location ${this.#folder}/\n${process.geteuid?.() === 0 ? "user root\n" : ""}`,
    );
    fs.writeFileSync(file("over.json"), JSON.stringify(this.#settings()));
    this.up("broker");
    this.up("home");
    // gateway.mjs writes the configuration and starts the gateway; from then on the trial starts it.
    const first = spawn(process.execPath, [path.join(here, "gateway.mjs"), data, file("over.json")], {
      stdio: "ignore",
    });
    if (!(await within(60_000, () => this.#isHealthy()))) throw new Error("The gateway does not start.");
    const ended = new Promise((resolve) => first.once("exit", resolve));
    first.kill("SIGTERM");
    await ended;
    this.#key = fs.readFileSync(path.join(data, "key"), "utf8");
    const yaml = execFileSync(process.execPath, [path.join(here, "evcc-yaml.mjs")], {
      input: `mqtt: { broker: "127.0.0.1:${BROKER}", topic: evcc }\n`,
      env: { ...process.env, EVCC_INTERVAL: `${this.#intervalS}s` },
    });
    fs.writeFileSync(file("evcc.yaml"), yaml);
    this.up("hourgate");
    this.up("evcc");
    const isUp =
      (await within(60_000, () => this.#isHealthy())) &&
      (await within(90_000, async () => (await fetch(`${EVCC}/api/state`)).ok));
    if (!isUp) throw new Error("The gateway or evcc does not start.");
    // A large battery, so that its state of charge stays about the same.
    await fetch(`${HOME}/put?soc=40&capacity=200&pv=300&load=900&wb1=B`);
    this.#telemetry = setInterval(() => void this.#send().catch(() => {}), 5_000);
    await this.#send();
  }

  async stop() {
    clearInterval(this.#telemetry);
    for (const side of ["evcc", "hourgate", "home", "broker"]) await this.down(side, "SIGTERM");
  }

  up(side) {
    const [program, args] = {
      broker: ["mosquitto", ["-c", path.join(this.#folder, "mosquitto.conf")]],
      home: [process.execPath, [path.join(here, "home.mjs")]],
      hourgate: [
        process.execPath,
        ["dist/cli.js", "serve", "--config", path.join(this.#folder, "gateway", "hourgate.yaml")],
      ],
      evcc: [
        this.#evcc,
        ["--config", path.join(this.#folder, "evcc.yaml"), "--database", path.join(this.#folder, "evcc.db")],
      ],
    }[side];
    const out = fs.openSync(path.join(this.#folder, `${side}.log`), "a");
    this.#children.set(side, spawn(program, args, { stdio: ["ignore", out, out] }));
    fs.closeSync(out);
  }

  async down(side, signal) {
    const child = this.#children.get(side);
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    await ended;
  }

  /** Commands the battery by hand (hold, charge, free: as planned) and switches the wallbox on. */
  async command(battery) {
    const until = new Date(Date.now() + 6 * 3_600_000).toISOString();
    const more = { hold: {}, charge: { target_soc_pct: 95 } }[battery];
    await within(60_000, async () => {
      const answers = [
        await this.#post("/v1/plant/device-overrides", {
          slot_id: "battery",
          ...(more ? { override: battery, until, ...more } : { override: "auto" }),
        }),
        await this.#post("/v1/plant/device-overrides", { slot_id: 1, override: "run", until }),
      ];
      return answers.every(({ ok }) => ok);
    });
  }

  /** What battery and wallbox do. */
  async home() {
    const state = await (await fetch(`${HOME}/state`)).json();
    const [wallbox] = state.wallboxes;
    return {
      battery: { 1: "free", 2: "hold", 3: "charge" }[state.mode],
      wallbox: wallbox.enabled ? `on ${wallbox.amps} A` : "off",
    };
  }

  /** The sentences of the gateway about its actuators. */
  async said() {
    const answer = await (await this.#get("/v1/status")).json();
    const of = (id) => answer.components.find(({ name }) => name === `actuator/home/${id}`)?.detail ?? "";
    return { battery: of("battery"), wallbox: of("wallbox") };
  }

  /** Whether all sides answer. */
  async isUp() {
    const [{ battery }] = await Promise.all([this.said(), fetch(`${EVCC}/api/state`), reached(BROKER)]);
    return battery !== "";
  }

  get broker() {
    return `mqtt://127.0.0.1:${BROKER}`;
  }

  async #isHealthy() {
    return (await fetch(`${GATEWAY}/health`)).ok;
  }

  async #send() {
    const state = await (await fetch(`${HOME}/state`)).json();
    await this.#post("/v1/plant/telemetry", {
      soc_pct: Math.round(state.soc * 10) / 10,
      load_power_kw: (state.load + state.cars) / 1000,
      pv_power_kw: state.pv / 1000,
      battery_power_kw: -state.battery / 1000,
    });
  }

  #get(where) {
    return fetch(GATEWAY + where, {
      headers: { "X-API-Key": this.#key },
      signal: AbortSignal.timeout(5_000),
    });
  }

  #post(where, body) {
    return fetch(GATEWAY + where, {
      method: "POST",
      headers: { "X-API-Key": this.#key, "content-type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(5_000),
    });
  }

  #settings() {
    const way =
      this.#transport === "http" ? { transport: "http", url: EVCC } : { transport: "mqtt", root: "evcc" };
    const template = fs.readFileSync("config/devices/evcc-battery.yaml", "utf8");
    const interval = /^ {2}interval:/m.test(template) ? { interval: this.#intervalS } : {};
    const actuator = (id, controls, name, more) => ({
      id,
      controls,
      template: name,
      with: { ...way, ...more },
      enabled: true,
      dry_run: false,
    });
    return {
      mqtt: { external: { url: this.broker } },
      plants: [
        {
          id: "home",
          name: "Home",
          latitude: 48.2,
          longitude: 16.37,
          timezone: "Europe/Vienna",
          // One price at all times: by plan the battery is left to itself.
          tariff: [
            {
              valid_from: "2026-01-01",
              energy: { type: "fixed", ct_kwh: 20 },
              feed_in: { type: "fixed", ct_kwh: 5 },
            },
          ],
          battery: {
            capacity_kwh: 200,
            min_soc_pct: 10,
            max_soc_pct: 95,
            max_charge_power_kw: 5,
            max_discharge_power_kw: 5,
            grid_charge_allowed: true,
          },
          pv: [{ peak_kw: 8, tilt_deg: 30, azimuth_deg: 180, losses_pct: 14, inverter_kw: 8 }],
          slots: [{ slot: 1, label: "wallbox", power_kw: 11 }],
          actuators: [
            actuator("battery", "battery", "evcc-battery", interval),
            actuator("wallbox", "slot 1", "evcc-loadpoint", { loadpoint: 1, off_mode: "off", max_amps: 16 }),
          ],
        },
      ],
    };
  }
}
