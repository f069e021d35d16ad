import type { Request } from "express";
import type { AccountRepository } from "../accounts/account-repository.js";
import type { Accounts } from "../accounts/accounts.js";
import type { KeyRing } from "../accounts/key-ring.js";
import type { AccountRegistration } from "../accounts/registration.js";
import type { SiteRegistry } from "../accounts/site-registry.js";
import type { QuotaSettings } from "../config/settings.js";
import type { ForecastRun, ForecastTrigger } from "../forecast/forecast.js";
import type { HealthRegistry } from "../health-registry.js";
import type { Log } from "../log.js";
import type { DocumentArchive } from "../store/archive.js";
import type { Clock } from "../time/clock.js";
import type { Asset } from "./assets/assets.js";
import type { Page } from "./context.js";

/** One delivery of a webhook, as the portal shows it. */
export interface PortalDelivery {
  time: Date;
  event: string;
  status: number | null;
  durationMs: number;
  error: { code: string; message: string } | null;
}

/** The webhooks of the sites. Invalid input throws an error with a `code`. */
export interface PortalWebhooks {
  get(siteId: string): { url: string; secret: string; failing: boolean } | undefined;
  set(siteId: string, url: string): Promise<unknown>;
  rotateSecret(siteId: string): Promise<unknown>;
  remove(siteId: string): Promise<void>;
  test(siteId: string): Promise<PortalDelivery>;
  deliveries(siteId: string): readonly PortalDelivery[];
}

/** Dependencies of the portal. */
export interface PortalOptions {
  clock: Clock;
  documents: DocumentArchive;
  log: Log;
  /** Public address of the gateway. */
  baseUrl: () => string;
  /** Whether X-Forwarded-… headers are trusted. */
  trustProxy: boolean;
  /** The address of a caller, also behind a proxy. */
  clientAddress: (req: Request) => string;
  /** E-mail of the operator. */
  contact: string;
  /** Whether mails are sent; without a mail server they are only saved in the outbox. */
  sendsMail: boolean;
  accounts: Pick<Accounts, "signIn">;
  registration: Pick<AccountRegistration, "register" | "confirm">;
  book: Pick<
    AccountRepository,
    "list" | "get" | "byEmail" | "setPlan" | "startTrial" | "cancel" | "resume" | "changePassword"
  >;
  keys: Pick<KeyRing, "list" | "replace" | "setHourlyLimit">;
  sites: Pick<SiteRegistry, "list" | "get" | "of" | "isConfigured" | "card" | "add" | "change" | "remove">;
  webhooks: PortalWebhooks;
  forecast: { current(): ForecastRun | undefined; run(trigger: ForecastTrigger): Promise<ForecastRun> };
  components: Pick<HealthRegistry, "list">;
  /** The limits of the plans. */
  quotaTable: QuotaSettings;
  /** Further pages and their assets: dashboard and EMS settings. */
  pages?: readonly Page[];
  assets?: readonly Asset[];
  /** Throttles and time-outs use wall time, also in a replay. */
  wallNowMs?: () => number;
}
