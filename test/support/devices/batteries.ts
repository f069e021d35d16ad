import type { Clock } from "../../../src/core/time/clock.js";
import { Leased } from "./device.js";
import { challenge, type DigestAccess, isAuthorized } from "./digest.js";
import { type Answer, type Asked, HttpDevice, json } from "./http-device.js";
import { MqttDevice } from "./mqtt-device.js";

const FOREVER = Number.POSITIVE_INFINITY;
const KEEPALIVE_S = 60;

/** Victron GX over MQTT: `W/<id>/…` writes, `N/…` shows, readings stop 60 s after the last `R/<id>/keepalive`. */
export class VictronGx extends MqttDevice {
  readonly #id: string;
  readonly #readable = new Leased(this.clock, false);
  readonly values = new Map<string, number | null>([
    ["settings/0/Settings/CGwacs/MaxDischargePower", -1],
    ["settings/0/Settings/CGwacs/MaxFeedInPower", -1],
    ["settings/0/Settings/CGwacs/BatteryLife/MinimumSocLimit", 10],
    ["hub4/0/Overrides/MaxDischargePower", -1],
    ["hub4/0/Overrides/ForceCharge", 0],
    ["hub4/0/Overrides/Setpoint", null],
  ]);

  constructor(clock: Clock, brokerUrl: string, id = "c0619ab1c2d3") {
    super(clock, brokerUrl);
    this.#id = id;
  }

  actual(): string {
    const [discharge, feedIn, soc] = [
      "MaxDischargePower",
      "MaxFeedInPower",
      "BatteryLife/MinimumSocLimit",
    ].map((name) => this.values.get(`settings/0/Settings/CGwacs/${name}`));
    const overrides = ["MaxDischargePower", "ForceCharge", "Setpoint"].map(
      (name) => `${this.values.get(`hub4/0/Overrides/${name}`)}`,
    );
    return `discharge ${discharge}, soc ${soc}, feed-in ${feedIn}, overrides ${overrides.join("/")}`;
  }

  byHand(): void {
    this.#put("settings/0/Settings/CGwacs/MaxDischargePower", 1234);
    this.#put("settings/0/Settings/CGwacs/MaxFeedInPower", 1234);
    this.#put("hub4/0/Overrides/MaxDischargePower", 1234);
  }

  /** Settings are stored; overrides are volatile. */
  protected forget(): void {
    this.#put("hub4/0/Overrides/MaxDischargePower", -1);
    this.#put("hub4/0/Overrides/ForceCharge", 0);
    this.#put("hub4/0/Overrides/Setpoint", null);
  }

  protected override get hearsEmpty(): boolean {
    return true;
  }

  protected filters(): string[] {
    return [`W/${this.#id}/#`, `R/${this.#id}/#`];
  }

