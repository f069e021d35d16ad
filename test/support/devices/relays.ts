import type { Clock } from "../../../src/core/time/clock.js";
import { Leased } from "./device.js";
import { challenge, type DigestAccess, isAuthorized } from "./digest.js";
import { type Answer, type Asked, HttpDevice, json } from "./http-device.js";
import { MqttDevice } from "./mqtt-device.js";

const onOff = (isOn: boolean) => (isOn ? "on" : "off");
const FOREVER = Number.POSITIVE_INFINITY;

/** Shelly of the second and later generations: `/rpc/Switch.Set`, with digest authentication if a password is set. */
export class ShellyGen2 extends HttpDevice {
  readonly access: DigestAccess | null;
  readonly output = new Leased(this.clock, false);

  constructor(clock: Clock, password?: string) {
    super(clock);
    this.access =
      password === undefined
        ? null
        : { algorithm: "SHA-256", realm: "shellyplus1-a8032abe54dc", user: "admin", password };
  }

  actual(): string {
    return onOff(this.output.value);
  }

  byHand(): void {
    this.output.set(!this.output.value, FOREVER);
  }

  protected forget(): void {
    this.output.end();
  }

  protected answer(asked: Asked): Answer | undefined {
    const { method, path, query, body } = asked;
    if (this.access !== null && !isAuthorized(asked, this.access))
      return { status: 401, headers: { "www-authenticate": challenge(this.access) } };
    if (path === "/rpc/Sys.GetStatus") return json({ uptime: this.uptimeS });
    const given = Object.fromEntries([...query].map(([key, value]) => [key, JSON.parse(value) as unknown]));
    const parameters = { ...given, ...(method === "POST" && body !== "" ? JSON.parse(body) : {}) };
    if (parameters.id !== 0) return { status: 500, text: '{"code":-105,"message":"no switch with this id"}' };
    const isOn = this.output.value;
    if (path === "/rpc/Switch.GetStatus") return json({ id: 0, output: isOn, apower: isOn ? 1000 : 0 });
    if (path !== "/rpc/Switch.Set") return;
    const { on, toggle_after: seconds = FOREVER } = parameters as { on: boolean; toggle_after?: number };
    if (typeof on !== "boolean") return { status: 500, text: '{"code":-103}' };
    this.take(body || asked.url, () => this.output.set(on, seconds, !on));
    return json({ was_on: isOn });
  }
}

/** The same relay over MQTT: `<prefix>/rpc` and `<prefix>/status/switch:0`. */
export class ShellyGen2Mqtt extends MqttDevice {
  readonly #prefix: string;
  readonly output = new Leased(this.clock, false, () => this.announce());

  constructor(clock: Clock, brokerUrl: string, prefix = "shellyplus1-a8032abe54dc") {
    super(clock, brokerUrl);
    this.#prefix = prefix;
  }

  actual(): string {
    return onOff(this.output.value);
  }

  byHand(): void {
    this.output.set(!this.output.value, FOREVER);
  }

  protected forget(): void {
    this.output.end();
  }

  protected override get will() {
    return { topic: `${this.#prefix}/online`, text: "false" };
  }

  protected filters(): string[] {
    return [`${this.#prefix}/rpc`, `${this.#prefix}/command`];
  }

