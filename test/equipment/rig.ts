import { readFileSync } from "node:fs";
import { silentLog } from "../../src/core/log.js";
import { systemResolve } from "../../src/core/net/resolve.js";
import { ForeignConnection } from "../../src/edges/mqtt/client/device-channel.js";
import { Actuator } from "../../src/equipment/actuator.js";
import { DeviceCommands } from "../../src/equipment/device-commands.js";
import { emptyLedger } from "../../src/equipment/ledger.js";
import { parametersOf } from "../../src/equipment/parameters.js";
import type { ActuatorState, Control } from "../../src/equipment/states.js";
import { type ActuatorTemplate, parseTemplate } from "../../src/equipment/template.js";
import { Addresses } from "../../src/equipment/transport/addresses.js";
import { HttpTransport } from "../../src/equipment/transport/http.js";
import { MqttTransport } from "../../src/equipment/transport/mqtt.js";
import type { Transport } from "../../src/equipment/transport/transport.js";
import { type Wanted, wantedState } from "../../src/equipment/wanted.js";
import type { Device as FakeDevice } from "../support/devices/device.js";
import type { TestBroker } from "../support/devices/test-broker.js";
import { type ManualClock, manualClock } from "../support/manual-clock.js";
import { counted } from "./harness.js";

/** Milliseconds without a call in progress after which the clock moves on: messages of the device arrive meanwhile. */
const SETTLE_TURNS = 4;
/** Largest step of the clock. */
const STEP_MS = 15_000;
/** Real time after which a silent HTTP device counts as not answering, ms. */
const HTTP_TIMEOUT_MS = 1_000;

export interface RigOptions {
  template: string;
  control: Control;
  parameters: Record<string, unknown>;
  clock: TestClock;
  fake: FakeDevice;
  broker: TestBroker;
}

const templates = new Map<string, ActuatorTemplate>();

/** Each is read once, as by a gateway with several devices of a kind. */
function templateOf(id: string): ActuatorTemplate {
  const path = new URL(`../../config/devices/${id}.yaml`, import.meta.url);
  const template = templates.get(id) ?? parseTemplate(readFileSync(path, "utf8"), `${id}.yaml`);
  templates.set(id, template);
  return template;
}

/** One actuator of a shipped template with real sockets and a manual clock, and a simulated device. */
export class Rig {
  readonly fake: FakeDevice;
  readonly #device: DeviceCommands;
  readonly #clock: TestClock;
  readonly #broker: TestBroker;
  readonly #busy = { calls: 0 };
  readonly #actuator: Actuator;
  readonly #transport: Transport;
  #channel: ForeignConnection | undefined;
  #wanted: Wanted | undefined;
  #isAlive = true;

