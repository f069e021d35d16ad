import { parseEmail } from "../../accounts/credentials.js";
import { AccountInputError } from "../../accounts/input-error.js";
import type { NotificationChannel, NotificationKind, QuietHours } from "../../core/domain/notification.js";
import { NOTIFICATION_CHANNELS, NOTIFICATION_KINDS } from "../../core/domain/notification.js";
import type { Language } from "../../core/language.js";
import type { Resolve } from "../../core/net/resolve.js";
import type { StateFile } from "../../store/state.js";
import type { Account } from "../../store/state-schema.js";
import { WebhookInputError } from "../webhooks/input-error.js";
import { checkReceiverName, parseReceiverUrl } from "../webhooks/receiver-url.js";
import { newSecret } from "../webhooks/signature.js";

/** The settings of an account, with the defaults of one that has none. Contains secrets. */
export type AccountNotifications = NonNullable<Account["notifications"]>;

/** What the page of the settings sends; texts as they were typed. */
export interface NotificationInput {
  kinds: readonly NotificationKind[];
  from: string;
  to: string;
  language: string;
  email: { enabled: boolean; address: string };
  /** An empty token keeps the stored one, as long as the server is the same. */
  ntfy: { enabled: boolean; server: string; topic: string; token: string; removeToken: boolean };
  webhook: { enabled: boolean; url: string; renewSecret: boolean };
  /** The channel that is to be tested: it has to be complete, also if it is off. */
  tested: NotificationChannel | undefined;
}

/** A field of the page, and what is wrong with it; the texts are keyed by both. */
export type NotificationField = "from" | "to" | "language" | "address" | "server" | "topic" | "token" | "url";
export type NotificationInputCode =
  | "time"
  | "language"
  | "address"
  | "topic"
  | "token"
  | "url_invalid"
  | "url_not_https"
  | "url_not_https_public"
  | "url_with_credentials"
  | "host_not_public";

/** Invalid settings, by field. */
export class NotificationInputError extends Error {
  override readonly name = "NotificationInputError";

  constructor(readonly faults: Readonly<Partial<Record<NotificationField, NotificationInputCode>>>) {
    super(`The notifications cannot be set: ${JSON.stringify(faults)}`);
  }
}

/** Suggested, not saved yet. */
const DEFAULTS: AccountNotifications = {
  off: [],
  quiet: { from: "22:00", to: "07:00" },
  email: { enabled: false },
  ntfy: { enabled: false, server: "https://ntfy.sh", topic: "" },
  webhook: { enabled: false, url: "" },
};

const TIME = /^([01]?\d|2[0-3]):([0-5]\d)$/;
const TOPIC = /^[-_A-Za-z0-9]{1,64}$/;
const TOKEN = /^[\x21-\x7e]{1,200}$/;
/** Time limit for resolving the names of the receivers. */
const RESOLVE_MS = 3000;

export interface NotificationSettingsOptions {
  state: StateFile;
  resolve: Resolve;
  /** `webhooks.allow_private_hosts`: also for accounts that are not administrators. */
  allowPrivateHosts: boolean;
}

/** What accounts want to be notified of, and how; stored with the account. */
export class NotificationSettings {
  readonly #options: NotificationSettingsOptions;

  constructor(options: NotificationSettingsOptions) {
    this.#options = options;
  }

  of(accountId: string): AccountNotifications {
    return this.#account(accountId)?.notifications ?? DEFAULTS;
  }

  /** Whether the account has saved settings; before, the defaults are suggested. */
  isSet(accountId: string): boolean {
    return this.#account(accountId)?.notifications !== undefined;
  }

  /** The channels that are switched on. */
  channels(accountId: string): NotificationChannel[] {
    const settings = this.of(accountId);
    return NOTIFICATION_CHANNELS.filter((channel) => settings[channel].enabled);
  }

  kinds(accountId: string): NotificationKind[] {
    const { off } = this.of(accountId);
    return NOTIFICATION_KINDS.filter((kind) => !off.includes(kind));
  }

  /** Address and language of the account's messages; administrators can enter an address, since theirs may not be a real one. */
  recipient(accountId: string): { address: string; language: Language; mayChange: boolean } {
    const account = this.#account(accountId);
    const mayChange = account?.administrator ?? false;
    const own = mayChange ? account?.notifications?.email.address : undefined;
    return { address: own ?? account?.email ?? "", language: account?.language ?? "de", mayChange };
  }

  /** Whether receivers in the operator's own network are allowed: for administrators, or for all by the configuration. */
  allowsPrivate(accountId: string): boolean {
    return this.#options.allowPrivateHosts || (this.#account(accountId)?.administrator ?? false);
  }

