import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AccountRepository } from "../../src/accounts/account-repository.js";
import { AccountSecurity } from "../../src/accounts/account-security.js";
import { Accounts } from "../../src/accounts/accounts.js";
import { AuditLog } from "../../src/accounts/audit-log.js";
import { KeyRing } from "../../src/accounts/key-ring.js";
import { LastUses } from "../../src/accounts/last-uses.js";
import { Links } from "../../src/accounts/links.js";
import { MqttApprovals } from "../../src/accounts/mqtt-approvals.js";
import { AccountRegistration } from "../../src/accounts/registration.js";
import { SettingsHistory } from "../../src/accounts/settings-history.js";
import { SignIn } from "../../src/accounts/sign-in.js";
import { SignInThrottle } from "../../src/accounts/sign-in-throttle.js";
import { OWNER_ID, SiteRegistry } from "../../src/accounts/site-registry.js";
import { webhookEvents } from "../../src/api/documents/webhook-events.js";
import type { Operation } from "../../src/api/operation.js";
import { defaultSettings } from "../../src/config/load.js";
import { SiteRuntimes } from "../../src/config/site-runtimes.js";
import { createBus } from "../../src/core/bus.js";
import { HealthRegistry } from "../../src/core/health-registry.js";
import type { Log } from "../../src/core/log.js";
import { createHttpServer } from "../../src/edges/http/server.js";
import { PriceSeries } from "../../src/forecast/market/price-series.js";
import { WeatherSeries } from "../../src/forecast/weather/weather-series.js";
import { accountMails } from "../../src/messages/mail/link-mail.js";
import type { Mail } from "../../src/messages/mail/mailer.js";
import { Webhooks } from "../../src/messages/webhooks/service.js";
import { billServiceOf } from "../../src/money/bill/bill-service.js";
import { ComparisonService } from "../../src/money/compare/service.js";
import { Ledger } from "../../src/money/ledger/ledger.js";
import { LedgerService } from "../../src/money/ledger/service.js";
import { ImportDrafts } from "../../src/money/meter/drafts.js";
import { readUploadedFile } from "../../src/money/meter/read-uploaded.js";
import { billPages } from "../../src/portal/bill/pages.js";
import { comparePages } from "../../src/portal/compare/pages.js";
import { ConnectionTests } from "../../src/portal/connect/connection-tests.js";
import { Connections } from "../../src/portal/connect/connections.js";
import { connectPages } from "../../src/portal/connect/pages.js";
import { withTopics } from "../../src/portal/connect/topic-maps.js";
import type { Page } from "../../src/portal/context.js";
import { dashboardAssets } from "../../src/portal/dashboard/client-files.js";
import { emsPages } from "../../src/portal/ems/pages.js";
import { historyPages } from "../../src/portal/history/pages.js";
import { meterPages } from "../../src/portal/meter/pages.js";
import { notificationPages } from "../../src/portal/notifications/pages.js";
import { Portal } from "../../src/portal/portal.js";
import { savingsPages } from "../../src/portal/savings/pages.js";
import type { StateFile } from "../../src/store/state.js";
import { openStore } from "../../src/store/store.js";
import { fakeServices } from "../api/fake-services.js";
import { detailOf } from "../support/components.js";
import { listening } from "../support/listening.js";
import { manualClock } from "../support/manual-clock.js";
import { Browser } from "./form-browser.js";
import { idleNotifications } from "./idle-notifications.js";

export const NOW = new Date("2026-01-15T10:00:00Z");
export const PASSWORD = "correct horse battery";

/** The hash of PASSWORD, made once with cost N = 2^10 instead of 2^15: it is verified by the cost written in it. */
const PASSWORD_HASH = "scrypt$1024$8$1$AAECAwQFBgcICQoLDA0ODw$hKGWL22WtdGfIbxEPAZ06BS2bWyYKuZIKvypfAlYOWk";

/** What stands for the dashboard, which is another part's: it shows the key that was left for it. */
const DASHBOARD: Page = {
  method: "GET",
  path: "/dashboard",
  access: "account",
  handle: ({ account, session, csrfToken }) => ({
    document: `${account.email} _csrf" value="${csrfToken}" key=${session.takeFlash("key") ?? "none"}`,
    type: "text/plain; charset=utf-8",
  }),
};

