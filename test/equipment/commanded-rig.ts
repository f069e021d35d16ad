import { silentLog } from "../../src/core/log.js";
import { Actuator } from "../../src/equipment/actuator.js";
import { DeviceError } from "../../src/equipment/command.js";
import { DeviceCommands } from "../../src/equipment/device-commands.js";
import { effectsOf } from "../../src/equipment/effect.js";
import { emptyLedger, ledgerFromJson, ledgerToJson } from "../../src/equipment/ledger.js";
import { parametersOf } from "../../src/equipment/parameters.js";
import type { ActuatorState } from "../../src/equipment/states.js";
import { TemplateLibrary } from "../../src/equipment/template-library.js";
import { ModbusTransport } from "../../src/equipment/transport/modbus.js";
import { ModbusException } from "../../src/equipment/transport/modbus-frames.js";
import { wantedState } from "../../src/equipment/wanted.js";
import { type ManualClock, manualClock } from "../support/manual-clock.js";
import { quiet } from "./harness.js";
import type { CommandedDevice, CommandedFamily } from "./simulated/commanded-device.js";

const library = TemplateLibrary.open();
const START = new Date("2026-01-15T08:00:00Z");

/** The commands of a template for a simulated device. */
export async function commandsOf(family: CommandedFamily) {
  const template = (await library).get(family.template);
  if (template === undefined) throw new Error(JSON.stringify((await library).problems));
  const { transport, values, faults } = parametersOf(template, { host: "127.0.0.1", ...family.with });
  if (faults.length > 0) throw new Error(JSON.stringify(faults));
  const device = new DeviceCommands({
    template,
    transport,
    control: "battery",
    parameters: { ...values, unit: family.unit, plant: "home", actuator: "battery" },
  });
  return { device, effects: effectsOf(template, transport), template };
}

/** A gateway with one battery: an actuator whose requests reach the simulated device without a socket. */
export class CommandedRig {
  readonly clock: ManualClock;
  readonly simulated: CommandedDevice;
  readonly actuator: Actuator;
  readonly states: readonly ActuatorState[];
  readonly pace;
  stored: unknown;
  #wanted: { state: ActuatorState; powerKw: number } | undefined;
  readonly #busy = { calls: 0 };
  #isAlive = true;
  #readAtS = -Infinity;
  #live: Record<string, number> = {};

  constructor(
    { device }: Pick<Awaited<ReturnType<typeof commandsOf>>, "device">,
    simulated: CommandedDevice,
    {
      clock = manualClock(START),
      stored,
      readEveryS = 1,
    }: { clock?: ManualClock; stored?: unknown; readEveryS?: number } = {},
  ) {
    this.clock = clock;
    this.simulated = simulated;
    this.states = simulated.family.states ?? device.states();
    this.pace = { ...device.pace(), minDwellMs: 0, maxWritesPerDay: 1_000 };
    this.stored = stored ?? ledgerToJson(emptyLedger());
    const { registers, limits } = device.modbus();
    const reaches = async <Result>(unit: number, ask: () => Result): Promise<Result> => {
      this.#busy.calls++;
      try {
        await Promise.resolve();
        if (simulated.isGone || !this.#isAlive) throw new DeviceError("timeout", "did not answer");
        if (unit !== simulated.family.unit) throw new ModbusException(11);
        return ask();
      } finally {
        this.#busy.calls--;
      }
    };
    const transport = new ModbusTransport({
      connection: {
        cuts: 0,
        epoch: 1,
        sunSpec: new Map(),
        read: (unit, fc, address, count) =>
          reaches(unit, () => {
            const { holding, input } = simulated.unit();
            return Array.from({ length: count }, (_, index) => {
              const word = (fc === 3 ? holding : input)?.get(address + index);
              if (word === undefined) throw new ModbusException(2);
              return word;
            });
          }),
        write: (unit, fc, address, words) =>
          reaches(unit, () => {
            if (!simulated.unit().write!(address, words, fc)) throw new ModbusException(3);
          }),
      },
      release: () => {},
      registers,
      limits,
      now: () => clock.now().getTime(),
    });
    this.actuator = new Actuator({
      device,
      transport,
      clock: { ...clock, at: (when, callback) => clock.at(when, () => this.#isAlive && callback()) },
      pace: this.pace,
      externalMs: 30 * 60_000,
      enabled: true,
      dryRun: false,
      ledger: ledgerFromJson(JSON.parse(JSON.stringify(this.stored))),
      save: async (ledger) => {
        if (this.#isAlive) this.stored = JSON.parse(JSON.stringify(ledgerToJson(ledger)));
      },
      wanted: () => this.#wanted && wantedState(this.#wanted.state, { powerKw: this.#wanted.powerKw }),
      live: () => {
        // As read with the last poll.
        if (simulated.nowS - this.#readAtS >= readEveryS) {
          this.#readAtS = simulated.nowS;
          this.#live = {
            load_w: simulated.home.loadW,
            pv_w: simulated.home.pvW,
            battery_w: simulated.batteryW,
            grid_w: simulated.gridW,
            soc_pct: simulated.home.socPct,
          };
        }
        return this.#live;
      },
      day: () => ({ day: "2026-01-15", leftMs: 12 * 3_600_000 }),
      onChange: () => {},
      random: () => 0.5,
      log: silentLog,
    });
  }

  async start(): Promise<this> {
    await this.actuator.start();
    await this.#settle();
    return this;
  }

  want(state: ActuatorState | undefined, powerKw = 0): void {
    this.#wanted = state === undefined ? undefined : { state, powerKw };
    this.actuator.update();
  }

  get phase() {
    return this.actuator.status().phase;
  }

  /** Moves the clock until the device is in the state, at most a minute. */
  async reaches(...phases: string[]): Promise<void> {
    for (let second = 0; second < 60; second++) {
      await this.#settle();
      if (phases.includes(this.phase)) return;
      await this.pass(1);
    }
    throw new Error(
      `${this.simulated.family.template} is ${this.phase}, not ${phases.join(" or ")}: ${JSON.stringify(this.actuator.status().lastError)}`,
    );
  }

  /** Seconds pass at the gateway and in the device. */
  async pass(seconds: number, step = 1): Promise<void> {
    for (let left = seconds; left > 0; left -= step) {
      const by = Math.min(step, left);
      await this.clock.advance(by * 1_000);
      await this.#settle();
      this.simulated.nowS += by;
    }
  }

  async stop(): Promise<void> {
    await this.actuator.stop();
  }

  /** As by `kill -9`: nothing is sent, stored or answered any more. */
  kill(): void {
    this.#isAlive = false;
  }

  async #settle(): Promise<void> {
    await quiet(this.#busy);
  }
}
