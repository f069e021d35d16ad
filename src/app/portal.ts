import { join } from "node:path";
import type { Router } from "express";
import { RegistrationRule } from "../accounts/registration-rule.js";
import { SettingsHistory } from "../accounts/settings-history.js";
import type { Services } from "../api/services.js";
import type { Settings } from "../config/settings.js";
import type { Site } from "../config/site.js";
import type { Language } from "../core/language.js";
import type { TrustedProxies } from "../core/net/trusted-proxies.js";
import { loxoneFile } from "../edges/controllers/loxone.js";
import type { MqttService } from "../edges/mqtt/service.js";
import { commandedName } from "../equipment/commanded-name.js";
import type { DeviceFinder } from "../equipment/finding/finder.js";
import type { ActuatorService } from "../equipment/service.js";
import type { NotificationService } from "../messages/notifications/service.js";
import { MeterFileReader } from "../money/meter/file-reader.js";
import { shardPath } from "../ops/fleet/target.js";
import { deviceLabel } from "../plan/windows/slot-schedule.js";
import { billPages } from "../portal/bill/pages.js";
import { carPages } from "../portal/car/pages.js";
import { ConnectionTests } from "../portal/connect/connection-tests.js";
import { Connections } from "../portal/connect/connections.js";
import { connectPages } from "../portal/connect/pages.js";
import { withTopics } from "../portal/connect/topic-maps.js";
import type { Page } from "../portal/context.js";
import { dashboardAssets } from "../portal/dashboard/client-files.js";
import { LiveEvents } from "../portal/dashboard/live-events.js";
import { type DashboardOptions, dashboardPages } from "../portal/dashboard/pages.js";
import { RecentReadingsReader } from "../portal/dashboard/recent-readings.js";
import type { RetryOptions } from "../portal/dashboard/retry.js";
import { type ActuatorPagesOptions, actuatorPages } from "../portal/devices/device-pages.js";
import { type DevicePagesOptions, devicePages } from "../portal/devices/pages.js";
import { DeviceSearches } from "../portal/devices/searches.js";
import { emsPages } from "../portal/ems/pages.js";
import { SettingsForms } from "../portal/ems/settings-forms.js";
import { type HistoryPageOptions, historyPages } from "../portal/history/pages.js";
import type { HouseholdOptions } from "../portal/household/page.js";
import { householdPages } from "../portal/household/pages.js";
import { ImportDrafts } from "../portal/meter/drafts.js";
import { type MeterPageOptions, meterPages } from "../portal/meter/pages.js";
import { notificationPages } from "../portal/notifications/pages.js";
import { Portal } from "../portal/portal.js";
import { savingsPages } from "../portal/savings/page.js";
import { landingOf } from "../portal/start/landing.js";
import { startPages } from "../portal/start/pages.js";
import { WizardProgress } from "../portal/start/progress.js";
import { whatIfPages } from "../portal/what-if/pages.js";
import { whyPages } from "../portal/why/page.js";
import { TemporaryFiles } from "../store/temporary-files.js";
import type { Core } from "./core.js";

/** The edges that the pages show. */
interface PageEdges {
  actuators: ActuatorPagesOptions["actuators"] & DevicePagesOptions["actuators"] & RetryOptions["actuators"];
  devices: DevicePagesOptions["devices"] & RetryOptions["devices"];
  finder: Pick<DeviceFinder, "find">;
  trials: ActuatorPagesOptions["trials"];
  /** What the MQTT edge has received. */
  mqtt: Pick<MqttService, "lastPayloads" | "clients">;
  notifications: NotificationService;
}

interface PortalParts extends PageEdges {
  actuators: ActuatorService;
  proxies: TrustedProxies;
}

type PageServices = Pick<
  Core,
  | "accounts"
  | "accountServices"
  | "apiUrl"
  | "bills"
  | "bus"
  | "clock"
  | "documents"
  | "freshness"
  | "imports"
  | "ledger"
  | "log"
  | "registry"
  | "savings"
  | "sites"
  | "stepMinutes"
  | "store"
  | "uses"