/** A portal over real HTTP, on a real data folder; only mails are caught, and wall time is the test's. */
export async function openPortal({
  folder = "",
  trustProxy = false,
  hasTls = false,
  services = fakeServices(),
  pages = [] as Page[],
  operations = [] as Operation[],
} = {}) {
  const dataDir = folder === "" ? await mkdtemp(join(tmpdir(), "hourgate-portal-")) : folder;
  const lines: string[] = [];
  const write = (fields: object, message: string) => void lines.push(JSON.stringify({ ...fields, message }));
  const log: Log = { info: write, warn: write, error: write, debug: write, trace: write };
  const clock = manualClock(NOW);
  const wall = { nowMs: NOW.getTime() };
  const bus = createBus();
  const components = new HealthRegistry(clock);
  components.report("prices", "degraded", detailOf("<b>No</b> source answers."));
  components.report("mail", "ok", []);
  const store = await openStore(dataDir, log);
  const { state, documents } = store;
  const settings = defaultSettings();
  const sites = new SiteRegistry({ state, clock, bus, plants: settings.plants, telemetry: [], log });
  const runtimes = new SiteRuntimes(bus, sites.list());
  const accounts = new Accounts({ state, clock, sites, log });
  const links = new Links({ state, clock, sites });
  const book = new AccountRepository({ state, clock, bus, sites });
  const keys = new KeyRing({ state, clock, sites });
  const approvals = new MqttApprovals({ state, clock, sites });
  const mails: Mail[] = [];
  const baseUrl = () => "https://gate.example";
  const sent = accountMails({ send: async (one: Mail) => void mails.push(one) });
  const registration = new AccountRegistration({ state, clock, sites, mails: sent, baseUrl, log });
  const security = new AccountSecurity({ state, clock, bus, mails: sent, baseUrl });
  const audit = new AuditLog({ folder: dataDir, log });
  const throttle = new SignInThrottle({ nowMs: () => wall.nowMs });
  const signIn = new SignIn({ accounts, book, security, audit, throttle });
  const shared = listening({ proxies: trustProxy ? ["127.0.0.1"] : [], baseUrl: baseUrl() });
  const webhooks = new Webhooks({
    clock,
    bus,
    components,
    state,
    documents,
    sites,
    events: webhookEvents,
    baseUrl,
    siteCard: () => undefined,
    allowPrivateHosts: false,
    version: "0.0.0",
    log,
    resolve: async () => [],
  });
  await webhooks.start();
  webhooks.open();
  const notifications = idleNotifications({
    clock,
    bus,
    state,
    documents,
    sites: runtimes,
    baseUrl,
    log,
  });
  const runs: string[] = [];
  const meterChanges: string[] = [];
  const series = async () => PriceSeries.of(await store.prices.load());
  const ledger = new Ledger({ ...store, clock, series });
  const savings = new LedgerService({ bus, clock, sites: runtimes, ledger, log });
  let prices = PriceSeries.empty;
  const comparisons = new ComparisonService({
    store,
    sites: runtimes,
    prices: { published: () => prices },
    weather: { series: () => WeatherSeries.empty },
    stepMinutes: 60,
    log,
  });
  const history = new SettingsHistory({
    sites,
    documents,
    plan: { expectedCostEur: () => undefined, recalculated: async () => {} },
    log,
    wallNowMs: () => wall.nowMs,
  });
  const uses = new LastUses({ documents, bus, log });
  const connections = new Connections({
    keys,
    links,
    uses,
    mqtt: { clients: () => [], lastPayloads: () => [] },
    clock,
    actuators: { list: () => [] },
    nowMs: Date.now,
  });
  const portal = new Portal({
    clock,
    documents,
    log,
    baseUrl,
    hasTls,
    proxies: shared.proxies,
    contact: "owner@example.org",
    signIn,
    security,
    audit,
    registration,
    book,
    keys,
    sites,
    history,
    approvals,
    webhooks,
    forecast: {
      current: () => undefined,
      run: async (trigger) => {
        runs.push(trigger);
        throw new Error("no prices in this test");
      },
    },
    components,
    quotaTable: settings.quotas,
    pages: [
      DASHBOARD,
      ...pages,
      ...emsPages({
        sites,
        history,
        approvals,
        mqtt: { lastPayloads: () => [] },
      }),
      ...connectPages({
        links,
        keys,
        uses,
        connections,
        tests: new ConnectionTests({ connections, documents, bus, sites: runtimes, log }),
        addTopics: (siteId, topics) =>
          history.save(siteId, { telemetry: withTopics(sites.telemetryMap(siteId), topics) }),
        broker: () => ({ url: null, port: 1883, prefix: "hourgate" }),
        hasTls,
        nodeRedPath: "/node-red/",
        nowMs: Date.now,
        baseUrl,
        loxone: (_site, { kind, token }) => ({ filename: `${kind}.xml`, content: `token=${token}` }),
      }),
      ...notificationPages({ notifications, hasMailServer: false }),
      ...meterPages({
        archive: store.meter,
        reader: { read: readUploadedFile },
        drafts: new ImportDrafts(),
        now: () => clock.now(),
        onChange: (siteId) => void meterChanges.push(siteId),
      }),
      ...historyPages({
        ledger,
        savings,
        prices: series,
        samples: store.samples,
        quality: () => ({
          load: [{ day: 1, days: 12, maeKwh: 1.6, biasKwh: -0.4, meanKwh: 8, coverage: 0.75 }],
          pv: [],
        }),
      }),
      ...savingsPages({ ledger, savings }),
      ...comparePages({ comparisons, prices: { published: () => prices } }),
      ...billPages({ bills: billServiceOf(store, sites), imports: store.meter, history }),
    ],
    assets: dashboardAssets(),
    wallNowMs: () => wall.nowMs,
  });
  await portal.start();
  const http = createHttpServer({
    operations,
    services,
    settings: { host: "127.0.0.1", port: 0 },
    ...shared,
    log,
  });
  http.routes.use(portal.router);
  const { port } = await http.start();
  const url = `http://127.0.0.1:${port}`;

  return {
    url,
    dataDir,
    lines,
    components,
    clock,
    wall,
    state,
    sites,
    accounts,
    signIn,
    security,
    audit,
    book,
    keys,
    links,
    approvals,
    mails,
    webhooks,
    notifications,
    runs,
    meter: store.meter,
    store,
    ledger,
    savings,
    meterChanges,
    comparisons,
    /** The prices of the page "Compare". */
    setPrices: (of: PriceSeries) => {
      prices = of;
    },
    /** An account with PASSWORD, and with a site of its own unless it is the owner's. */
    addAccount: (email: string, { administrator = false } = {}) =>
      addAccount({ state, sites }, email, administrator),
    browser: (headers: Record<string, string> = {}) => new Browser(url, headers),
    signedIn: async (email: string, headers: Record<string, string> = {}) => {
      const browser = new Browser(url, headers);
      await browser.get("/login");
      const answer = await browser.post("/login", { email, password: PASSWORD });
      if (answer.status !== 303) throw new Error(`The sign-in of ${email} answered ${answer.status}.`);
      return browser;
    },
    close: async ({ keepFolder = false } = {}) => {
      await http.stop();
      await comparisons.stop();
      await portal.stop();
      await history.stop();
      await audit.stop();
      await webhooks.stop();
      await store.close();
      if (!keepFolder) await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export type OpenPortal = Awaited<ReturnType<typeof openPortal>>;

async function addAccount(
  { state, sites }: { state: StateFile; sites: SiteRegistry },
  email: string,
  administrator: boolean,
): Promise<string> {
  const id = administrator ? OWNER_ID : `account-${email}`;
  await state.update((draft) => {
    draft.accounts.push({
      id,
      email,
      passwordHash: PASSWORD_HASH,
      plan: administrator ? "professional" : "community",
      administrator,
      createdAt: NOW.toISOString(),
    });
  });
  if (!administrator) await sites.add(id, { label: "", customerRef: "" });
  return id;
}
