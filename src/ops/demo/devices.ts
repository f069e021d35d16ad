import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { connect, type MqttClient } from "mqtt";
import type { DemoActuator } from "./actuator-kinds.js";
import type { HomeCommands } from "./home.js";

/** evcc returns to its own control when an external mode is not repeated for this time. */
const EVCC_LEASE_MS = 60_000;
const EVCC_MODES: readonly string[] = ["charge", "hold", "none"];

/**
 * The devices of the simulated home as actuators see them: battery, wallbox and boiler over HTTP, or the battery as evcc
 * over MQTT. They change the commands that the home obeys.
 */
export class DemoDevices {
  readonly commands: HomeCommands = { wallboxOn: false, boilerOn: false };
  readonly #states = new Map([
    ["/battery", "free"],
    ["/wallbox", "off"],
    ["/boiler", "off"],
  ]);
  readonly #now: () => Date;
  #server: Server | undefined;
  #client: MqttClient | undefined;
  #leaseEndMs = Number.POSITIVE_INFINITY;
  #writes = 0;

  /** `now`: the time of the gateway. */
  constructor(now: () => Date) {
    this.#now = now;
  }

  /** Commands received so far. */
  get writes(): number {
    return this.#writes;
  }

  /** Starts the HTTP devices. Resolves with their address. */
  async start(): Promise<string> {
    this.#server = createServer((request, response) => {
      const { pathname, searchParams: query } = new URL(request.url ?? "/", "http://device");
      const state = query.get("state");
      if (!this.#states.has(pathname)) {
        response.writeHead(404).end();
        return;
      }
      if (state !== null) this.#set(pathname, state, Number(query.get("kw")), Number(query.get("stop")));
      response.end(this.#states.get(pathname));
    });
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Connects the battery as evcc to the broker. */
  async startEvcc(options: { url: string; username: string; password: string }): Promise<void> {
    const client = connect(options.url, {
      username: options.username,
      password: options.password,
      reconnectPeriod: 200,
    });
    this.#client = client;
    // A lost connection is retried by the client.
    client.on("error", () => {});
    client.on("message", (_topic, payload) => {
      const mode = payload.toString();
      if (!EVCC_MODES.includes(mode)) return;
      // evcc charges with its own maximum, up to the full battery.
      this.#set("/battery", mode === "none" ? "free" : mode, Number.POSITIVE_INFINITY, 100);
      this.#leaseEndMs = this.#now().getTime() + EVCC_LEASE_MS;
      this.#report(mode);
    });
    await new Promise<void>((resolve) => client.once("connect", () => resolve()));
    await client.subscribeAsync("evcc/site/batteryMode/set", { qos: 1 });
    client.publish("evcc/status", "online", { retain: true });
    this.#report("none");
  }

  /** Ends a command of evcc that was not repeated in time. */
  expire(): void {
    if (this.#now().getTime() < this.#leaseEndMs) return;
    this.#leaseEndMs = Number.POSITIVE_INFINITY;
    this.#set("/battery", "free", 0, 100);
    this.#report("none");
  }

  async stop(): Promise<void> {
    await this.#client?.endAsync(true);
    this.#server?.closeAllConnections();
    this.#server?.close();
  }

  #report(mode: string): void {
    this.#client?.publish("evcc/site/batteryModeExternal", mode === "none" ? "unknown" : mode, {
      retain: true,
    });
  }

  #set(device: string, state: string, kw: number, stop: number): void {
    this.#writes++;
    this.#states.set(device, state);
    const { commands } = this;
    if (device === "/wallbox") {
      commands.wallboxOn = state === "on";
      if (kw > 0) commands.wallboxKw = kw;
      else delete commands.wallboxKw;
    } else if (device === "/boiler") commands.boilerOn = state === "on";
    else {
      for (const name of ["chargePowerKw", "dischargeCapKw", "chargeCapKw", "dischargeSetKw"] as const)
        delete commands[name];
      commands.chargeNow = state === "charge";
      if (state === "charge") Object.assign(commands, { chargePowerKw: kw, chargeStopSocPct: stop });
      if (state === "hold" || state === "cap") commands.dischargeCapKw = state === "hold" ? 0 : kw;
      if (state === "block") commands.chargeCapKw = 0;
      if (state === "discharge") commands.dischargeSetKw = kw;
    }
  }
}

/** The actuators of the demonstration's plant; `url` is the address of the HTTP devices. */
export function demoActuators(kind: DemoActuator, url: string): object[] {
  const http = (id: string, controls: string, path: string, states: readonly string[]) => ({
    id,
    controls,
    template: "http",
    with: {
      urls: Object.fromEntries(
        states.map((state) => [
          state,
          `${url}${path}?state=${state}&kw={{ power_kw }}&stop={{ soc_stop_pct }}`,
        ]),
      ),
      read_url: `${url}${path}`,
      expect: Object.fromEntries(states.map((state) => [state, state])),
    },
    dry_run: false,
  });
  return [
    kind === "http"
      ? http("battery", "battery", "/battery", ["free", "charge", "hold", "cap", "block", "discharge"])
      : {
          id: "battery",
          controls: "battery",
          template: "evcc-battery",
          with: { transport: "mqtt", root: "evcc" },
          dry_run: false,
        },
    http("wallbox", "slot 1", "/wallbox", ["off", "on"]),
    http("boiler", "slot 2", "/boiler", ["off", "on"]),
  ];
}
