import type { Router } from "express";
import type { Accounts } from "../accounts/accounts.js";
import type { AccountServices } from "../accounts/create.js";
import type { LastUses } from "../accounts/last-uses.js";
import { type PlanEffects, SettingsHistory } from "../accounts/settings-history.js";
import type { SiteRegistry } from "../accounts/site-registry.js";
import type { Services } from "../api/services.js";
import type { Settings } from "../config/settings.js";
import type { Site } from "../config/site.js";
import type { SiteRuntimes } from "../config/site-runtimes.js";
import type { Bus } from "../core/bus.js";
import { filterMatches } from "../core/domain/mqtt-filter.js";
import type { Log } from "../core/log.js";
import type { TrustedProxies } from "../core/net/trusted-proxies.js";
import { loxoneFile } from "../edges/controllers/loxone.js";
import type { MqttService } from "../edges/mqtt/service.js";
import type { ActuatorService } from "../equipment/service.js";
import type { ForecastService } from "../forecast/price/service.js";
import type { NotificationService } from "../messages/notifications/service.js";
import type { Webhooks } from "../messages/webhooks/service.js";
import { billServiceOf } from "../money/bill/bill-service.js";
import { ComparisonService } from "../money/compare/service.js";
import type { Ledger } from "../money/ledger/ledger.js";
import type { LedgerService } from "../money/ledger/service.js";
import { ImportDrafts } from "../money/meter/drafts.js";
import { MeterFileReader } from "../money/meter/file-reader.js";
import type { CommandHistory } from "../plan/devices/command-history.js";
import { actuatorPages } from "../portal/actuators/pages.js";
import { billPages } from "../portal/bill/pages.js";
import { comparePages } from "../portal/compare/pages.js";
import { ConnectionTests } from "../portal/connect/connection-tests.js";
import { Connections } from "../portal/connect/connections.js";
import { connectPages } from "../portal/connect/pages.js";
import { withTopics } from "../portal/connect/topic-maps.js";
import { dashboardAssets } from "../portal/dashboard/client-files.js";
import { LiveEvents } from "../portal/dashboard/live-events.js";
import { dashboardPages } from "../portal/dashboard/pages.js";
import { emsPages } from "../portal/ems/pages.js";
import { historyPages } from "../portal/history/pages.js";
import { meterPages } from "../portal/meter/pages.js";
import { notificationPages } from "../portal/notifications/pages.js";
import { Portal } from "../portal/portal.js";
import { savingsPages } from "../portal/savings/pages.js";
import { landingOf } from "../portal/start/landing.js";
import { startPages } from "../portal/start/pages.js";
import { WizardProgress } from "../portal/start/progress.js";
import type { Store } from "../store/store.js";

export interface PortalParts {
  services: Services;
  accounts: Accounts;
  accountServices: AccountServices;
  registry: SiteRegistry;
  sites: SiteRuntimes;
  webhooks: Webhooks;
  notifications: NotificationService;
  forecast: ForecastService;
  ledger: Ledger;
  savings: LedgerService;
  commands: CommandHistory;
  /** What settings do to the plan. */
  effects: PlanEffects;
  actuators: ActuatorService;
  bus: Bus;
  store: Store;
  uses: LastUses;
  /** What the MQTT edge has received. */
  mqtt: Pick<MqttService, "lastPayloads" | "clients">;
  proxies: TrustedProxies;
  log: Log;
}

