import type { AccountRepository } from "../accounts/account-repository.js";
import type { AccountSecurity } from "../accounts/account-security.js";
import type { AuditLog } from "../accounts/audit-log.js";
import type { KeyRing } from "../accounts/key-ring.js";
import type { MqttApprovals } from "../accounts/mqtt-approvals.js";
import type { AccountRegistration } from "../accounts/registration.js";
import type { SettingsHistory } from "../accounts/settings-history.js";
import type { SignIn } from "../accounts/sign-in.js";
import type { SiteRegistry } from "../accounts/site-registry.js";
import type { QuotaSettings } from "../config/settings.js";
import type { HealthRegistry } from "../core/health-registry.js";
import type { Log } from "../core/log.js";
import type { TrustedProxies } from "../core/net/trusted-proxies.js";
import type { Clock } from "../core/time/clock.js";
import type { ForecastRun, ForecastTrigger } from "../forecast/price/forecast.js";
import type { Webhooks } from "../messages/webhooks/service.js";
import type { DocumentArchive } from "../store/archive.js";
import type { TemporaryFiles } from "../store/temporary-files.js";
import type { Asset } from "./assets/assets.js";
import type { Page } from "./context.js";

/** Services and settings that the portal uses. */
export interface PortalOptions {
  clock: Clock;
  documents: DocumentArchive;
  log: Log;
  /** Base URL of the gateway. */
  baseUrl: () => string;
  /** Whether the gateway has TLS: pages are then served with HTTPS only. */
  hasTls: boolean;
  /** Address, protocol and path of a request that comes through a proxy. */
  proxies: TrustedProxies;
  /** E-mail of the administrator. */
  contact: string;
  signIn: Pick<SignIn, "attempt" | "complete">;
  security: AccountSecurity;
  audit: AuditLog;
  registration: Pick<AccountRegistration, "register" | "invite" | "pending" | "confirm">;
  /** Whether everybody may register; undefined: yes. */
  isRegistrationOpen?: () => boolean;
  book: Pick<
    AccountRepository,
    | "list"
    | "count"
    | "get"
    | "byEmail"
    | "keepLanguage"
    | "setPlan"
    | "startTrial"
    | "cancel"
    | "resume"
    | "remove"
  >;
  keys: Pick<KeyRing, "list" | "replace" | "setHourlyLimit">;
  sites: Pick<
    SiteRegistry,
    "list" | "get" | "of" | "telemetryMap" | "isConfigured" | "card" | "add" | "remove"
  >;
  history: Pick<SettingsHistory, "saveAtOnce">;
  approvals: Pick<MqttApprovals, "list" | "approve" | "revoke" | "mayRead">;
  webhooks: Pick<Webhooks, "get" | "set" | "rotateSecret" | "remove" | "test" | "deliveries">;
  forecast: { current(): ForecastRun | undefined; run(trigger: ForecastTrigger): Promise<ForecastRun> };
  components: Pick<HealthRegistry, "list">;
  /** Files of forms while they are received. */
  uploads: TemporaryFiles;
  /** The limits of the plans. */
  quotaTable: QuotaSettings;
  /** Further pages and their assets: the dashboard, the EMS settings. */
  pages?: readonly Page[];
  /** In a fleet: address of the portal of a shard, to which accounts were moved. */
  shardUrl?: (shard: number) => string;
  /** Where an account is led after its sign-in in place of the overview; undefined: nowhere. Throws StoreError. */
  landing?: (accountId: string) => Promise<string | undefined>;
  assets?: readonly Asset[];
  /** Clock of throttles and time-outs, which run on wall time also in a replay. */
  wallNowMs?: () => number;
}