  /**
   * Checks and stores the settings; `secret` is a new signing secret of the webhook. Throws NotificationInputError (nothing
   * is changed then), StoreError.
   */
  async set(accountId: string, input: NotificationInput): Promise<{ secret: string | undefined }> {
    const checked = await this.#checked(accountId, input);
    return this.#options.state.update((draft) => {
      const account = draft.accounts.find(({ id }) => id === accountId);
      if (account === undefined) throw new RangeError(`There is no account "${accountId}".`);
      const before = account.notifications ?? DEFAULTS;
      const { email, ntfy, webhook, quiet, language } = checked;
      const token =
        ntfy.token !== ""
          ? ntfy.token
          : ntfy.removeToken || before.ntfy.server !== ntfy.server
            ? undefined
            : before.ntfy.token;
      const isNew = webhook.url !== "" && (webhook.renewSecret || before.webhook.secret === undefined);
      const secret = isNew ? newSecret() : before.webhook.secret;
      account.language = language;
      account.notifications = {
        off: NOTIFICATION_KINDS.filter((kind) => !input.kinds.includes(kind)),
        quiet,
        email,
        ntfy: {
          enabled: ntfy.enabled,
          server: ntfy.server,
          topic: ntfy.topic,
          ...(token !== undefined && { token }),
        },
        webhook: {
          enabled: webhook.enabled,
          url: webhook.url,
          ...(webhook.url !== "" && secret !== undefined && { secret }),
        },
      };
      return { secret: isNew ? secret : undefined };
    });
  }

  async #checked(accountId: string, input: NotificationInput) {
    const faults: Partial<Record<NotificationField, NotificationInputCode>> = {};
    const { from, to, language, email, ntfy, webhook } = input;
    const hasQuiet = from !== "" || to !== "";
    const times = { from: timeOf(from), to: timeOf(to) };
    if (hasQuiet && times.from === undefined) faults.from = "time";
    if (hasQuiet && times.to === undefined) faults.to = "time";
    if (language !== "de" && language !== "en") faults.language = "language";
    const address = this.#address(accountId, email, faults);
    const needsNtfy = ntfy.enabled || input.tested === "ntfy";
    if (ntfy.topic === "" ? needsNtfy : !TOPIC.test(ntfy.topic)) faults.topic = "topic";
    if (ntfy.token !== "" && !TOKEN.test(ntfy.token)) faults.token = "token";
    const needsWebhook = webhook.enabled || input.tested === "webhook";
    const allows = this.allowsPrivate(accountId);
    const server = await this.#url(ntfy.server, needsNtfy, { allows, allowsPlain: allows }).catch(
      (error: unknown) => {
        faults.server = urlFault(error, allows);
        return "";
      },
    );
    const url = await this.#url(webhook.url, needsWebhook, { allows, allowsPlain: false }).catch(
      (error: unknown) => {
        faults.url = urlFault(error, false);
        return "";
      },
    );
    if (Object.keys(faults).length > 0) throw new NotificationInputError(faults);
    const quiet: QuietHours | null = hasQuiet ? { from: times.from!, to: times.to! } : null;
    return {
      quiet,
      language: language as Language,
      email: { enabled: email.enabled, ...(address !== undefined && { address }) },
      // The topic is in the body: ntfy takes JSON at the root of the server.
      ntfy: { ...ntfy, server: server === "" ? "" : new URL("/", server).href },
      webhook: { ...webhook, url },
    };
  }

  /** The address that an administrator has entered; undefined: that of the account. */
  #address(
    accountId: string,
    { address }: NotificationInput["email"],
    faults: Partial<Record<NotificationField, NotificationInputCode>>,
  ): string | undefined {
    const { mayChange } = this.recipient(accountId);
    if (!mayChange || address === "" || address === this.#account(accountId)?.email) return undefined;
    try {
      return parseEmail(address);
    } catch (error) {
      if (!(error instanceof AccountInputError)) throw error;
      faults.address = "address";
      return undefined;
    }
  }

  /** A checked address of a receiver; empty only while the channel is off. Throws WebhookInputError. */
  async #url(
    text: string,
    isNeeded: boolean,
    { allows, allowsPlain }: { allows: boolean; allowsPlain: boolean },
  ): Promise<string> {
    if (text === "" && !isNeeded) return "";
    const url = parseReceiverUrl(text, allows, { allowsPlain });
    const { resolve } = this.#options;
    const signal = AbortSignal.timeout(RESOLVE_MS);
    // Every connection is checked again.
    if (isNeeded) await checkReceiverName(url, { resolve, allowPrivateHosts: allows, signal });
    return url.href;
  }

  #account(accountId: string): Account | undefined {
    return this.#options.state.data.accounts.find(({ id }) => id === accountId);
  }
}

/** `7:00` as `07:00`; undefined for anything but a time of day. */
function timeOf(text: string): string | undefined {
  const match = TIME.exec(text);
  return match === null ? undefined : `${match[1]!.padStart(2, "0")}:${match[2]}`;
}

function urlFault(error: unknown, allowsPlain: boolean): NotificationInputCode {
  if (!(error instanceof WebhookInputError)) throw error;
  switch (error.code) {
    case "url_not_https":
      return allowsPlain ? "url_not_https_public" : "url_not_https";
    case "url_with_credentials":
    case "host_not_public":
      return error.code;
    default:
      return "url_invalid";
  }
}
