import { silentLog } from "../../../src/core/log.js";
import { systemResolve } from "../../../src/core/net/resolve.js";
import { ForeignConnection } from "../../../src/edges/mqtt/client/device-channel.js";
import { Actuator } from "../../../src/equipment/actuator.js";
import { DeviceCommands } from "../../../src/equipment/device-commands.js";
import { emptyLedger, ledgerFromJson, ledgerToJson } from "../../../src/equipment/ledger.js";
import { parametersOf } from "../../../src/equipment/parameters.js";
import { TemplateLibrary } from "../../../src/equipment/template-library.js";
import { Addresses } from "../../../src/equipment/transport/addresses.js";
import { HttpTransport } from "../../../src/equipment/transport/http.js";
import { MqttTransport } from "../../../src/equipment/transport/mqtt.js";
import type { Transport } from "../../../src/equipment/transport/transport.js";
import { type Wanted, wantedState } from "../../../src/equipment/wanted.js";
import { EvccService } from "../../support/devices/evcc-service.js";
import { TestBroker } from "../../support/devices/test-broker.js";
import { counted } from "../harness.js";
import { type TestClock, testClock } from "../rig.js";

const library = TemplateLibrary.open();
const STEP_MS = 1_000;
/** Milliseconds without a call in progress after which the clock moves on. */
const SETTLE_TURNS = 4;

export type Side = "evcc" | "hourgate" | "broker";

/** A way in which a side is away. */
export interface Absence {
  side: Side;
  isCrash: boolean;
  ms: number;
}

/** What is commanded, and by which way. */
export interface Task {
  name: string;
  template: "evcc-battery" | "evcc-loadpoint";
  transport: "mqtt" | "http";
  wanted: Wanted;
  /** What is wanted from the beginning of the absence on. */
  later: Wanted;
  /** What the inverter or the wallbox does, and what it may do instead. */
  planned: string;
  safe: readonly string[];
}

export interface CellResult {
  /** Longest time in a state that is neither planned nor safe while evcc could be told so, s. */
  wrongS: number;
  /** Time from the moment at which all sides are up until the planned state, s; Infinity: not within two minutes. */
  recoveryS: number;
  /** Longest time for which hourgate says confirmed while evcc does not show it, s. */
  falseS: number;
  /** Whether somebody else was seen, who was not there. */
  wasExternal: boolean;
  /** What hourgate says at the end, with its error. */
  ended: string;
}

/** evcc, a broker, and an actuator that can end and begin again, with real sockets and a manual clock. */
export class Cell {
  readonly clock: TestClock = testClock();
  readonly broker = new TestBroker();
  readonly #task: Task;
  #evcc!: EvccService;
  #actuator: Actuator | undefined;
  #transport: Transport | undefined;
  #channel: ForeignConnection | undefined;
  #wanted: Wanted;
  #stored: unknown = ledgerToJson(emptyLedger());
  #run = 0;
  readonly #busy = { calls: 0 };

  constructor(task: Task) {
    this.#task = task;
    this.#wanted = task.wanted;
  }

