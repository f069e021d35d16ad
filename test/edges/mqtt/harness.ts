import { mkdtemp, rm } from "node:fs/promises";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import mqtt, { type IClientOptions, type MqttClient } from "mqtt";
import { type Access, basicAccess, tierOf } from "../../../src/accounts/access.js";
import { hoursDemandDocument } from "../../../src/api/documents/hours-demand.js";
import { defaultSettings } from "../../../src/config/load.js";
import type { Site } from "../../../src/config/site.js";
import { SiteRuntimes } from "../../../src/config/site-runtimes.js";
import { createBus } from "../../../src/core/bus.js";
import type { PlanScalars } from "../../../src/core/domain/plan-field-lists.js";
import type { Sample } from "../../../src/core/domain/sample.js";
import { HealthRegistry } from "../../../src/core/health-registry.js";
import { HostNames } from "../../../src/core/net/host-names.js";
import type { MqttLimits } from "../../../src/edges/mqtt/broker/budget.js";
import { type MqttOptions, MqttService } from "../../../src/edges/mqtt/service.js";
import type { SitePlan } from "../../../src/plan/site-plan.js";
import { FlexInputError } from "../../../src/plan/windows/request.js";
import { samplePlan } from "../../api/fake-services.js";
import { manualClock } from "../../support/manual-clock.js";

export const NOW = new Date("2026-01-15T02:07:30Z");

const site = (id: string): Site => ({
  id,
  accountId: "account",
  plant: {
    id,
    timezone: "Europe/Vienna",
    batteries: [] as unknown,
    actuators: [] as unknown,
    devices: [] as unknown,
    slots: [] as unknown,
    pv: [] as unknown,
  } as Site["plant"],
});

export const SITES = [site("home"), site("cabin")];

/** Keys of the test accounts; the owner's key belongs to the first site. */
export const KEYS = { owner: "key-owner", home: "key-home", cabin: "key-cabin" };

/** The default limits with changes by section. */
export function limits(
  changes: { [Section in keyof MqttLimits]?: Partial<MqttLimits[Section]> } = {},
): MqttLimits {
  const defaults = defaultSettings().limits.mqtt;
  return Object.fromEntries(
    Object.entries(defaults).map(([section, values]) => [
      section,
      { ...values, ...changes[section as keyof MqttLimits] },
    ]),
  ) as MqttLimits;
}

/** Approvals of a gateway whose sites all belong to the administrator, with changes. */
export function approvals(changes: Partial<MqttOptions["approvals"]> = {}): MqttOptions["approvals"] {
  return {
    isUnrestricted: () => true,
    mayRead: () => true,
    mayPublish: () => false,
    onChange: () => () => {},
    ...changes,
  };
}

/** How plans are published by these gateways. */
export const VIEW = { zone: "Europe/Vienna", baseUrl: "http://gateway", language: "en" } as const;

/** A plan of the site `home` with other scalars. */
export function planWith(changes: Partial<PlanScalars> = {}): SitePlan {
  const plan = samplePlan();
  return { ...plan, scalars: { ...plan.scalars, ...changes } };
}

export interface Gateway {
  service: MqttService;
  components: HealthRegistry;
  bus: ReturnType<typeof createBus>;
  stored: { siteId: string; sample: Sample; thinSeconds: number }[];
  plans: Map<string, SitePlan>;
  revoked: Set<string>;
  logged: string[];
  planned(siteId: string): void;
}

/** Replacements of the defaults; of the settings, all except the broker. */
export type GatewayOptions = Omit<Partial<MqttOptions>, "settings"> & {
  settings?: Partial<Omit<MqttOptions["settings"], "broker">>;
};

/** Sites without slots refuse each request about one. */
const refuse = async () => ({ error: { message: "The slot is not assigned.", details: [] } });

