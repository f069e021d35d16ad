import type { Clock } from "../../../src/core/time/clock.js";
import { Leased } from "./device.js";
import { type Answer, type Asked, HttpDevice, json } from "./http-device.js";
import { MqttDevice } from "./mqtt-device.js";

const MODES = ["unknown", "normal", "hold", "charge", "holdcharge"];
const INTERVAL_MS = 30_000;
const LEASE_S = 60;

/** What evcc does with an external battery mode and with the settings of a loadpoint. */
class Evcc {
  readonly external: Leased<string>;
  applied = "normal";
  /** False: no meter with battery control. */
  hasBatteryControl = true;
  readonly loadpoint = { mode: "pv", maxCurrent: 16 };

  constructor(clock: Clock, changed: () => void) {
    this.external = new Leased<string>(clock, "unknown", changed);
  }

  /** One control cycle. */
  cycle(): void {
    this.applied = this.external.value === "unknown" ? "normal" : this.external.value;
  }
}

/** evcc's HTTP API: `/api/batterymode/<mode>`, `/api/loadpoints/1/…`, `/api/state?jq=…`. */
export class EvccHttp extends HttpDevice {
  readonly evcc = new Evcc(this.clock, () => {});
  #isStopped = false;
  watches: "battery" | "loadpoint" = "battery";

  override async start(): Promise<void> {
    await super.start();
    this.#isStopped = false;
    const cycle = () => {
      if (this.#isStopped) return;
      this.evcc.cycle();
      this.after(INTERVAL_MS, cycle);
    };
    this.after(INTERVAL_MS, cycle);
  }

  override async stop(): Promise<void> {
    this.#isStopped = true;
    await super.stop();
  }

  actual(): string {
    return this.watches === "battery" ? this.evcc.applied : loadpointText(this.evcc);
  }

  byHand(): void {
    if (this.watches === "loadpoint") this.evcc.loadpoint.mode = "minpv";
    else {
      this.evcc.external.set("holdcharge", LEASE_S);
      this.evcc.cycle();
    }
  }

  protected forget(): void {
    this.evcc.external.end();
    this.evcc.applied = "normal";
    this.evcc.loadpoint.mode = "pv";
  }

  protected answer({ method, path, query }: Asked): Answer | undefined {
    const parts = path.split("/").slice(2);
    if (path === "/api/state") {
      const { applied, external, loadpoint } = this.evcc;
      const state: Record<string, unknown> = {
        ".batteryMode": applied,
        ".batteryModeExternal": external.value,
        ".loadpoints[0].mode": loadpoint.mode,
        '[.loadpoints[]|select(.mode=="now" and .charging)]|length': 0,
      };
      const jq = query.get("jq");
      if (jq !== null) return jq in state ? json(state[jq]) : { status: 400, text: "invalid jq" };
      return json({ batteryMode: applied, loadpoints: [loadpoint] });
    }
    if (parts[0] === "batterymode") {
      const mode = method === "DELETE" ? "unknown" : (parts[1] ?? "");
      if (!MODES.includes(mode) || (method !== "POST" && method !== "DELETE")) return { status: 400 };
      if (this.evcc.hasBatteryControl)
        this.take(`${method} ${path}`, () => this.evcc.external.set(mode, LEASE_S));
      return json(MODES.indexOf(this.evcc.external.value));
    }
    if (method === "POST" && parts[0] === "loadpoints" && parts[1] === "1") return this.#loadpoint(parts);
    return undefined;
  }

  #loadpoint([, , key, value = ""]: string[]): Answer | undefined {
    const { loadpoint } = this.evcc;
    if (key === "mode" && ["off", "pv", "minpv", "now"].includes(value)) {
      this.take(`mode ${value}`, () => {
        loadpoint.mode = value;
      });
      return json({ result: value });
    }
    if (key !== "maxcurrent") return undefined;
    this.take(`maxcurrent ${value}`, () => {
      loadpoint.maxCurrent = Number(value);
    });
    return json({ result: Number(value) });
  }
}

const loadpointText = ({ loadpoint }: Evcc) =>
  loadpoint.mode === "now" ? `now ${loadpoint.maxCurrent} A` : loadpoint.mode;

/** evcc's MQTT API below the root: `site/batteryMode/set`, `loadpoints/1/mode/set`, `loadpoints/1/maxCurrent/set`. */
export class EvccMqtt extends MqttDevice {
  /** A vehicle charges at full power at the first loadpoint, or no more. */
  announceFastCharging(isFast: boolean): void {
    this.evcc.loadpoint.mode = isFast ? "now" : "pv";
    this.say("evcc/loadpoints/1/charging", String(isFast));
    this.say("evcc/loadpoints/1/mode", this.evcc.loadpoint.mode);
  }

  readonly evcc = new Evcc(this.clock, () => this.announce());
  #isStopped = false;
  watches: "battery" | "loadpoint" = "battery";

  override async start(): Promise<void> {
    await super.start();
    this.#isStopped = false;
    const cycle = () => {
      if (this.#isStopped) return;
      this.evcc.cycle();
      this.announce();
      this.after(INTERVAL_MS, cycle);
    };
    this.after(INTERVAL_MS, cycle);
  }

  override async stop(): Promise<void> {
    this.#isStopped = true;
    await super.stop();
  }

  actual(): string {
    return this.watches === "battery" ? this.evcc.applied : loadpointText(this.evcc);
  }

  byHand(): void {
    if (this.watches === "loadpoint") this.evcc.loadpoint.mode = "minpv";
    else {
      this.evcc.external.set("holdcharge", LEASE_S);
      this.evcc.cycle();
    }
    this.announce();
  }

  protected forget(): void {
    this.evcc.external.end();
    this.evcc.applied = "normal";
    this.evcc.loadpoint.mode = "pv";
    this.announce();
  }

  protected override get will() {
    return { topic: "evcc/status", text: "offline" };
  }

  protected filters(): string[] {
    return ["evcc/site/batteryMode/set", "evcc/loadpoints/1/+/set"];
  }

  protected hear(topic: string, text: string): void {
    const { external, loadpoint, hasBatteryControl } = this.evcc;
    const [, part, , key] = topic.split("/");
    // evcc removes a retained command after it has handled it.
    this.say(topic, "");
    if (part === "site") {
      const mode = text === "none" ? "unknown" : text;
      if (hasBatteryControl && MODES.includes(mode)) this.take(text, () => external.set(mode, LEASE_S));
    } else if (key === "mode") {
      this.take(`mode ${text}`, () => {
        loadpoint.mode = text;
        this.announce();
      });
    } else if (key === "maxCurrent") {
      this.take(`maxCurrent ${text}`, () => {
        loadpoint.maxCurrent = Number(text);
        this.announce();
      });
    }
  }

  protected announce(): void {
    const { applied, external, loadpoint } = this.evcc;
    this.say("evcc/status", "online");
    this.say("evcc/updated", String(Math.floor(this.now() / 1000)));
    this.say("evcc/site/batteryMode", applied);
    this.say("evcc/site/batteryModeExternal", external.value);
    this.say("evcc/loadpoints/1/mode", loadpoint.mode);
    this.say("evcc/loadpoints/1/maxCurrent", String(loadpoint.maxCurrent));
  }
}
