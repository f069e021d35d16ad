import { resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { Accounts } from "../accounts/accounts.js";
import { AuditLog } from "../accounts/audit-log.js";
import { createAccountServices } from "../accounts/create.js";
import { SiteRegistry } from "../accounts/site-registry.js";
import { askGateway } from "../admin/client.js";
import { type AdminRequest, type AdminResponse, administer } from "../admin/operations.js";
import { createBus } from "../bus.js";
import type { Settings } from "../config/settings.js";
import { errorMessage } from "../error-message.js";
import { HealthRegistry } from "../health-registry.js";
import type { Log } from "../log.js";
import { createMailer } from "../mail/create.js";
import { baseUrlOf } from "../net/base-url.js";
import { StoreError } from "../store/errors.js";
import type { Store } from "../store/store.js";
import { configuredClock } from "../time/clock.js";
import { VERSION } from "../version.js";
import { Webhooks } from "../webhooks/service.js";
import type { Terminal } from "./command.js";
import { withStore } from "./data-folder.js";

/** How long a folder that somebody holds who does not answer is tried again: a gateway starts or stops meanwhile, ms. */
const PATIENCE_MS = 5_000;
const RETRY_MS = 200;

/**
 * Has a request done by the gateway that runs on the data folder, or, where none runs, here on the folder itself. Throws
 * StoreError and Error with a sentence that says what to do.
 */
export async function administrate(
  settings: Settings,
  request: AdminRequest,
  terminal: Terminal,
  patienceMs = PATIENCE_MS,
): Promise<AdminResponse> {
  const folder = resolve(settings.data_dir);
  for (let waitedMs = 0; ; waitedMs += RETRY_MS) {
    const response = await askGateway(folder, request);
    if (response !== undefined) return response;
    try {
      return await withStore(settings, terminal, (store) => here(settings, store, request, terminal));
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== "storage_in_use") throw error;
      if (waitedMs >= patienceMs) {
        throw new Error(
          `Another process holds ${folder} but does not answer on its socket; if it is a gateway that hangs, restart it.`,
        );
      }
    }
    await wait(RETRY_MS);
  }
}

/** Does the request on the opened folder, with what a gateway would do it with. */
async function here(
  settings: Settings,
  { state, documents }: Store,
  request: AdminRequest,
  terminal: Terminal,
): Promise<AdminResponse> {
  const log = terminalLog(terminal);
  const clock = configuredClock(settings.clock);
  const bus = createBus();
  const components = new HealthRegistry(clock);
  const { plants, mqtt, smtp, owner } = settings;
  const sites = new SiteRegistry({ state, clock, bus, plants, telemetry: mqtt.telemetry, log });
  const mail = createMailer({
    smtp,
    ownerEmail: owner.email,
    dataFolder: resolve(settings.data_dir),
    clock,
    components,
    log,
  });
  const baseUrl = () => baseUrlOf(settings.http);
  const audit = new AuditLog({ folder: resolve(settings.data_dir), log });
  const owners = new Accounts({ state, clock, sites, log });
  const accounts = createAccountServices({
    state,
    clock,
    bus,
    accounts: owners,
    audit,
    sites,
    mail,
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
    baseUrl,
    // No event but the test's is sent from here, and that one names no site.
    siteCard: () => undefined,
    allowPrivateHosts: settings.webhooks.allow_private_hosts,
    version: VERSION,
    log,
  });
  await accounts.accountBook.start();
  await webhooks.start();
  webhooks.open();
  try {
    return await administer({ ...accounts, webhooks, baseUrl }, request, (error) => {
      terminal.error(errorMessage(error));
    });
  } finally {
    await webhooks.stop();
    await audit.stop();
  }
}

/** Warnings go to the terminal; what goes well is told by the command itself. */
function terminalLog(terminal: Terminal): Log {
  const tell = (_fields: object, message: string) => terminal.error(message);
  return { trace() {}, debug() {}, info() {}, warn: tell, error: tell };
}