  protected hear(topic: string, text: string): void {
    if (topic.endsWith("/command")) {
      if (text === "status_update") this.announce();
      return;
    }
    const { id, src, method, params } = JSON.parse(text);
    if (method === "Switch.GetStatus") {
      this.say(`${src}/rpc`, { id, src: this.#prefix, result: this.#status() }, { retain: false });
      return;
    }
    if (method !== "Switch.Set" || params.id !== 0) return;
    const wasOn = this.output.value;
    this.take(text, () => this.output.set(params.on, params.toggle_after ?? FOREVER, !params.on));
    this.say(`${src}/rpc`, { id, src: this.#prefix, result: { was_on: wasOn } }, { retain: false });
  }

  protected announce(): void {
    this.say(`${this.#prefix}/online`, "true");
    this.say(`${this.#prefix}/status/switch:0`, this.#status(), { retain: false });
  }

  #status() {
    return { id: 0, output: this.output.value, apower: this.output.value ? 1000 : 0 };
  }
}

/** Shelly of the first generation: `/relay/0?turn=on&timer=900`, with basic authentication if a password is set. */
export class ShellyGen1 extends HttpDevice {
  readonly #authorization: string | undefined;
  readonly output = new Leased(this.clock, false);

  constructor(clock: Clock, password?: string) {
    super(clock);
    if (password !== undefined)
      this.#authorization = `Basic ${Buffer.from(`admin:${password}`).toString("base64")}`;
  }

  actual(): string {
    return onOff(this.output.value);
  }

  byHand(): void {
    this.output.set(!this.output.value, FOREVER);
  }

  protected forget(): void {
    this.output.end();
  }

  protected answer({ path, query, headers, url }: Asked): Answer | undefined {
    if (path === "/status") return json({ uptime: this.uptimeS });
    if (path !== "/relay/0") return;
    if (this.#authorization !== undefined && headers.authorization !== this.#authorization)
      return { status: 401, text: "401 Unauthorized" };
    const turn = query.get("turn");
    const timer = Number(query.get("timer") ?? 0);
    if (turn === "on" || turn === "off")
      this.take(url, () => this.output.set(turn === "on", timer || FOREVER, turn !== "on"));
    return json({ ison: this.output.value, has_timer: timer > 0, source: "http" });
  }
}

/** Tasmota: `cmnd/<topic>/POWER` with PulseTime as the lease (112 to 64900: seconds + 100). */
export class Tasmota extends MqttDevice {
  readonly #topic: string;
  #pulseSeconds = FOREVER;
  readonly output = new Leased(this.clock, false, () => this.#tell());

  constructor(clock: Clock, brokerUrl: string, topic = "boiler") {
    super(clock, brokerUrl);
    this.#topic = topic;
  }

  actual(): string {
    return onOff(this.output.value);
  }

  byHand(): void {
    this.output.set(!this.output.value, FOREVER);
  }

  protected forget(): void {
    this.output.end();
  }

  protected override get hearsEmpty(): boolean {
    return true;
  }

  protected override get will() {
    return { topic: `tele/${this.#topic}/LWT`, text: "Offline" };
  }

  protected filters(): string[] {
    return [`cmnd/${this.#topic}/+`];
  }

  protected hear(topic: string, text: string): void {
    const command = topic.split("/").at(-1)?.toUpperCase();
    if (command === "PULSETIME" || command === "PULSETIME1") {
      const value = Number(text);
      this.#pulseSeconds = value >= 112 ? value - 100 : value > 0 ? value / 10 : FOREVER;
      this.#result({ PulseTime1: { Set: value, Remaining: 0 } });
    } else if (command === "POWER" || command === "POWER1") {
      if (text === "") this.#tell();
      else {
        const isOn = text.toUpperCase() === "ON";
        this.take(`${topic} ${text}`, () =>
          isOn ? this.output.set(true, this.#pulseSeconds) : this.output.end(),
        );
        // The answer holds the state of the relay, also when the command had no effect.
        if (this.faults.inert) this.#tell();
      }
    }
  }

  protected announce(): void {
    this.say(`tele/${this.#topic}/LWT`, "Online");
    this.#tell();
  }

  #tell(): void {
    const power = this.output.value ? "ON" : "OFF";
    this.#result({ POWER: power });
    this.say(`stat/${this.#topic}/POWER`, power, { retain: false });
  }

  #result(value: object): void {
    this.say(`stat/${this.#topic}/RESULT`, value, { retain: false });
  }
}

/** A Zigbee plug behind zigbee2mqtt; `on_time` is a lease of plugs that support it. */
export class Zigbee2MqttPlug extends MqttDevice {
  readonly #topic: string;
  readonly output = new Leased(this.clock, false, () => this.announce());

  constructor(clock: Clock, brokerUrl: string, topic = "zigbee2mqtt/boiler") {
    super(clock, brokerUrl);
    this.#topic = topic;
  }

  actual(): string {
    return onOff(this.output.value);
  }

  byHand(): void {
    this.output.set(!this.output.value, FOREVER);
  }

  /** power_on_behavior: off. */
  protected forget(): void {
    this.output.end();
  }

  protected filters(): string[] {
    return [`${this.#topic}/set`, `${this.#topic}/get`];
  }

  protected hear(topic: string, text: string): void {
    if (topic.endsWith("/get")) {
      this.announce();
      return;
    }
    const { state, on_time: seconds = FOREVER } = JSON.parse(text) as { state: string; on_time?: number };
    if (state !== "ON" && state !== "OFF") return;
    this.take(text, () => (state === "ON" ? this.output.set(true, seconds) : this.output.end()));
  }

  protected announce(): void {
    const isOn = this.output.value;
    this.say(
      this.#topic,
      { state: isOn ? "ON" : "OFF", power: isOn ? 1000 : 0, linkquality: 120 },
      { retain: false },
    );
  }
}

/** Tasmota over HTTP: `/cm?cmnd=Power%20On`. */
export class TasmotaHttp extends HttpDevice {
  #pulseSeconds = FOREVER;
  readonly output = new Leased(this.clock, false);

  actual(): string {
    return onOff(this.output.value);
  }

  byHand(): void {
    this.output.set(!this.output.value, FOREVER);
  }

  protected forget(): void {
    this.output.end();
  }

  protected answer({ path, query }: Asked): Answer | undefined {
    if (path !== "/cm") return undefined;
    const text = query.get("cmnd") ?? "";
    const [command = "", value] = text.split(" ");
    if (command === "PulseTime1") this.#pulseSeconds = Number(value) - 100;
    else if (command !== "Power") return json({ Command: "Unknown" });
    else if (value !== undefined)
      this.take(text, () => (value === "On" ? this.output.set(true, this.#pulseSeconds) : this.output.end()));
    return json({ POWER: this.output.value ? "ON" : "OFF" });
  }
}

/** Two channels of one Shelly as SG Ready contacts; shows them as `1:0`, and whether it was switched over a wrong state. */
export class ShellyPair extends HttpDevice {
  readonly #generation: "shelly-gen1" | "shelly-gen2";
  /** All states that the contacts had, in their order. */
  readonly passed: string[] = [];
  readonly outputs = [0, 1].map(
    () => new Leased(this.clock, false, () => void this.passed.push(this.actual())),
  );

  constructor(clock: Clock, generation: "shelly-gen1" | "shelly-gen2") {
    super(clock);
    this.#generation = generation;
  }

  actual(): string {
    return (this.outputs ?? []).map(({ value }) => Number(value)).join(":");
  }

  byHand(): void {
    for (const output of this.outputs) output.set(!output.value, FOREVER);
  }

  protected forget(): void {
    for (const output of this.outputs) output.end();
  }

  protected answer({ method, path, query, body, url }: Asked): Answer | undefined {
    if (path === "/status" || path === "/rpc/Sys.GetStatus") return json({ uptime: this.uptimeS });
    if (this.#generation === "shelly-gen1") {
      const output = this.outputs[Number(/^\/relay\/([01])$/.exec(path)?.[1])];
      if (output === undefined) return undefined;
      const turn = query.get("turn");
      const isOn = turn === "on";
      if (turn !== null) this.take(url, () => output.set(isOn, Number(query.get("timer")) || FOREVER, !isOn));
      return json({ ison: output.value });
    }
    const given = method === "POST" ? JSON.parse(body) : { id: Number(query.get("id")) };
    const output = this.outputs[given.id];
    if (output === undefined) return undefined;
    if (path === "/rpc/Switch.GetStatus") return json({ id: given.id, output: output.value });
    if (path !== "/rpc/Switch.Set") return undefined;
    this.take(body, () => output.set(given.on, given.toggle_after ?? FOREVER, !given.on));
    return json({ was_on: output.value });
  }
}
