import { type Answer, type Asked, HttpDevice, json } from "./http-device.js";
import { MqttDevice } from "./mqtt-device.js";

/** go-e with the HTTP API v2: `/api/set?frc=…&amp=…`, `/api/status?filter=…`. `frc`: 0 neutral, 1 off, 2 on. */
export class GoE extends HttpDevice {
  readonly values: Record<string, number> = { frc: 0, amp: 16, psm: 2, car: 2 };

  actual(): string {
    const { frc, amp } = this.values;
    return frc === 2 ? `on ${amp} A` : frc === 1 ? "off" : "neutral";
  }

  byHand(): void {
    this.values.frc = this.values.frc === 0 ? 1 : 0;
  }

  /** Settings are stored. */
  protected forget(): void {}

  protected answer({ path, query, url }: Asked): Answer | undefined {
    if (path === "/api/status") {
      const filter = query.get("filter")?.split(",") ?? Object.keys(this.values);
      return json(Object.fromEntries(filter.map((key) => [key, this.values[key] ?? null])));
    }
    if (path !== "/api/set") return undefined;
    const given = [...query].map(([key, value]) => [key, Number(value)] as const);
    const isValid = ([key, value]: readonly [string, number]) =>
      key in this.values && Number.isInteger(value) && (key !== "amp" || (value >= 6 && value <= 32));
    const valid = given.filter(isValid);
    if (valid.length > 0)
      this.take(url, () => {
        for (const [key, value] of valid) this.values[key] = value;
      });
    return json(
      Object.fromEntries(given.map((entry) => [entry[0], isValid(entry) ? true : "value out of range"])),
    );
  }
}

/** openWB 2 with its simple API: a command topic is cleared on success; the lowest charge point has no id. */
export class OpenWb2 extends MqttDevice {
  mode = "pv_charging";
  current = 16;

  actual(): string {
    return this.mode === "instant_charging" ? `instant ${this.current} A` : this.mode;
  }

  byHand(): void {
    this.mode = "eco_charging";
    this.announce();
  }

  /** The charge template survives. */
  protected forget(): void {}

  protected filters(): string[] {
    return ["openWB/simpleAPI/set/chargepoint/4/+"];
  }

  protected hear(topic: string, text: string): void {
    const modes: Record<string, string> = {
      instant: "instant_charging",
      pv: "pv_charging",
      eco: "eco_charging",
      stop: "stop",
      target: "scheduled_charging",
    };
    const name = topic.split("/").at(-1);
    const mode = modes[text];
    if (name === "chargemode" && mode !== undefined)
      this.#set(topic, text, () => {
        this.mode = mode;
      });
    if (name === "chargecurrent")
      this.#set(topic, text, () => {
        this.current = Number(text);
      });
  }

  protected announce(): void {
    this.say("openWB/simpleAPI/chargepoint/4/chargemode", this.mode);
    this.say("openWB/simpleAPI/chargepoint/4/instant_charging_current", String(this.current));
  }

  #set(topic: string, text: string, change: () => void): void {
    this.take(`${topic} ${text}`, () => {
      change();
      this.announce();
    });
    this.say(topic, "");
  }
}

/** Tinkerforge WARP: `evse/external_current_update` {"current": mA}; 0 stops charging. */
export class Warp extends MqttDevice {
  current = 32_000;
  /** Another one after each start. */
  #bootId = 2_417_803_110;

  actual(): string {
    return `${this.current} mA`;
  }

  byHand(): void {
    this.current = 12_345;
    this.announce();
  }

  /** The external current returns to its default. */
  protected forget(): void {
    this.current = 32_000;
    this.#bootId += 1_234_567;
    this.announce();
  }

  protected filters(): string[] {
    return ["warp2/AbC/evse/+"];
  }

  protected hear(topic: string, text: string): void {
    if (!topic.endsWith("/external_current_update")) return;
    const { current } = JSON.parse(text) as { current: number };
    if (current !== 0 && !(current >= 6000 && current <= 32_000)) return;
    this.take(text, () => {
      this.current = current;
      this.announce();
    });
  }

  protected announce(): void {
    this.say("warp2/AbC/evse/external_current", { current: this.current });
    this.say("warp2/AbC/event_log/boot_id", { boot_id: this.#bootId });
  }
}
