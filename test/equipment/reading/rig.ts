import { silentLog } from "../../../src/core/log.js";
import type { Clock } from "../../../src/core/time/clock.js";
import { ForeignConnection } from "../../../src/edges/mqtt/client/device-channel.js";
import type { ForeignBroker } from "../../../src/equipment/device-connection.js";
import { createReadPlan } from "../../../src/equipment/reading/create-device.js";
import { ReadDevice, type TakenReading } from "../../../src/equipment/reading/device.js";
import { FrozenPowers } from "../../../src/equipment/reading/frozen.js";
import { parseTemplate } from "../../../src/equipment/template.js";
import { Addresses } from "../../../src/equipment/transport/addresses.js";
import type { ReadingLimits } from "../../../src/telemetry/reading-limits.js";

/** Sources of a device that everything is allowed to. */
export function openSources(addresses = new Addresses({ pausesMs: [0] })) {
  return {
    settings: { allow_public: false, tenant_templates: [], tenant_hosts: [] },
    isUnrestricted: () => true,
    addresses,
    channel: {
      isConnected: false,
      publish: async () => {},
      subscribe: () => () => {},
      onConnection: () => () => {},
    },
    connect: (broker: ForeignBroker) => new ForeignConnection({ ...broker, log: silentLog }),
  };
}

export interface RigOptions {
  /** Readings, facts and other parts of the template as YAML. */
  reads: string;
  /** Keys of the connection as YAML. */
  modbus?: string;
  /** Another transport than Modbus as YAML. */
  transport?: string;
  with?: Readonly<Record<string, string | number>>;
  clock?: Clock;
  host: string;
  port: number;
  addresses?: Addresses;
  isDark?: () => boolean;
  limits?: (name: string) => ReadingLimits | undefined;
  isReversed?: boolean;
  serial?: string;
}

/** A device with a template of its own, read when the test says so; its clock moves one poll of 10 s each time. */
export function rig({ reads, modbus = "", transport, host, port, addresses, ...options }: RigOptions) {
  const template = parseTemplate(
    `id: tried
name: { en: Tried, de: Probe }
parameters: {}
${reads}
transports:
  ${transport ?? `modbus: { modbus: { timeout_s: 0.25, ${modbus} } }`}
`,
    "tried.yaml",
  );
  let nowMs = Date.UTC(2026, 5, 1, 12);
  const plan = createReadPlan(openSources(addresses), {
    site: { id: "home" },
    settings: {
      id: "tried",
      with: options.with ?? { host, port },
      controls: null,
      reversed: options.isReversed ? ["grid"] : [],
    },
    template,
    now: () => options.clock?.now().getTime() ?? nowMs,
  });
  const frozen = new FrozenPowers();
  let taken: ReadonlyMap<string, TakenReading> = new Map();
  const device = new ReadDevice({
    ...plan,
    id: "tried",
    serial: options.serial ?? null,
    pollMs: 10_000,
    clock: options.clock ?? { now: () => new Date(nowMs), at: () => () => {}, steadyMs: () => Infinity },
    isDark: options.isDark ?? (() => false),
    limits: options.limits ?? (() => undefined),
    frozenSince: (name, value, at) => frozen.take({ device: "tried", name, value, at }),
    onPolled: (values) => {
      taken = values;
    },
    log: { info: () => {}, warn: (_, message) => expectNothing(message) },
  });
  plan.channels.start();
  return {
    device,
    moveOn: (ms: number) => {
      nowMs += ms;
    },
    get taken() {
      return taken;
    },
    async poll() {
      nowMs += 10_000;
      await device.read();
    },
    shown: (name: string) => device.shown(name, new Date(nowMs)),
    value(name: string) {
      const { value, quality } = device.shown(name, new Date(nowMs));
      return quality === "good" || quality === "derived" ? value : quality;
    },
  };
}

function expectNothing(message: string): void {
  throw new Error(`The device could not be read because of a fault of the program: ${message}`);
}
