import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Accounts } from "../../src/accounts/accounts.js";
import { AuditLog } from "../../src/accounts/audit-log.js";
import { createAccountServices } from "../../src/accounts/create.js";
import { LastUses } from "../../src/accounts/last-uses.js";
import { SettingsHistory } from "../../src/accounts/settings-history.js";
import { SignIn } from "../../src/accounts/sign-in.js";
import { SignInThrottle } from "../../src/accounts/sign-in-throttle.js";
import { OWNER_ID, SiteRegistry } from "../../src/accounts/site-registry.js";
import { webhookEvents } from "../../src/api/documents/webhook-events.js";
import type { Operation } from "../../src/api/operation.js";
import { portalPages } from "../../src/app/portal.js";
import { defaultSettings } from "../../src/config/load.js";
import { SiteRuntimes } from "../../src/config/site-runtimes.js";
import { createBus } from "../../src/core/bus.js";
import { HealthRegistry } from "../../src/core/health-registry.js";
import type { Log } from "../../src/core/log.js";
import { createHttpServer } from "../../src/edges/http/server.js";
import { ActuatorInputError } from "../../src/equipment/input-error.js";
import { PriceSeries } from "../../src/forecast/market/price-series.js";
import type { ForecastQuality } from "../../src/forecast/price/day-record.js";
import { WeatherSeries } from "../../src/forecast/weather/weather-series.js";
import { accountMails } from "../../src/messages/mail/link-mail.js";
import type { Mail } from "../../src/messages/mail/mailer.js";
import { Webhooks } from "../../src/messages/webhooks/service.js";
import { billServiceOf } from "../../src/money/bill/bill-service.js";
import { type WhatIfOptions, WhatIfService } from "../../src/money/compare/service.js";
import { Ledger } from "../../src/money/ledger/ledger.js";
import { LedgerService } from "../../src/money/ledger/service.js";
import { readUploadedFile } from "../../src/money/meter/read-uploaded.js";
import { WhyService } from "../../src/money/why/why-service.js";
import { DecisionRecords } from "../../src/plan/decision-records.js";
import type { Page } from "../../src/portal/context.js";
import { dashboardAssets } from "../../src/portal/dashboard/client-files.js";
import type { HouseholdOptions } from "../../src/portal/household/page.js";
import { Portal } from "../../src/portal/portal.js";
import { WizardProgress } from "../../src/portal/start/progress.js";
import type { StateFile } from "../../src/store/state.js";
import { openStore } from "../../src/store/store.js";
import { TemporaryFiles } from "../../src/store/temporary-files.js";
import { type PresenceOptions, PresenceService } from "../../src/telemetry/presence-service.js";
import { fakeServices } from "../api/fake-services.js";
import { detailOf } from "../support/components.js";
import { listening } from "../support/listening.js";
import { manualClock } from "../support/manual-clock.js";
import { NO_CALENDARS } from "../telemetry/usual-presence.js";
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

const QUALITY: ForecastQuality = {
  load: [{ day: 1, days: 12, maeKwh: 1.6, biasKwh: -0.4, meanKwh: 8, coverage: 0.75 }],
  pv: [],
};

type Edges = Parameters<typeof portalPages>[2];

const idleDevices: Edges["devices"] = {
  list: () => [],
  preview: () => Promise.reject(new Error("There are no devices in this test.")),
  read: () => Promise.reject(new Error("There are no devices in this test.")),
  settled: async () => {},
  entities: async () => undefined,
};

const idleActuators: Edges["actuators"] = {
  list: () => [],
  log: () => [],
  templates: () => ({ get: () => undefined, all: () => [], ids: () => [], readAll: async () => {} }),
  templatesOf: () => [],
  faultsOf: () => [],
  changesHost: () => false,
  detected: () => [],
  settled: async () => {},
  setDryRun: async () => {},
  setEnabled: async () => {},
  takeOver: async () => {},
  ratedKw: () => 0,
  read: () => Promise.reject(new Error("There are no devices in this test.")),
  test: () => Promise.reject(new Error("There are no devices in this test.")),
};

