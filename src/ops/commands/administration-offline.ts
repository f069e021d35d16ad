import { join, resolve } from "node:path";
import { Accounts } from "../../accounts/accounts.js";
import { AuditLog } from "../../accounts/audit-log.js";
import { createAccountServices } from "../../accounts/create.js";
import { SiteRegistry } from "../../accounts/site-registry.js";
import { webhookEvents } from "../../api/documents/webhook-events.js";
import type { Settings } from "../../config/settings.js";
import { quarterLimitsOf } from "../../config/site-limits.js";
import { createBus } from "../../core/bus.js";
import { errorMessage } from "../../core/error-message.js";
import { HealthRegistry } from "../../core/health-registry.js";
import type { Log } from "../../core/log.js";
import { baseUrlOf } from "../../core/net/host-names.js";
import { configuredClock } from "../../core/time/clock.js";
import { VERSION } from "../../core/version.js";
import { batteryDevice } from "../../equipment/battery-modes.js";
import { TemplateLibrary } from "../../equipment/template-library.js";
import { PriceSeries } from "../../forecast/market/price-series.js";
import { createMailer } from "../../messages/mail/create.js";
import { accountMails } from "../../messages/mail/link-mail.js";
import { Webhooks } from "../../messages/webhooks/service.js";
import { billServiceOf } from "../../money/bill/bill-service.js";
import { Ledger } from "../../money/ledger/ledger.js";
import type { Store } from "../../store/store.js";
import { type AdminRequest, type AdminResponse, administer } from "../admin/operations.js";
import type { Terminal } from "./command.js";

/** Executes a request on an open store with the services of a gateway. */
export async function administerOffline(
  settings: Settings,
  store: Store,
  request: AdminRequest,
  terminal: Terminal,
): Promise<AdminResponse> {
  const { state, documents, samples, meter: archive } = store;
  const log = terminalLog(terminal);
  const clock = configuredClock(settings.clock);
  const bus = createBus();
  const components = new HealthRegistry(clock);
  const { plants, mqtt, smtp, owner } = settings;
  const templates = await TemplateLibrary.open(join(settings.data_dir, "actuators"));
  const sites = new SiteRegistry({
    state,
    clock,
    bus,
    plants,
    telemetry: mqtt.telemetry,
    controlsOf: (plant) => batteryDevice(plant, (template) => templates.get(template))?.modes,
    log,
  });
  const mail = createMailer({
    smtp,
    ownerEmail: owner.email,
    dataFolder: resolve(settings.data_dir),
    clock,
    components,
    log,
  });
  const baseUrl = () => baseUrlOf(settings.http);
  archive.mostQuarterKwh = quarterLimitsOf(sites);
  const bills = billServiceOf(store, sites, clock);
  let series: Promise<PriceSeries> | undefined;
  const ledger = new Ledger({
    ...store,
    clock,
    series: () => (series ??= store.prices.load().then(PriceSeries.of)),
  });
  const meter = { archive, now: () => clock.now(), onChange: () => {} };
  const audit = new AuditLog({ folder: resolve(settings.data_dir), log });
  const owners = new Accounts({ state, clock, sites, log });
  const accounts = createAccountServices({
    state,
    clock,
    bus,
    accounts: owners,
    audit,
    sites,
    mails: accountMails(mail),
    baseUrl,
    log,
  });
  const webhooks = new Webhooks({
    clock,
    bus,
    components,
    state,
    documents,
    sites,
    events: webhookEvents,
    baseUrl,
    // Only the test event is sent from here; it does not contain the site.
    siteCard: () => undefined,
    allowPrivateHosts: settings.webhooks.allow_private_hosts,
    version: VERSION,
    log,
  });
  await accounts.accountBook.start();
  await webhooks.start();
  webhooks.open();
  try {
    return await administer({ ...accounts, webhooks, baseUrl, bills, ledger, samples, meter }, request, {
      onFault: (error) => terminal.error(errorMessage(error)),
    });
  } finally {
    await webhooks.stop();
    await audit.stop();
  }
}

/** Prints warnings and errors on the terminal. */
function terminalLog(terminal: Terminal): Log {
  const print = (_fields: object, message: string) => terminal.error(message);
  return { trace() {}, debug() {}, info() {}, warn: print, error: print };
}