> &
  Pick<Services, "weather"> & { prices: Services["prices"] & RetryOptions["prices"] } & Pick<
    DashboardOptions,
    "commands"
  > &
  Pick<HistoryPageOptions, "telemetry"> &
  HouseholdOptions & { services: Services };

interface PageParts extends PageEdges {
  history: SettingsHistory;
  progress: WizardProgress;
  /** Reads uploaded meter files. */
  reader: MeterPageOptions["reader"];
  uploads: TemporaryFiles;
  isSignedIn: Portal["isSignedIn"];
}

/** The portal with all its pages: accounts, dashboard, EMS settings. */
export function portalOf(
  settings: Settings,
  core: Core,
  { proxies, ...edges }: PortalParts,
): {
  start(): Promise<void>;
  stop(): Promise<void>;
  router: Router;
  isSignedIn: Portal["isSignedIn"];
} {
  const { accountServices, apiUrl: baseUrl, bus, documents, log, registry } = core;
  const history = new SettingsHistory({ sites: registry, documents, plan: core.effects, log });
  const reader = new MeterFileReader();
  const uploads = new TemporaryFiles(join(core.dataFolder, "uploads"));
  const progress = new WizardProgress(documents);
  bus.on("site.removed", ({ siteId }) => {
    void progress.forget(siteId).catch((error: unknown) => {
      log.warn({ err: error, site: siteId }, "The progress of the wizard could not be removed.");
    });
  });
  const { accountBook } = accountServices;
  const registrationRule = new RegistrationRule({
    setting: settings.accounts.registration,
    isFleet: settings.fleet.shards !== null,
    accountCount: () => accountBook.count,
    documents,
    log,
  });
  const isSignedIn: Portal["isSignedIn"] = (req) => portal.isSignedIn(req);
  const served = portalPages(settings, core, { ...edges, history, progress, reader, uploads, isSignedIn });
  const portal = new Portal({
    ...core,
    ...accountServices,
    baseUrl,
    shardUrl: (shard) => baseUrl() + shardPath(shard),
    hasTls: settings.http.tls !== null,
    proxies,
    contact: settings.owner.email,
    book: accountBook,
    isRegistrationOpen: () => registrationRule.isOpen,
    keys: accountServices.keyRing,
    history,
    uploads,
    approvals: accountServices.mqttApprovals,
    quotaTable: settings.quotas,
    landing: (accountId) => landingOf(accountId, { sites: registry, progress }),
    pages: served.pages,
    assets: dashboardAssets(),
  });
  return {
    router: portal.router,
    isSignedIn,
    start: async () => {
      history.start();
      await registrationRule.start();
      await served.start();
      await portal.start();
    },
    stop: async () => {
      await served.stop();
      await reader.stop();
      await history.stop();
      await portal.stop();
    },
  };
}

