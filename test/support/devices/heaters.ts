import { Leased } from "./device.js";
import { type Answer, type Asked, HttpDevice, json } from "./http-device.js";
import { MqttDevice } from "./mqtt-device.js";

const POWER_TIMEOUT_S = 30;
const RATED_W = 3500;

/** my-PV AC ELWA 2: `control.html?power=<W>` ends after the power time-out; `data.jsn` shows the power. */
export class MyPv extends HttpDevice {
  readonly power = new Leased(this.clock, 0);
  /** True: the maximum temperature is reached, so the heater takes nothing. */
  isHot = false;

  actual(): string {
    return this.#watts() > 0 ? `on ${this.#watts()}` : "off";
  }

  byHand(): void {
    this.power.set(1234, Number.POSITIVE_INFINITY);
  }

  protected forget(): void {
    this.power.end();
  }

  protected answer({ path, query, url }: Asked): Answer | undefined {
    if (path === "/data.jsn")
      return json({
        device: "AC ELWA 2",
        power_elwa2: this.#watts(),
        temp1: this.isHot ? 655 : 456,
        screen_mode_flag: 1,
      });
    const power = query.get("power");
    if (path !== "/control.html" || power === null) return undefined;
    this.take(url, () => this.power.set(Math.min(RATED_W, Math.max(0, Number(power))), POWER_TIMEOUT_S));
    return { text: "OK" };
  }

  #watts(): number {
    return this.isHot ? 0 : this.power.value;
  }
}

/** A Panasonic heat pump behind HeishaMon. */
export class HeishaMon extends MqttDevice {
  readonly settings = new Map([
    ["Z1_Heat_Request_Temp", "0"],
    ["DHW_Target_Temp", "48"],
  ]);

  actual(): string {
    return `shift ${this.settings.get("Z1_Heat_Request_Temp")}, water ${this.settings.get("DHW_Target_Temp")}`;
  }

  byHand(): void {
    this.settings.set("Z1_Heat_Request_Temp", "-3");
    this.announce();
  }

  /** The heat pump keeps its settings. */
  protected forget(): void {}

  protected override get will() {
    return { topic: "panasonic_heat_pump/LWT", text: "Offline" };
  }

  protected filters(): string[] {
    return ["panasonic_heat_pump/commands/+"];
  }

  protected hear(topic: string, text: string): void {
    const names: Record<string, string> = {
      SetZ1HeatRequestTemperature: "Z1_Heat_Request_Temp",
      SetDHWTemp: "DHW_Target_Temp",
    };
    const name = names[topic.split("/")[2] ?? ""];
    if (name === undefined) return;
    this.take(`${name} ${text}`, () => {
      this.settings.set(name, text);
      this.announce();
    });
  }

  protected announce(): void {
    this.say("panasonic_heat_pump/LWT", "Online");
    for (const [name, value] of this.settings) this.say(`panasonic_heat_pump/main/${name}`, value);
  }
}

const SERIAL = "116180212345";
/** W at 100 %. */
const INVERTER_W = 2000;

/** A Hoymiles inverter behind OpenDTU: a limit that is lost at night; retained commands are ignored by OpenDTU. */
export class OpenDtu extends MqttDevice {
  /** % of the inverter's power. */
  limit = 100;

  actual(): string {
    return `${this.limit} %`;
  }

  byHand(): void {
    this.limit = 42;
    this.announce();
  }

  /** No power at night: back to the stored limit. */
  protected forget(): void {
    this.limit = 100;
    this.announce();
  }

  protected override get will() {
    return { topic: `solar/${SERIAL}/status/reachable`, text: "0" };
  }

  protected filters(): string[] {
    return [`solar/${SERIAL}/cmd/+`];
  }

  protected hear(topic: string, text: string): void {
    const [, unit] = /\/limit_nonpersistent_(relative|absolute)$/.exec(topic) ?? [];
    if (unit === undefined) return;
    this.take(`${unit} ${text}`, () => {
      this.limit = unit === "relative" ? Number(text) : (Number(text) / INVERTER_W) * 100;
      this.announce();
    });
  }

  protected announce(): void {
    this.say(`solar/${SERIAL}/status/reachable`, "1");
    this.say(`solar/${SERIAL}/status/limit_relative`, String(this.limit));
    this.say(`solar/${SERIAL}/status/limit_absolute`, String((this.limit / 100) * INVERTER_W));
  }
}
