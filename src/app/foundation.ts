import { join, resolve } from "node:path";
import { Accounts } from "../accounts/accounts.js";
import { AuditLog } from "../accounts/audit-log.js";
import { createAccountServices } from "../accounts/create.js";
import { LastUses } from "../accounts/last-uses.js";
import type { Shard } from "../accounts/shard.js";
import { SiteRegistry } from "../accounts/site-registry.js";
import { problemText } from "../config/error.js";
import type { PlantSettings, Settings } from "../config/settings.js";
import { quarterLimitsOf } from "../config/site-limits.js";
import { SiteRuntimes } from "../config/site-runtimes.js";
import { createBus, subscribe } from "../core/bus.js";
import { HealthRegistry } from "../core/health-registry.js";
import type { Log } from "../core/log.js";
import { sizeHeapFor } from "../core/memory.js";
import { type Clock, configuredClock } from "../core/time/clock.js";
import { VERSION } from "../core/version.js";
import { checkPort } from "../edges/http/listen.js";
import { batteryDevice } from "../equipment/battery-modes.js";
import { TemplateLibrary } from "../equipment/template-library.js";
import { createMailer } from "../messages/mail/create.js";
import { accountMails } from "../messages/mail/link-mail.js";
import { billServiceOf } from "../money/bill/bill-service.js";
import { CommunityShares } from "../money/bill/community-shares.js";
import { servedShard } from "../ops/fleet/settings.js";
import { isUnwritable, type StoreError } from "../store/errors.js";
import { postgresAddress } from "../store/place.js";
import { ReadCopy } from "../store/read-copy.js";
import { openConfiguredStore, type Store } from "../store/store.js";
import { withCommunityShare } from "../tariff/community-share.js";
import { compileTariff, type Prices } from "../tariff/compile-tariff.js";
import { movedHomes } from "./moved-homes.js";
import type { Running } from "./running.js";

export type Foundation = Awaited<ReturnType<typeof openFoundation>>;

export interface FoundationOptions {
  /** Replaces the clock of the configuration. */
  clock?: Clock | undefined;
  running: Running;
  /** Address of the portal, for links in mails. */
  baseUrl: () => string;
  /** Called when another process has taken over the stored data. */
  onStoreLost?: ((fault: StoreError) => void) | undefined;
  log: Log;
}

