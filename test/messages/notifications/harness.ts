import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { defaultSettings } from "../../../src/config/load.js";
import { SiteRuntimes } from "../../../src/config/site-runtimes.js";
import { createBus } from "../../../src/core/bus.js";
import { HealthRegistry } from "../../../src/core/health-registry.js";
import type { Log } from "../../../src/core/log.js";
import type { ActuatorStatus } from "../../../src/equipment/status.js";
import { PriceSeries } from "../../../src/forecast/market/price-series.js";
import { createMailer } from "../../../src/messages/mail/create.js";
import type { SiteFacts } from "../../../src/messages/notifications/conditions.js";
import { NotificationService } from "../../../src/messages/notifications/service.js";
import type { NotificationInput } from "../../../src/messages/notifications/settings.js";
import { StateFile } from "../../../src/store/state.js";
import { temporaryFolder } from "../../store/support/folder.js";
import { manualClock } from "../../support/manual-clock.js";

/** 13:00 in Vienna. */
export const NOW = new Date("2026-01-15T12:00:00Z");

/** A failed actuator. */
export const BROKEN: ActuatorStatus = {
  siteId: "home",
  id: "car",
  controls: "slot 3",
  template: "shelly-gen2",
  transport: "http",
  isExperimental: false,
  phase: "offline",
  enabled: true,
  dryRun: false,
  wanted: null,
  accepted: null,
  confirmed: null,
  shown: null,
  wait: null,
  neighbours: [],
  lastError: { fault: "unreachable", message: "", at: NOW },
  writesToday: 0,
  maxWritesPerDay: 100,
  externalUntil: null,
  retryAt: null,
  states: [],
};

/** A form with everything on its default. */
export const INPUT: NotificationInput = {
  kinds: [
    "actuator_failed",
    "battery_not_following",
    "telemetry_lost",
    "negative_prices",
    "weekly_story",
    "monthly_report",
  ],
  from: "",
  to: "",
  language: "en",
  email: { enabled: false, address: "" },
  ntfy: { enabled: false, server: "", topic: "", token: "", removeToken: false },
  webhook: { enabled: false, url: "", renewSecret: false },
  tested: undefined,
};

export interface NtfyRequest {
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
  response: ServerResponse;
}

/** A real HTTP server on loopback that answers as `answer` says; default: 200. */
export async function ntfyServer() {
  const received: NtfyRequest[] = [];
  const ntfy = {
    url: "",
    received,
    answer: ({ response }: NtfyRequest): void => void response.writeHead(200).end("{}"),
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = JSON.parse(Buffer.concat(chunks).toString("utf8")) as Record<string, unknown>;
      const one = { headers: request.headers, body, response };
      received.push(one);
      ntfy.answer(one);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  ntfy.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return ntfy;
}

/** A data folder with the accounts `owner` (administrator, site `home`) and `anna` (site `flat`). */
export async function newDisk() {
  const folder = await temporaryFolder();
  const state = await StateFile.open(join(folder, "state.json"), { info: () => {}, warn: () => {} });
  await state.update((draft) => {
    for (const id of ["owner", "anna"])
      draft.accounts.push({
        id,
        email: `${id}@example.org`,
        passwordHash: "-",
        plan: "community",
        administrator: id === "owner",
        createdAt: NOW.toISOString(),
      });
  });
  return { folder, state, documents: new Map<string, unknown>() };
}

export type Disk = Awaited<ReturnType<typeof newDisk>>;

/** Started notifications on a disk, at a time; `facts` and `report` can be changed. */
export async function notificationsOn(
  disk: Disk,
  {
    now = NOW,
    smtpPort,
    actuators = [],
    ...changes
  }: {
    now?: Date;
    smtpPort?: number;
    actuators?: readonly ActuatorStatus[];
    ca?: string;
    allowPrivateHosts?: boolean;
    resolve?: () => Promise<{ address: string; family: number }[]>;
    report?: ConstructorParameters<typeof NotificationService>[0]["report"];
    story?: ConstructorParameters<typeof NotificationService>[0]["story"];
  } = {},
) {
  const clock = manualClock(now);
  const bus = createBus();
  const lines: string[] = [];
  const write = (fields: object, message: string) => void lines.push(JSON.stringify({ ...fields, message }));
  const log: Log = { info: write, warn: write, error: write, debug: write, trace: write };
  const plant = { ...defaultSettings().plants[0]!, timezone: "Europe/Vienna" };
  const sites = [
    { id: "home", accountId: "owner", plant: { ...plant, id: "home" } },
    { id: "flat", accountId: "anna", plant: { ...plant, id: "flat" } },
  ];
  const facts: Omit<SiteFacts, "site" | "now" | "report" | "story"> = {
    actuators,
    plan: undefined,
    live: {},
    limits: { staleMinutes: 10, lostMinutes: 60 },
    published: PriceSeries.empty,
    tariff: undefined,
  };
  const smtp = {
    host: "127.0.0.1",
    port: smtpPort ?? 0,
    secure: false,
    require_tls: true,
    username: null,
    password: null,
    from: null,
  };
  const service = new NotificationService({
    clock,
    bus,
    state: disk.state,
    documents: {
      get: async (name) => structuredClone(disk.documents.get(name)),
      put: async (name, value) => void disk.documents.set(name, JSON.parse(JSON.stringify(value))),
    },
    sites: new SiteRuntimes(bus, sites),
    actuators: { list: () => [...facts.actuators] },
    plans: { current: () => facts.plan },
    telemetry: { live: () => facts.live },
    prices: { published: () => facts.published },
    tariff: () => facts.tariff,
    freshness: facts.limits,
    report: async () => undefined,
    story: async () => undefined,
    mailer: createMailer({
      smtp: smtpPort === undefined ? null : smtp,
      ownerEmail: "gateway@example.org",
      dataFolder: disk.folder,
      clock,
      components: new HealthRegistry(clock),
      log,
    }),
    baseUrl: () => "http://192.168.1.5:8080",
    allowPrivateHosts: false,
    version: "1.2.3",
    log,
    ...changes,
  });
  await service.start();
  onTestFinished(() => service.stop());
  return {
    service,
    bus,
    clock,
    facts,
    lines,
    home: sites[0]!,
    /** Lets the clock run, a minute at a time, until everything due is sent. */
    run: async (minutes: number) => {
      for (let minute = 0; minute < minutes; minute++) {
        await clock.advance(60_000);
        await service.settled();
      }
    },
  };
}