/** The MQTT module of a gateway on a free port with replaced services. */
export async function startGateway(
  dataFolder: string,
  overrides: Partial<MqttOptions["settings"]["broker"]> = {},
  { settings, ...options }: GatewayOptions = {},
): Promise<Gateway> {
  const clock = manualClock(NOW);
  const components = new HealthRegistry(clock);
  const bus = createBus();
  const stored: Gateway["stored"] = [];
  const plans: Gateway["plans"] = new Map();
  const revoked = new Set<string>();
  const logged: string[] = [];
  const log = (_details: object, message: string) => void logged.push(message);
  const access = (key: string): Access => {
    const name = Object.entries(KEYS).find(([, value]) => value === key)?.[0];
    if (name === undefined || revoked.has(key)) return basicAccess(true);
    const owned = SITES.find(({ id }) => id === name) ?? SITES[0]!;
    const tier = tierOf("professional");
    return {
      ...tier,
      plan: "professional",
      tokenPresent: true,
      tokenValid: true,
      site: owned,
      administrator: name === "owner",
    };
  };
  const presence = { document: () => undefined, change: refuse };
  const service = new MqttService({
    presence,
    settings: {
      prefix: "hourgate",
      heartbeat_seconds: 0,
      homeassistant: { enabled: true, prefix: "homeassistant", language: "en" },
      external: { url: null, username: null, password: null },
      ...settings,
      broker: {
        enabled: true,
        host: "127.0.0.1",
        port: 0,
        ws_port: null,
        anonymous: false,
        tls: null,
        users: [],
        ...overrides,
      },
    },
    limits: limits(),
    hosts: new HostNames({ hosts: [], baseUrl: () => "http://192.168.1.5:8080", name: "gateway" }),
    approvals: approvals(),
    dataFolder,
    installationId: "test",
    hasExclusiveStore: false,
    version: "1.2.3",
    baseUrl: () => "http://192.168.1.5:8080",
    telemetryMap: () => [],
    clock,
    bus,
    components,
    documents: { get: async () => undefined, put: async () => {} },
    accounts: { access, sites: () => SITES },
    languageOf: () => "en",
    telemetry: {
      ingest: async (siteId, samples, { thinSeconds }) => {
        for (const sample of samples) stored.push({ siteId, sample, thinSeconds });
        return {};
      },
      leaveOut: () => {},
    },
    sites: new SiteRuntimes(bus, options.accounts?.sites() ?? SITES),
    plans: { current: (siteId) => plans.get(siteId), present: () => undefined },
    planDocument: (siteId) => {
      const plan = plans.get(siteId);
      return plan && hoursDemandDocument(plan, { ...VIEW, access: { tier: "full_active" } });
    },
    forecastDocument: (siteId) => ({ schema: "forecast_v1", plant: siteId, access: {}, prices: [] }),
    pvForecastDocument: () => undefined,
    savings: { now: () => undefined },
    display: {
      priceCurve: () => undefined,
      pvEnergies: () => undefined,
      today: () => undefined,
      live: () => ({}),
      session: () => undefined,
      nowAndNext: () => "The battery is idle.",
    },
    listeners: [],
    onClientActivity: () => {},
    slots: {
      windows: refuse,
      override: refuse,
      setPlugged: () => Promise.reject(new FlexInputError("slot_id", "The slot is not assigned.")),
      documents: () => [],
    },
    actuators: { list: () => [], setEnabled: async () => {} },
    devices: { list: () => [], commandDocument: () => null },
    requests: {
      "hours-demand": async (siteId, body) => ({ schema: "hours_demand_v1.11", plant: siteId, asked: body }),
      forecast: async () => {
        throw new Error("boom");
      },
    },
    log: { trace: log, debug: log, info: log, warn: log, error: log },
    ...options,
  });
  await service.start();
  return {
    service,
    components,
    bus,
    stored,
    plans,
    revoked,
    logged,
    planned: (siteId) => void bus.emit("plan.updated", { siteId, material: true } as SitePlan),
  };
}

export interface Message {
  topic: string;
  text: string;
  retain: boolean;
}

/** An answer of the gateway to a message. */
interface Ack {
  topic: string;
  ok: boolean;
  error?: string;
  id?: unknown;
}

/** A real MQTT client that records received messages. */
export class Device {
  readonly client: MqttClient;
  readonly messages: Message[] = [];
  closes = 0;
  connects = 0;
  readonly #watchers = new Set<() => void>();
  readonly #acks = new Map<string, Ack>();