/** The pages of the sites: dashboard, settings, connections, figures. They are served after `start`. */
export function portalPages(
  settings: Settings,
  core: PageServices,
  {
    actuators,
    devices,
    finder,
    trials,
    mqtt,
    notifications,
    history,
    progress,
    reader,
    uploads,
    isSignedIn,
  }: PageParts,
) {
  const { accounts, accountServices, apiUrl: baseUrl, bus, clock, ledger, prices } = core;
  const { registry, savings, services, store, uses } = core;
  const live = new LiveEvents({ bus });
  const connections = new Connections({
    keys: accountServices.keyRing,
    links: accountServices.links,
    uses,
    mqtt,
    clock,
    actuators,
    nowMs: Date.now,
  });
  const tests = new ConnectionTests({ ...core, connections });
  const drafts = new ImportDrafts(uploads);
  const quota = async (site: Site) => {
    const access = accounts.siteAccess(site.id);
    return access && (await services.quotas.peek({ access, address: "", quotaClass: "decision" }));
  };
  const searches = new DeviceSearches(finder);
  const templateOf = (id: string) => actuators.templates().get(id);
  const nameOf = (
    { plant }: Site,
    status: { id: string; controls: string; template: string },
    language: Language,
  ) => commandedName(status, { plant, template: templateOf, language });
  const forms = new SettingsForms({ sites: registry, history, templateOf, services });
  const topics = { approvals: accountServices.mqttApprovals, mqtt };
  const recent = new RecentReadingsReader({ samples: store.samples, ledger });
  const pages: Page[] = [
    ...startPages({ progress, forms, sites: registry, services, actuators, devices, searches, ...topics }),
    ...dashboardPages({
      services,
      events: live,
      quota,
      savings,
      recent,
      retried: { actuators, devices, prices },
      deviceNames: (site, language) =>
        new Map([
          ...actuators.list(site.id).map((status) => [status.id, nameOf(site, status, language)] as const),
          ...devices.list(site.id).map(({ id, name }) => [id, name] as const),
        ]),
      commands: core.commands,
      limits: core.freshness,
      setLoadWithout: (siteId, slots) =>
        history.save(siteId, { plant: { telemetry: { load_without: [...slots] } } }),
      socTopic: (siteId) => `${services.mqtt(siteId).prefix}/${siteId}/telemetry/soc_pct`,
      isSignedIn,
    }),
    ...householdPages(core),
    ...carPages({ services, sites: registry, history }),
    ...emsPages({ forms, history, presence: core.presence, prices, ...topics }),
    ...connectPages({
      links: accountServices.links,
      keys: accountServices.keyRing,
      uses,
      connections,
      tests,
      nameOf,
      addTopics: (siteId, topics) =>
        history.save(siteId, { telemetry: withTopics(registry.telemetryMap(siteId), topics) }),
      broker: services.mqtt,
      hasTls: settings.http.tls !== null,
      nodeRedPath: settings.node_red.enabled ? `${settings.node_red.path}/` : undefined,
      readOnce,
      nowMs: Date.now,
      baseUrl,
      loxone: (site, { baseUrl: address, ...file }) =>
        loxoneFile({
          ...file,
          siteId: site.id,
          siteName: site.plant.name,
          baseUrl: address,
          slots: site.plant.slots.map((slot) => ({ ...slot, label: deviceLabel(slot, file.language) })),
          mqttPrefix: services.mqtt(site.id).prefix,
        }),
    }),
    ...devicePages({ services, actuators, devices, history, savings, recent, searches, sites: registry }),
    ...actuatorPages({ actuators, devices, trials, history }),
    ...notificationPages({ notifications, hasMailServer: settings.smtp !== null }),
    ...meterPages({ ...core.imports, reader, drafts }),
    ...historyPages({
      ledger,
      prices: () => prices.published(),
      samples: store.samples,
      telemetry: core.telemetry,
      quality: (siteId) => services.quality(siteId),
    }),
    ...savingsPages({ ledger }),
    ...billPages({ bills: core.bills, imports: store.meter }),
    ...whyPages({ why: services.why }),
    ...whatIfPages({ whatIf: services.whatIf, ledger }),
  ];
  return {
    pages,
    start: async () => {
      live.start();
      await tests.start();
    },
    stop: async () => {
      searches.stop();
      await drafts.stop();
      tests.stop();
      await live.stop();
    },
  };
}

/** Longest start of an answer that a page shows, characters, and the time that it may take. */
const SHOWN_CHARACTERS = 60;
const READ_MS = 3000;

/** Reads an address of the gateway itself; resolves to the start of the answer. Rejects with the reason. */
async function readOnce(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(READ_MS) });
  const text = (await response.text()).trim();
  if (!response.ok) throw new Error(`HTTP ${response.status} ${text.slice(0, SHOWN_CHARACTERS)}`);
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}