  /** Brings evcc up, then the actuator, and waits until the command is followed. */
  async begin(): Promise<void> {
    await this.broker.start();
    this.#evcc = new EvccService(this.clock, this.broker.url);
    await this.#evcc.start();
    await this.pass(5_000);
    await this.#startGateway();
    await this.until(() => this.actual === doing(this.#task.wanted) && this.#phase === "confirmed", 120_000);
    if (this.#phase !== "confirmed") throw new Error(`The beginning is ${this.#phase}: ${this.actual}.`);
    await this.pass(70_000);
  }

  async end(): Promise<void> {
    this.#run++;
    await this.#transport?.stop().catch(() => {});
    await this.#evcc.kill();
    await this.broker.stop();
  }

  /** Takes a side away and back, and watches until two minutes later. */
  async disturb({ side, isCrash, ms }: Absence): Promise<CellResult> {
    let wrongMs = 0;
    let longestWrongMs = 0;
    let falseMs = 0;
    let longestFalseMs = 0;
    let wasExternal = false;
    let isEvccUp = true;
    const watch = () => {
      const { planned, safe } = this.#task;
      const isWrong = isEvccUp && this.actual !== planned && !safe.includes(this.actual);
      wrongMs = isWrong ? wrongMs + STEP_MS : 0;
      longestWrongMs = Math.max(longestWrongMs, wrongMs);
      const confirmed = this.#run % 2 === 1 ? this.#actuator?.status().confirmed : undefined;
      const isFalse =
        confirmed != null && this.#task.template === "evcc-battery" && confirmed.state !== this.#shown;
      falseMs = isFalse ? falseMs + STEP_MS : 0;
      longestFalseMs = Math.max(longestFalseMs, falseMs);
      wasExternal ||= this.#phase === "external";
    };
    this.#wanted = this.#task.later;
    if (side === "evcc") {
      const stopping = isCrash ? this.#evcc.kill() : this.#evcc.stop();
      isEvccUp = false;
      this.#actuator?.update();
      await this.pass(ms, watch);
      await stopping;
      await this.#evcc.start();
      isEvccUp = true;
    } else if (side === "broker") {
      await this.broker.stop();
      this.#actuator?.update();
      await this.pass(ms, watch);
      await this.broker.start({ keepsRetained: !isCrash });
      // It connects again after a second of real time; the clock stands still meanwhile.
      while (this.#channel?.isConnected === false) await new Promise((resolve) => setTimeout(resolve, 10));
    } else {
      if (isCrash) this.#killGateway();
      else await this.#stopGateway();
      await this.pass(ms, watch);
      await this.#startGateway();
    }
    const backMs = this.clock.now().getTime();
    let reachedMs = Infinity;
    await this.pass(150_000, () => {
      watch();
      const isRight = this.actual === this.#task.planned;
      const nowMs = this.clock.now().getTime();
      if (!isRight) reachedMs = Infinity;
      else if (reachedMs === Infinity) reachedMs = nowMs - backMs;
    });
    const round = (one: number) => Math.round(one / 1000);
    return {
      wrongS: round(longestWrongMs),
      recoveryS: round(reachedMs),
      falseS: round(longestFalseMs),
      wasExternal,
      ended: [this.#phase, this.#actuator?.status().lastError?.fault].filter(Boolean).join(": "),
    };
  }

  /** What the inverter or the wallbox does. */
  get actual(): string {
    return this.#task.template === "evcc-battery" ? this.#evcc.battery : this.#evcc.wallbox;
  }

  get #shown(): string {
    return this.#evcc.external === "unknown" ? "free" : this.#evcc.external;
  }

  get #phase(): string {
    return this.#actuator?.status().phase ?? "none";
  }

  async until(check: () => boolean, limitMs: number): Promise<void> {
    for (let leftMs = limitMs; leftMs > 0 && !check(); leftMs -= STEP_MS) await this.pass(STEP_MS);
  }

  async pass(ms: number, watch: () => void = () => {}): Promise<void> {
    for (let leftMs = ms; leftMs > 0; leftMs -= STEP_MS) {
      await this.clock.advance(STEP_MS);
      await this.#settle();
      watch();
    }
  }

  async #settle(): Promise<void> {
    for (let still = 0; still < SETTLE_TURNS; ) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      still = this.#busy.calls <= 0 ? still + 1 : 0;
    }
  }

  async #startGateway(): Promise<void> {
    const run = ++this.#run;
    this.broker.allow();
    this.#busy.calls = 0;
    const { template: id, transport: way } = this.#task;
    const template = (await library).get(id)!;
    const place = way === "mqtt" ? { broker: this.broker.url } : { url: this.#evcc.url };
    const { values, faults } = parametersOf(template, { transport: way, ...place });
    if (faults.length > 0) throw new Error(JSON.stringify(faults));
    const parameters = { ...values, plant: "home", actuator: "a" };
    const device = new DeviceCommands({
      template,
      transport: way,
      control: id === "evcc-battery" ? "battery" : "slot",
      parameters,
    });
    const transport = counted(this.#connect(device), this.#busy);
    this.#transport = transport;
    const actuator = new Actuator({
      device,
      transport,
      clock: {
        ...this.clock,
        at: (when, callback) => this.clock.at(when, () => run === this.#run && callback()),
      },
      pace: device.pace(),
      externalMs: 30 * 60_000,
      enabled: true,
      dryRun: false,
      ledger: ledgerFromJson(JSON.parse(JSON.stringify(this.#stored))),
      save: async (next) => {
        if (run === this.#run) this.#stored = JSON.parse(JSON.stringify(ledgerToJson(next)));
      },
      wanted: () => this.#wanted,
      live: () => ({}),
      day: () => ({ day: "2026-01-15", leftMs: 12 * 3_600_000 }),
      onChange: () => {},
      random: () => 0.5,
      log: silentLog,
    });
    this.#actuator = actuator;
    await actuator.start();
  }

  #killGateway(): void {
    this.#run++;
    this.broker.cut(/^hourgate-/);
    void this.#transport?.stop().catch(() => {});
  }

  async #stopGateway(): Promise<void> {
    await this.#actuator?.stop();
    this.#run++;
  }

  #connect(device: DeviceCommands): Transport {
    if (device.kind === "http")
      return new HttpTransport({
        auth: device.auth(),
        verifiesTls: true,
        timeoutMs: 400,
        limits: { allowPublic: false, hosts: undefined },
        ownHosts: device.hosts(),
        addresses: new Addresses(),
        resolve: systemResolve,
      });
    this.#channel = new ForeignConnection({ ...device.broker()!, log: silentLog });
    return new MqttTransport(this.#channel, device.filters(), () => this.clock.now().getTime());
  }
}

function doing({ state }: Wanted): string {
  return state === "free" ? "normal" : state === "on" ? "now 16 A" : state;
}

const hold = wantedState("hold");
const charge = wantedState("charge", { powerKw: 5, socStopPct: 95 });
const free = wantedState("free");
const on = wantedState("on", { powerKw: 11 });

const battery = (name: string, transport: Task["transport"], wanted: Wanted, later = wanted): Task => ({
  name,
  template: "evcc-battery",
  transport,
  wanted,
  later,
  planned: doing(later),
  safe: ["normal"],
});
const wallbox = (transport: Task["transport"]): Task => ({
  name: `wallbox on, ${transport.toUpperCase()}`,
  template: "evcc-loadpoint",
  transport,
  wanted: on,
  later: on,
  planned: "now 16 A",
  safe: ["off 16 A", "pv 16 A"],
});

export const TASKS: readonly Task[] = [
  battery("hold, MQTT", "mqtt", hold),
  battery("hold, HTTP", "http", hold),
  battery("charge, MQTT", "mqtt", charge),
  battery("charge, HTTP", "http", charge),
  battery("charge ends meanwhile, MQTT", "mqtt", charge, free),
  battery("charge ends meanwhile, HTTP", "http", charge, free),
  wallbox("mqtt"),
  wallbox("http"),
];

export const ABSENCES: readonly Absence[] = (["evcc", "hourgate", "broker"] as const).flatMap((side) =>
  [false, true].flatMap((isCrash) => [4_000, 120_000].map((ms) => ({ side, isCrash, ms }))),
);

/** Over HTTP the broker does not matter. */
export function isPossible({ side }: Absence, { transport }: Task): boolean {
  return side !== "broker" || transport === "mqtt";
}