  constructor({ template: id, control, parameters, clock, fake, broker }: RigOptions) {
    this.#broker = broker;
    this.fake = fake;
    this.#clock = clock;
    const template = templateOf(id);
    const { transport, values, faults } = parametersOf(template, parameters);
    if (faults.length > 0) throw new Error(JSON.stringify(faults));
    this.#device = new DeviceCommands({
      template,
      transport,
      control,
      parameters: { ...values, plant: "home", actuator: "a" },
    });
    this.#transport = counted(this.#connect(), this.#busy);
    this.#actuator = new Actuator({
      device: this.#device,
      transport: this.#transport,
      clock: {
        ...clock,
        at: (when, callback) => clock.at(when, () => this.#isAlive && callback()),
      },
      pace: { ...this.#device.pace(), minDwellMs: 0 },
      externalMs: 30 * 60_000,
      enabled: true,
      dryRun: false,
      ledger: emptyLedger(),
      save: async () => {},
      wanted: () => this.#wanted,
      live: () => ({}),
      day: () => ({ day: "2026-01-15", leftMs: 12 * 3_600_000 }),
      onChange: () => {},
      random: () => 0.5,
      log: silentLog,
    });
  }

  async start(): Promise<void> {
    while (!this.#isConnected) await this.#settle();
    await this.#actuator.start();
    // The device is read for the first time, or switched off where that is a command.
    this.want(this.#device.neutral);
    await this.until(() => ["idle", "confirmed", "accepted"].includes(this.#actuator.status().phase));
  }

  async stop(): Promise<void> {
    if (!this.#isAlive) return;
    this.#wanted = undefined;
    let isDone = false;
    void this.#actuator.stop().finally(() => {
      isDone = true;
    });
    await this.until(() => isDone);
  }

  get status() {
    return this.#actuator.status();
  }

  /** Asks for a state; undefined: there is no usable plan. */
  want(state: ActuatorState | undefined, powerKw = 0, socStopPct = 100): void {
    this.#wanted = state === undefined ? undefined : wantedState(state, { powerKw, socStopPct });
    this.#actuator.update();
  }

  /** Moves the clock until the check passes; false if it does not within `limitMs`. */
  async until(check: () => boolean, limitMs?: number): Promise<boolean> {
    const { deadlineMs } = this.#device.pace();
    const endMs = this.#clock.now().getTime() + (limitMs ?? Math.max(300_000, 5 * deadlineMs));
    for (;;) {
      await this.#settle();
      if (check()) return true;
      const nowMs = this.#clock.now().getTime();
      if (nowMs >= endMs) return false;
      await this.#clock.set(
        new Date(Math.min(endMs, nowMs + STEP_MS, Math.max(nowMs + 100, this.#clock.nextDueMs()))),
      );
    }
  }

  /** Lets requests and messages in progress arrive; the clock stands still meanwhile. */
  async #settle(): Promise<void> {
    const { silent, lateMs } = this.fake.faults;
    for (let still = 0; still < SETTLE_TURNS; ) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      // Only the clock ends a delay of the device.
      still =
        this.#busy.calls <= 0 || (lateMs > 0 && !silent && this.#device.kind === "http") ? still + 1 : 0;
    }
  }

  /** Lets the time pass. */
  async pass(ms: number): Promise<void> {
    await this.until(() => false, ms);
  }

  /** Real time for messages that nobody waits for. */
  async arrive(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }

  /** The topics that confirm a command. */
  topics(): string[] {
    const checks = this.#device.states().flatMap((state) => this.#device.checks(state, wantedState(state)));
    return [...new Set(checks.flatMap(({ source }) => source.topic ?? []))];
  }

  /** Ends the gateway as `kill -9` does. */
  kill(): void {
    this.#isAlive = false;
    // Its connection breaks without a DISCONNECT.
    this.#broker.cut(/^hourgate-/);
    void this.#transport.stop().catch(() => {});
    // What it was doing is never answered.
    this.#busy.calls = Number.NEGATIVE_INFINITY;
  }

  get leaseMs(): number {
    return this.#device.pace().leaseMs;
  }

  get #isConnected(): boolean {
    return this.#channel?.isConnected ?? true;
  }

  #connect(): Transport {
    const device = this.#device;
    if (device.kind === "http")
      return new HttpTransport({
        auth: device.auth(),
        verifiesTls: true,
        timeoutMs: HTTP_TIMEOUT_MS,
        limits: { allowPublic: false, hosts: undefined },
        ownHosts: device.hosts(),
        addresses: new Addresses(),
        resolve: systemResolve,
      });
    // Without a broker of the device's own: as on the gateway's connection, which has no last will for devices.
    const own = { url: this.#broker.url, username: "", password: "", will: undefined };
    const broker = device.broker() ?? own;
    this.#channel = new ForeignConnection({ ...broker, log: silentLog });
    return new MqttTransport(this.#channel, device.filters(), () => this.#clock.now().getTime());
  }
}

/** A manual clock that knows when the next callback is due. */
export interface TestClock extends ManualClock {
  /** Infinity if there is none. */
  nextDueMs(): number;
}

export function testClock(): TestClock {
  const clock = manualClock(new Date("2026-01-15T08:00:00Z"));
  const due = new Set<{ ms: number }>();
  return {
    ...clock,
    nextDueMs: () => Math.min(Number.POSITIVE_INFINITY, ...[...due].map(({ ms }) => ms)),
    at: (when, callback) => {
      const entry = { ms: when.getTime() };
      due.add(entry);
      const cancel = clock.at(when, () => {
        due.delete(entry);
        callback();
      });
      return () => {
        due.delete(entry);
        cancel();
      };
    },
  };
}