/** A portal over real HTTP with the pages of the gateway, on a real data folder; mails are caught, and wall time is the test's. */
export async function openPortal({
  folder = "",
  trustProxy = false,
  hasTls = false,
  isRegistrationOpen = true,
  services = fakeServices({ quality: QUALITY }),
  pages = [] as Page[],
  operations = [] as Operation[],
  actuators = {} as Partial<Edges["actuators"]>,
  devices = {} as Partial<Edges["devices"]>,
  calendars = NO_CALENDARS as HouseholdOptions["calendars"] & PresenceOptions["calendars"],
  corrections = { of: () => [], set: async () => {} } as HouseholdOptions["corrections"],
  loads = { model: () => undefined, absentSince: () => undefined } as HouseholdOptions["loads"],
  find = (async () => ({ found: [], looked_at: 0, ms: 0 })) as Edges["finder"]["find"],
  compare = undefined as WhatIfOptions["compare"],
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
  const mails: Mail[] = [];
  const baseUrl = () => "https://gate.example";
  const sent = accountMails({ send: async (one: Mail) => void mails.push(one) });
  const audit = new AuditLog({ folder: dataDir, log });
  const accountServices = createAccountServices({
    state,
    clock,
    bus,
    accounts,
    audit,
    sites,
    mails: sent,
    baseUrl,
    log,
  });
  const { accountBook: book, keyRing: keys, links, mqttApprovals: approvals, security } = accountServices;
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
  const weather = { series: () => WeatherSeries.empty, issuedAt: () => undefined };
  const whatIf = new WhatIfService({
    store,
    documents,
    sites: runtimes,
    ledger,
    clock,
    prices: { published: () => prices },
    weather,
    stepMinutes: 60,
    log,
    ...(compare && { compare }),
    wallNowMs: () => wall.nowMs,
  });
  const decisions = new DecisionRecords({ clock, bus, sites: runtimes, documents, log });
  Object.assign(services, { whatIf, why: new WhyService({ clock, ledger, decisions }) });
  const history = new SettingsHistory({
    sites,
    documents,
    plan: { expectedCostEur: () => undefined, recalculated: async () => {} },
    log,
    wallNowMs: () => wall.nowMs,
  });
  const uses = new LastUses({ documents, bus, log });
  const presence = new PresenceService({
    clock,
    bus,
    sites: runtimes,
    documents,
    calendars,
    log,
  });
  const uploads = new TemporaryFiles(join(dataDir, "uploads"));
  const served = portalPages(
    { ...settings, http: { ...settings.http, tls: hasTls ? { cert_file: "", key_file: "" } : null } },
    {
      accounts,
      accountServices,
      apiUrl: baseUrl,
      bills: billServiceOf(store, sites, clock),
      bus,
      calendars,
      clock,
      corrections,
      commands: { since: () => [] },
      documents,
      freshness: { staleMinutes: 10, lostMinutes: 60 },
      imports: {
        archive: store.meter,
        now: () => clock.now(),
        onChange: (siteId) => void meterChanges.push(siteId),
      },
      ledger,
      loads,
      log,
      presence,
      prices: { published: () => prices, retry: async () => {} },
      registry: sites,
      savings,
      services,
      sites: runtimes,
      stepMinutes: 60,
      store,
      telemetry: {
        leftOut: () => ({
          count: 3,
          last: [{ reading: "battery_power_kw", at: new Date("2026-01-14T09:45:00Z"), value: 655.35 }],
        }),
      },
      uses,
      weather,
    },
    {
      actuators: { ...idleActuators, ...actuators },
      devices: { ...idleDevices, ...devices },
      finder: { find },
      trials: {
        run: () => Promise.reject(new ActuatorInputError("There is no device.")),
        stateOf: () => undefined,
      },
      mqtt: { clients: () => [], lastPayloads: () => [] },
      notifications,
      history,
      progress: new WizardProgress(documents),
      // In this process: each file in one of its own would take a second.
      reader: { read: readUploadedFile },
      uploads,
      isSignedIn: (req) => portal.isSignedIn(req),
    },
  );
  const portal = new Portal({
    clock,
    documents,
    log,
    baseUrl,
    hasTls,
    proxies: shared.proxies,
    contact: "owner@example.org",
    ...accountServices,
    isRegistrationOpen: () => isRegistrationOpen,
    signIn,
    book,
    keys,
    history,
    uploads,
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
    // The last one of a path is served.
    pages: [...served.pages, DASHBOARD, ...pages],
    assets: dashboardAssets(),
    wallNowMs: () => wall.nowMs,
  });
  await served.start();
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
    whatIf,
    why: services.why,
    /** The published prices. */
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
      await whatIf.stop();
      await served.stop();
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