  protected hear(topic: string, text: string): void {
    const path = topic.slice(this.#id.length + 3);
    if (topic.startsWith("R/")) {
      if (path === "keepalive") {
        this.#readable.set(true, KEEPALIVE_S);
        if (!text.includes("suppress-republish")) this.announce();
      } else if (this.#readable.value) this.#show(path);
      return;
    }
    if (text === "" || !this.values.has(path)) return;
    const { value } = JSON.parse(text) as { value: number | null };
    this.take(`${path} ${value}`, () => this.#put(path, value));
    if (this.faults.inert) this.#show(path);
  }

  protected announce(): void {
    this.say(`N/${this.#id}/system/0/Serial`, { value: this.#id });
    if (this.#readable.value) for (const path of this.values.keys()) this.#show(path);
  }

  #put(path: string, value: number | null): void {
    this.values.set(path, value);
    if (this.#readable.value) this.#show(path);
  }

  #show(path: string): void {
    this.say(`N/${this.#id}/${path}`, { value: this.values.get(path) ?? null }, { retain: false });
  }
}

/** sonnen with the JSON write API: operating mode 1 manual, 2 self-consumption, 10 time of use; set-points in W. */
export class Sonnen extends HttpDevice {
  readonly token = "f48a-write";
  mode = "2";
  readonly setpoint = { charge: 0, discharge: 0 };

  actual(): string {
    if (this.mode !== "1") return `mode ${this.mode}`;
    return this.setpoint.charge > 0
      ? `charge ${this.setpoint.charge}`
      : `discharge ${this.setpoint.discharge}`;
  }

  byHand(): void {
    this.mode = "10";
  }

  protected forget(): void {
    this.setpoint.charge = this.setpoint.discharge = 0;
  }

  protected answer({ method, path, body, headers }: Asked): Answer | undefined {
    if (headers["auth-token"] !== this.token) return { status: 401, text: '{"error":"Unauthorized"}' };
    if (method === "GET" && path === "/api/v2/status") {
      const { charge, discharge } = this.setpoint;
      const isManual = this.mode === "1";
      return json({
        OperatingMode: this.mode,
        Pac_total_W: isManual ? discharge - charge : 350,
        USOC: 55,
        RSOC: 58,
      });
    }
    if (method === "PUT" && path === "/api/v2/configurations") {
      const { EM_OperatingMode: mode } = JSON.parse(body) as { EM_OperatingMode: string };
      this.take(`mode ${mode}`, () => {
        this.mode = mode;
      });
      return json({ EM_OperatingMode: mode });
    }
    const [, kind, watts] = /^\/api\/v2\/setpoint\/(charge|discharge)\/(\d+)$/.exec(path) ?? [];
    if (method !== "POST" || kind === undefined) return undefined;
    if (this.mode !== "1") return { status: 403, text: "false" };
    this.take(`${kind} ${watts}`, () => {
      this.setpoint.charge = this.setpoint.discharge = 0;
      this.setpoint[kind as "charge" | "discharge"] = Number(watts);
    });
    return { text: "true" };
  }
}

const API_TIMEOUT_S = 60;

/** OpenEMS REST controller: `SetActivePowerLessOrEquals` and `SetActivePowerEquals` end after the API time-out. */
export class OpenEms extends HttpDevice {
  readonly password = "owner";
  readonly limit = new Leased<number | null>(this.clock, null);
  readonly target = new Leased<number | null>(this.clock, null);

  /** W; charging is negative. Without a command the battery serves the load. */
  get power(): number {
    return this.target.value ?? Math.min(350, this.limit.value ?? FOREVER);
  }

  actual(): string {
    const { value } = this.target;
    if (value !== null) return value < 0 ? `charge ${-value}` : `discharge ${value}`;
    return this.limit.value === null ? "free" : `at most ${this.limit.value}`;
  }

  byHand(): void {
    this.target.set(1234, FOREVER);
  }

  protected forget(): void {
    this.limit.end();
    this.target.end();
  }

  protected answer({ method, path, body, headers }: Asked): Answer | undefined {
    const [scheme, credentials = ""] = (headers.authorization ?? "").split(" ");
    const password = Buffer.from(credentials, "base64").toString().split(":")[1];
    if (scheme !== "Basic" || password !== this.password) return { status: 401 };
    const channel = /^\/rest\/channel\/ess0\/(\w+)$/.exec(path)?.[1];
    if (method === "GET" && channel === "ActivePower")
      return json({ address: "ess0/ActivePower", type: "INTEGER", unit: "W", value: this.power });
    const command = { SetActivePowerLessOrEquals: this.limit, SetActivePowerEquals: this.target }[
      channel ?? ""
    ];
    if (method === "GET" && command !== undefined)
      return json({ address: `ess0/${channel}`, value: command.value });
    if (method !== "POST" || command === undefined) return undefined;
    const { value } = JSON.parse(body) as { value: number | null };
    this.take(`${channel} ${value}`, () =>
      value === null ? command.end() : command.set(value, API_TIMEOUT_S),
    );
    return {};
  }
}

const CYCLE_S = 2;

/** E3/DC behind rscp2mqtt: `set/power_mode` for a number of cycles, `set/power_limits` until changed. */
export class E3dcRscp2Mqtt extends MqttDevice {
  readonly powerMode = new Leased(this.clock, "auto", () => this.announce());
  limits = { isOn: false, maxDischarge: 6000 };

  actual(): string {
    const cap = this.limits.isOn ? `cap ${this.limits.maxDischarge}` : "free";
    return this.powerMode.value === "auto" ? cap : this.powerMode.value;
  }

  byHand(): void {
    this.limits = { isOn: true, maxDischarge: 1234 };
    this.announce();
  }

  protected forget(): void {
    this.powerMode.end();
  }

  protected filters(): string[] {
    return ["e3dc/set/#"];
  }

  protected hear(topic: string, text: string): void {
    const name = topic.slice("e3dc/set/".length);
    if (name === "force") {
      this.announce();
      return;
    }
    const set = (change: Partial<typeof this.limits>) =>
      this.take(`${name} ${text}`, () => {
        this.limits = { ...this.limits, ...change };
        this.announce();
      });
    if (name === "power_limits") set({ isOn: text === "true" || text === "1" });
    else if (name === "max_discharge_power") set({ maxDischarge: Number(text) });
    else if (name === "power_mode") {
      const [, mode = "auto", watts, cycles = "0"] =
        /^(auto|idle|grid_charge)(?::(\d+))??(?::(\d+))?$/.exec(text) ?? [];
      const value = watts === undefined ? mode : `${mode} ${watts}`;
      this.take(text, () =>
        mode === "auto" ? this.powerMode.end() : this.powerMode.set(value, Number(cycles) * CYCLE_S + 4),
      );
    }
  }

  protected announce(): void {
    const [mode, watts] = this.powerMode.value.split(" ");
    this.say("e3dc/rscp2mqtt/status", "connected");
    this.say("e3dc/ems/power_limits", String(this.limits.isOn));
    this.say("e3dc/ems/max_discharge/power", String(this.limits.maxDischarge));
    this.say("e3dc/battery/power", mode === "grid_charge" ? String(watts) : "-350");
  }
}

interface Schedule {
  Active: boolean;
  Power: number;
  ScheduleType: string;
}

/** Fronius GEN24: `/api/config/timeofuse` with digest authentication in a header of its own. */
export class FroniusGen24 extends HttpDevice {
  readonly access: DigestAccess;
  schedules: Schedule[] = [];

  /** Requests with an Authorization header that was wrong. */
  refused = 0;

  constructor(clock: Clock, access: Partial<DigestAccess> = {}) {
    super(clock);
    const signIn = { realm: "Webinterface area", user: "customer", password: "secret" };
    this.access = { algorithm: "SHA-256", ...signIn, ...access };
  }

  actual(): string {
    const active = this.schedules.filter(({ Active }) => Active);
    return active.map(({ ScheduleType, Power }) => `${ScheduleType} ${Power}`).join(", ") || "free";
  }

  byHand(): void {
    this.schedules = [{ Active: true, Power: 1234, ScheduleType: "CHARGE_MAX" }];
  }

  /** The schedules are stored. */
  protected forget(): void {}

  protected answer(asked: Asked): Answer | undefined {
    if (asked.path !== "/api/config/timeofuse") return undefined;
    if (!isAuthorized(asked, this.access)) {
      if (asked.headers.authorization !== undefined) this.refused++;
      return { status: 401, headers: { "x-www-authenticate": challenge(this.access) } };
    }
    if (asked.method === "POST") {
      const { timeofuse } = JSON.parse(asked.body) as { timeofuse: Schedule[] };
      this.take(asked.body, () => {
        this.schedules = timeofuse;
      });
      return json({ errors: [], permissionFailure: [], writeSuccess: ["timeofuse"] });
    }
    return json({ timeofuse: this.schedules });
  }
}

/** A Deye inverter behind deye-inverter-mqtt with the battery settings enabled. */
export class DeyeMqtt extends MqttDevice {
  readonly settings = new Map([
    ["grid_charge", "0"],
    ["maximum_grid_charge_current", "0"],
    ["maximum_discharge_current", "120"],
  ]);

  actual(): string {
    return [...this.settings].map(([name, value]) => `${name} ${value}`).join(", ");
  }

  byHand(): void {
    this.settings.set("maximum_discharge_current", "33");
    this.announce();
  }

  /** The settings are stored. */
  protected forget(): void {}

  protected filters(): string[] {
    return ["deye/settings/battery/+/command"];
  }

  protected hear(topic: string, text: string): void {
    const name = topic.split("/")[3] ?? "";
    if (!this.settings.has(name)) return;
    this.take(`${name} ${text}`, () => {
      this.settings.set(name, text);
      this.announce();
    });
  }

  protected announce(): void {
    for (const [name, value] of this.settings) this.say(`deye/settings/battery/${name}`, value);
  }
}
