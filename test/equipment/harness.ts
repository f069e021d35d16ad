import { silentLog } from "../../src/core/log.js";
import { systemResolve } from "../../src/core/net/resolve.js";
import { dayOf, localDate } from "../../src/core/time/zone.js";
import { ForeignConnection } from "../../src/edges/mqtt/client/device-channel.js";
import { Actuator } from "../../src/equipment/actuator.js";
import type { ActuatorOptions } from "../../src/equipment/actuator-options.js";
import { DeviceCommands } from "../../src/equipment/device-commands.js";
import type { Pace } from "../../src/equipment/device-pace.js";
import {
  type ActuatorLedger,
  emptyLedger,
  ledgerFromJson,
  ledgerToJson,
} from "../../src/equipment/ledger.js";
import { parametersOf } from "../../src/equipment/parameters.js";
import type { Control } from "../../src/equipment/states.js";
import { TemplateLibrary } from "../../src/equipment/template-library.js";
import { Addresses } from "../../src/equipment/transport/addresses.js";
import { HttpTransport } from "../../src/equipment/transport/http.js";
import { type DeviceChannel, MqttTransport } from "../../src/equipment/transport/mqtt.js";
import type { Transport } from "../../src/equipment/transport/transport.js";
import { type Wanted, wantedState } from "../../src/equipment/wanted.js";
import { eventually } from "../support/eventually.js";
import type { ManualClock } from "../support/manual-clock.js";

const ZONE = "Europe/Vienna";
const library = TemplateLibrary.open();

/** One actuator with a real socket to its device, a clock of the test and its ledger in memory. */
export interface Bench {
  actuator: Actuator;
  pace: Pace;
  /** What the plan asks for. */
  want(state: Wanted["state"] | undefined, more?: Partial<Wanted>): void;
  /** The stored ledger, as a restart reads it. */
  stored(): unknown;
  phase(): string;
  /** Moves the clock in steps, with time for the sockets between them. */
  pass(ms: number, stepMs?: number): Promise<void>;
  /** Waits for the phase, with time for the sockets. */
  reaches(phase: string): Promise<void>;
}

export async function bench(options: {
  clock: ManualClock;
  template: string;
  control?: Control;
  with: Record<string, unknown>;
  stored?: unknown;
  brokerUrl?: string;
  /** Replaces the sockets. */
  transport?: Partial<Transport>;
  changes?: Partial<ActuatorOptions>;
}): Promise<Bench> {
  const { clock, control = "slot", brokerUrl } = options;
  const template = (await library).get(options.template)!;
  const { transport: name, values, faults } = parametersOf(template, options.with);
  if (faults.length > 0) throw new Error(JSON.stringify(faults));
  const device = new DeviceCommands({
    template,
    transport: name,
    control,
    parameters: { ...values, plant: "home", actuator: "one" },
  });
  let wanted: Wanted | undefined;
  let stored = options.stored ?? ledgerToJson(emptyLedger());
  const channel = (): DeviceChannel =>
    new ForeignConnection({
      url: brokerUrl!,
      username: "",
      password: "",
      will: device.broker()?.will,
      log: silentLog,
    });
  const busy = { calls: 0 };
  const transport = counted(
    options.transport !== undefined
      ? {
          start: async () => {},
          stop: async () => {},
          send: async () => {},
          read: async () => undefined,
          mark: () => 0,
          values: () => undefined,
          onChange: () => {},
          isConnected: true,
          changes: () => undefined,
          isNewer: () => true,
          ...options.transport,
        }
      : device.kind === "http"
        ? new HttpTransport({
            auth: device.auth(),
            verifiesTls: true,
            timeoutMs: 300,
            limits: { allowPublic: false, hosts: undefined },
            ownHosts: device.hosts(),
            addresses: new Addresses(),
            resolve: systemResolve,
          })
        : new MqttTransport(channel(), device.filters()),
    busy,
  );
  const ledger: ActuatorLedger = ledgerFromJson(JSON.parse(JSON.stringify(stored)));
  const one = new Actuator({
    device,
    transport,
    clock,
    pace: device.pace(),
    externalMs: 30 * 60_000,
    enabled: true,
    dryRun: false,
    ledger,
    save: async (next) => {
      stored = JSON.parse(JSON.stringify(ledgerToJson(next)));
    },
    wanted: () => wanted,
    live: () => ({}),
    day: (now) => ({ day: localDate(now, ZONE), leftMs: dayOf(now, ZONE).end.getTime() - now.getTime() }),
    onChange: () => {},
    random: () => 0.5,
    log: silentLog,
    ...options.changes,
  });
  const phase = () => one.status().phase;
  return {
    actuator: one,
    pace: device.pace(),
    want: (state, more) => {
      wanted = state === undefined ? undefined : wantedState(state, more);
      one.update();
    },
    stored: () => stored,
    phase,
    pass: async (ms, stepMs = 1_000) => {
      for (let left = ms; left > 0; left -= stepMs) {
        await clock.advance(Math.min(stepMs, left));
        await quiet(busy);
      }
    },
    reaches: (expected) =>
      eventually(async () => {
        if (phase() !== expected) {
          await clock.advance(500);
          await quiet(busy);
        }
        if (phase() !== expected) throw new Error(`The actuator is ${phase()}, not ${expected}.`);
      }),
  };
}

/** The transport, with its calls in progress counted. */
export function counted(transport: Transport, busy: { calls: number }): Transport {
  const count = <Result>(work: Promise<Result>): Promise<Result> => {
    busy.calls++;
    return work.finally(() => busy.calls--);
  };
  return {
    start: () => transport.start(),
    stop: () => transport.stop(),
    mark: () => transport.mark(),
    get isConnected() {
      return transport.isConnected;
    },
    changes: (source) => transport.changes(source),
    isNewer: (source, than) => transport.isNewer(source, than),
    values: (source) => transport.values(source),
    onChange: (listener) => transport.onChange(listener),
    send: (request, signal) => count(transport.send(request, signal)),
    read: (source, since, signal) => count(transport.read(source, since, signal)),
  };
}

/** Lets calls in progress and those that follow them end; the clock stands still meanwhile. */
export async function quiet(busy: { calls: number }): Promise<void> {
  let still = 0;
  while (still < 3) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    still = busy.calls === 0 ? still + 1 : 0;
  }
}