/** The portal with all its pages: accounts, dashboard, EMS settings. */
export function portalOf(
  settings: Settings,
  parts: PortalParts,
): { start(): Promise<void>; stop(): Promise<void>; router: Router; isSignedIn: Portal["isSignedIn"] } {
  const { services, accounts, accountServices, registry, webhooks, forecast, bus, store, log } = parts;
  const baseUrl = () => services.baseUrl;
  const live = new LiveEvents({ bus });
  const history = new SettingsHistory({
    sites: registry,
    documents: store.documents,
    plan: parts.effects,
    log,
  });
  const { uses, mqtt } = parts;
  const connections = new Connections({
    keys: accountServices.keyRing,
    links: accountServices.links,
    uses,
    clients: (siteId) => mqtt.clients(siteId),
    payloads: (siteId) =>
      mqtt.lastPayloads(siteId).map(({ topic, at }) => ({
        topic,
        // The gateway's clock may be a replay; connections have wall time.
        at: new Date(Date.now() - (services.clock.now().getTime() - at.getTime())),
      })),
    actuators: (siteId) => parts.actuators.list(siteId),
    nowMs: Date.now,
  });
  const tests = new ConnectionTests({ connections, documents: store.documents, bus, log });
  const drafts = new ImportDrafts();
  const reader = new MeterFileReader();
  const { prices, weather } = services;
  const { resolution_minutes: stepMinutes } = settings.market;
  const comparisons = new ComparisonService({ store, sites: parts.sites, prices, weather, stepMinutes, log });

  const quota = async (site: Site) => {
    const access = accounts.siteAccess(site.id);
    return access && (await services.quotas.peek({ access, address: "", quotaClass: "decision" }));
  };
  const progress = new WizardProgress(store.documents);
  bus.on("site.removed", ({ siteId }) => {
    void progress.forget(siteId).catch((error: unknown) => {
      log.warn({ err: error, site: siteId }, "The progress of the wizard could not be removed.");
    });
  });
  const portal = new Portal({
    clock: services.clock,
    documents: store.documents,
    log,
    baseUrl,
    hasTls: settings.http.tls !== null,
    proxies: parts.proxies,
    contact: settings.owner.email,
    signIn: accountServices.signIn,
    security: accountServices.security,
    audit: accountServices.audit,
    registration: accountServices.registration,
    book: accountServices.accountBook,
    keys: accountServices.keyRing,
    sites: registry,
    history,
    approvals: accountServices.mqttApprovals,
    webhooks,
    forecast,
    components: services.components,
    quotaTable: settings.quotas,
    landing: (accountId) => landingOf(accountId, { sites: registry, progress }),
    pages: [
      ...startPages({ progress, sites: registry, history, services, actuators: parts.actuators }),
      ...dashboardPages({
        services,
        events: live,
        quota,
        ledger: parts.ledger,
        savings: (siteId) => parts.savings.now(siteId),
        socReadings: (siteId, from, to) => store.samples.range(siteId, "soc_pct", from, to),
        commands: (siteId, from) => parts.commands.since(siteId, from),
        limits: {
          staleMinutes: settings.telemetry.stale_minutes,
          lostMinutes: settings.telemetry.lost_minutes,
        },
        socTopic: (siteId) => `${settings.mqtt.prefix}/${siteId}/telemetry/soc_pct`,
        isSignedIn: (req): boolean => portal.isSignedIn(req),
      }),
      ...emsPages({
        sites: registry,
        history,
        mayRead: (siteId, filter) => accountServices.mqttApprovals.mayRead(siteId, filter),
        payloads: { lastPayloads: (siteId) => parts.mqtt.lastPayloads(siteId), matches: filterMatches },
      }),
      ...connectPages({
        links: accountServices.links,
        keys: accountServices.keyRing,
        uses,
        connections,
        tests,
        addTopics: (siteId, topics) =>
          history.save(siteId, { telemetry: withTopics(registry.telemetryMap(siteId), topics) }),
        broker: () => services.mqtt,
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
            slots: site.plant.slots,
            mqttPrefix: settings.mqtt.prefix,
          }),
      }),
      ...actuatorPages({ actuators: parts.actuators, history }),
      ...notificationPages({
        notifications: parts.notifications,
        hasMailServer: settings.smtp !== null,
      }),
      ...meterPages({
        archive: store.meter,
        reader,
        drafts,
        now: () => services.clock.now(),
        onChange: (siteId) => bus.emit("meter.changed", { siteId }),
      }),
      ...historyPages({
        ledger: parts.ledger,
        savings: parts.savings,
        prices: () => services.prices.published(),
        soc: (siteId, from, to) => store.samples.range(siteId, "soc_pct", from, to),
        quality: (siteId) => services.quality(siteId),
      }),
      ...savingsPages({ ledger: parts.ledger, savings: parts.savings }),
      ...billPages({ bills: billServiceOf(store, registry), imports: store.meter, history }),
      ...comparePages({ comparisons, prices: () => services.prices.published() }),
    ],
    assets: dashboardAssets(),
  });
  return {
    router: portal.router,
    isSignedIn: (req): boolean => portal.isSignedIn(req),
    start: async () => {
      live.start();
      history.start();
      await tests.start();
      await portal.start();
    },
    stop: async () => {
      drafts.stop();
      tests.stop();
      await reader.stop();
      await comparisons.stop();
      await history.stop();
      await live.stop();
      await portal.stop();
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