  constructor(port: number, password: string | undefined, options: IClientOptions = {}) {
    this.client = mqtt.connect({
      host: "127.0.0.1",
      port,
      protocol: "mqtt",
      reconnectPeriod: 50,
      ...(password === undefined ? {} : { username: "device", password }),
      ...options,
    });
    this.client.on("error", () => {});
    this.client.on("connect", () => {
      (this.client.stream as Partial<Socket>).setNoDelay?.(true);
      this.connects++;
      this.#changed();
    });
    this.client.on("close", () => {
      this.closes++;
      this.#changed();
    });
    this.client.on("message", (topic, payload, { retain }) => {
      this.messages.push({ topic, text: payload.toString(), retain });
      this.#changed();
    });
  }

  #changed() {
    for (const watcher of [...this.#watchers]) watcher();
  }

  /** Resolves when the condition holds; checked at each event of the client. */
  async until(condition: () => boolean, what = String(condition)): Promise<void> {
    if (condition()) return;
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`Not within 30 s: ${what}; got ${JSON.stringify(this.messages.slice(-5))}`)),
        30_000,
      );
      const watcher = () => {
        if (!condition()) return;
        clearTimeout(timer);
        this.#watchers.delete(watcher);
        resolve();
      };
      this.#watchers.add(watcher);
    });
  }

  async connected(): Promise<this> {
    await this.until(() => this.client.connected, "connected");
    return this;
  }

  /** The granted QoS, 128 when refused. */
  async subscribe(filter: string): Promise<number> {
    return new Promise((resolve) => {
      this.client.subscribe(filter, { qos: 1 }, (_error, _granted, packet) => {
        resolve(Number((packet as { granted?: number[] } | undefined)?.granted?.[0]));
      });
    });
  }

  async publish(topic: string, payload: string | Buffer, qos: 0 | 1 | 2 = 1, retain = false): Promise<void> {
    await this.client.publishAsync(topic, payload, { qos, retain });
  }

  texts(topic: string): string[] {
    return this.messages.filter((message) => message.topic === topic).map(({ text }) => text);
  }

  last(topic: string): string | undefined {
    return this.texts(topic).at(-1);
  }

  /** The answers on `…/ack` of a plant; each is read once, since tests ask at every message. */
  acks(plant = "home"): Ack[] {
    return this.texts(`hourgate/${plant}/ack`).map((text) => {
      const known = this.#acks.get(text) ?? (JSON.parse(text) as Ack);
      this.#acks.set(text, known);
      return known;
    });
  }

  /** Resolves when the gateway has sent all earlier messages of the plant, which are sent in order. */
  async settled(plant = "home"): Promise<void> {
    await this.subscribe(`hourgate/${plant}/ack`);
    const id = `settled-${Math.random()}`;
    await this.publish(`hourgate/${plant}/telemetry`, JSON.stringify({ id, soc_pct: 50 }));
    await this.until(() => this.acks(plant).some((ack) => ack.id === id));
  }

  async end(): Promise<void> {
    await this.client.endAsync(true);
  }
}

/** The open sockets of this process to a port. */
export function socketsTo(port: number): Socket[] {
  const handles = (process as unknown as { _getActiveHandles(): object[] })._getActiveHandles();
  return handles.filter((handle): handle is Socket => handle instanceof Socket && handle.remotePort === port);
}

/** Runs the work with a data folder that is removed afterwards. */
export async function withFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), "hourgate-mqtt-"));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs the work with a gateway; stops it and every device afterwards. */
export async function withGateway(
  work: (
    gateway: Gateway,
    device: (password?: string, options?: IClientOptions) => Promise<Device>,
  ) => Promise<void>,
  overrides: Partial<MqttOptions["settings"]["broker"]> = {},
  options: GatewayOptions = {},
): Promise<void> {
  await withFolder(async (folder) => {
    const gateway = await startGateway(folder, overrides, options);
    const devices: Device[] = [];
    try {
      await work(gateway, (password, clientOptions) => {
        const device = new Device(gateway.service.port!, password, clientOptions);
        devices.push(device);
        return device.connected();
      });
    } finally {
      await Promise.all(devices.map((device) => device.end()));
      await gateway.service.stop();
    }
  });
}