/** Opens what all other parts need: clock, bus, data folder, accounts and sites. */
export async function openFoundation(
  settings: Settings,
  { clock = configuredClock(settings.clock), running, baseUrl, onStoreLost, log }: FoundationOptions,
) {
  const bus = createBus();
  const components = new HealthRegistry(clock);
  const dataFolder = resolve(settings.data_dir);
  const { url, shard } = settings.store.postgres;
  const place =
    url === null
      ? ({ code: "store_ok", folder: dataFolder } as const)
      : ({ code: "store_postgres", address: postgresAddress(url), shard } as const);
  const failed = url === null ? "store_failed" : "store_postgres_failed";
  let isUnwritten = false;
  const reportStore = (fault: Error | undefined) => {
    const wasUnwritten = isUnwritten;
    isUnwritten = fault !== undefined && isUnwritable(fault);
    if (isUnwritten && !wasUnwritten)
      log.error({}, `${fault!.message} Nothing is stored until then; forecast and plan continue.`);
    if (fault === undefined && wasUnwritten) log.info({}, "Data are stored again.");
    components.report(
      "store",
      fault ? "down" : "ok",
      [
        fault ? { code: failed, message: fault.message } : place,
        ...(isUnwritten ? [{ code: "store_full" } as const] : []),
      ],
      { vital: true },
    );
  };
  reportStore(undefined);
  await ReadCopy.removeLeft();
  const store = await openConfiguredStore(settings, log, { onHealth: reportStore, onLost: onStoreLost });
  running.add({ stop: () => store.close() });
  await keepShard(store, servedShard(settings));
  await deleteRemovedSites(store).catch((error: unknown) => {
    if (!isUnwritable(error)) throw error;
    log.error({ err: error }, "The data of removed sites are deleted at the next start.");
  });
  subscribe(bus, {
    "site.removed": ({ siteId }) =>
      void store
        .deleteSites([siteId])
        .catch((error: unknown) =>
          log.error({ err: error, site: siteId }, "The data of a removed site is deleted at the next start."),
        ),
  });

  const templates = await TemplateLibrary.open(join(dataFolder, "actuators"));
  for (const problem of templates.problems)
    log.warn({}, `An actuator template is not used: ${problemText(problem)}`);
  const registry = new SiteRegistry({
    state: store.state,
    clock,
    bus,
    plants: settings.plants,
    telemetry: settings.mqtt.telemetry,
    controlsOf: (plant) => batteryDevice(plant, (template) => templates.get(template))?.modes,
    log,
  });
  const sites = new SiteRuntimes(bus, registry.list());
  sizeHeapFor(registry.list().length);
  subscribe(bus, { "site.changed": () => sizeHeapFor(registry.list().length) });
  const accounts = new Accounts({ state: store.state, clock, sites: registry, log });
  // Before a key and a password are created and printed, which a failed start would leave behind.
  await checkPort(settings.http);
  printSecrets(await accounts.ensureOwner(settings.owner), settings.owner.email);
  const mail = createMailer({
    smtp: settings.smtp,
    ownerEmail: settings.owner.email,
    dataFolder,
    clock,
    components,
    log,
  });
  const audit = new AuditLog({ folder: dataFolder, log, wallNow: () => clock.now() });
  running.add(audit);
  const accountServices = createAccountServices({
    state: store.state,
    clock,
    bus,
    accounts,
    audit,
    sites: registry,
    mails: accountMails(mail),
    baseUrl,
    log,
  });
  await accountServices.accountBook.start();
  const uses = await running.begin(new LastUses({ documents: store.documents, bus, log }));
  store.meter.mostQuarterKwh = quarterLimitsOf(registry);
  const shares = new CommunityShares({ bus, clock, sites, meter: store.meter, log });
  running.add(shares);
  shares.start();
  const tariff = tariffsOf(registry, shares);
  const moved = await movedHomes(settings, store.state);
  running.add(moved);
  return {
    clock,
    bus,
    components,
    dataFolder,
    store,
    state: store.state,
    documents: store.documents,
    samples: store.samples,
    meter: store.meter,
    registry,
    templates,
    sites,
    bills: billServiceOf(store, registry, clock),
    /** Imported meter files, and what happens when they change. */
    imports: {
      archive: store.meter,
      now: () => clock.now(),
      onChange: (siteId: string) => void bus.emit("meter.changed", { siteId }),
    },
    version: VERSION,
    /** Step of the prices and plans. */
    stepMinutes: settings.market.resolution_minutes,
    allowPrivateHosts: settings.webhooks.allow_private_hosts,
    /** Whether an account may name hosts of the operator's own network. */
    allowsPrivateHosts: (accountId: string) =>
      settings.webhooks.allow_private_hosts ||
      store.state.data.accounts.some(({ id, administrator }) => id === accountId && administrator),
    freshness: {
      staleMinutes: settings.telemetry.stale_minutes,
      lostMinutes: settings.telemetry.lost_minutes,
    },
    accounts,
    accountServices,
    uses,
    tariff,
    moved,
    running,
    mailer: mail,
    baseUrl,
    log,
  };
}

/** Notes the shard that keys and links are made for. Throws an Error if these data have keys that routers could not find. */
async function keepShard({ state }: Store, shard: Shard | undefined): Promise<void> {
  const { shard: stored, accounts } = state.data;
  if (shard === undefined) return;
  if (stored === undefined && accounts.length > 0 && shard.of > 1)
    throw new Error(
      "These data were not created in a fleet, and its routers could not find their keys: set fleet.shards to 1, or use another database.",
    );
  if (stored === undefined)
    await state.update((draft) => {
      draft.shard = shard;
    });
  else if (stored.of !== shard.of || stored.number !== shard.number)
    throw new Error(
      `These data are shard ${stored.number} of a fleet of ${stored.of}: set fleet.shards to ${stored.of}, because keys and links contain their shard.`,
    );
}

async function deleteRemovedSites({ state, deleteSites }: Store): Promise<void> {
  const { removedSites = [] } = state.data;
  if (removedSites.length === 0) return;
  await deleteSites(removedSites);
  await state.update((draft) => {
    delete draft.removedSites;
  });
}

/** The tariff of a site, compiled once per version of the plant's settings and of the learned share of its community; undefined without one. */
function tariffsOf(
  registry: SiteRegistry,
  shares: Pick<CommunityShares, "of">,
): (siteId: string) => Prices | undefined {
  const tariffs = new WeakMap<PlantSettings, { prices: Prices; share: number[] | undefined }>();
  return (siteId) => {
    const plant = registry.get(siteId)?.plant;
    if (!plant?.tariff) return undefined;
    const share = shares.of(siteId);
    const known = tariffs.get(plant);
    if (known !== undefined && known.share === share) return known.prices;
    const prices = compileTariff(withCommunityShare(plant.tariff, share), plant.timezone);
    tariffs.set(plant, { prices, share });
    return prices;
  };
}

/** Printed once on the terminal and never logged, since no file may contain them in plain text. */
function printSecrets({ key, password }: { key?: string; password?: string }, email: string): void {
  if (key !== undefined) console.log(`API key of the owner (shown only now): ${key}`);
  if (password !== undefined) console.log(`Password of ${email} (shown only now): ${password}`);
}
