import type { Site } from "../../config/site.js";
import type { SiteParts, SiteRuntimes } from "../../config/site-runtimes.js";
import { type Bus, subscribe } from "../../core/bus.js";
import type { FreshnessLimits } from "../../core/domain/freshness.js";
import { MINUTE_MS } from "../../core/domain/interval.js";
import type { NotificationChannel } from "../../core/domain/notification.js";
import type { Language } from "../../core/language.js";
import type { Log } from "../../core/log.js";
import { recordOf } from "../../core/net/json.js";
import { systemResolve } from "../../core/net/resolve.js";
import { type Cancel, type Clock, onEach, startWallTimer } from "../../core/time/clock.js";
import { addDays, localDate } from "../../core/time/zone.js";
import type { ActuatorService } from "../../equipment/service.js";
import type { PriceService } from "../../forecast/market/price-service.js";
import type { PlanService } from "../../plan/service.js";
import type { DocumentArchive } from "../../store/archive.js";
import type { StateFile } from "../../store/state.js";
import type { Prices } from "../../tariff/compile-tariff.js";
import type { TelemetryService } from "../../telemetry/service.js";
import type { DirectMailer } from "../mail/mailer.js";
import { KeyedQueue } from "../webhooks/keyed-queue.js";
import { Sender, type SenderOptions } from "../webhooks/sender.js";
import { type ChannelFault, sendEvent, sendMail, sendNtfy } from "./channels.js";
import {
  conditionsOf,
  type MonthlyReport,
  reportedMonth,
  reportedWeek,
  type SiteFacts,
} from "./conditions.js";
import {
  type MessageContext,
  messageOf,
  type NotificationMessage,
  storyMessage,
  testMessage,
} from "./message.js";
import {
  claimed,
  type DueNotification,
  dueNotifications,
  endedSince,
  type LogEntry,
  NO_NOTIFICATIONS,
  type NotificationState,
  notificationsFromJson,
  observed,
  type SiteNotifications,
  settled,
} from "./rules.js";
import { NotificationSettings } from "./settings.js";
import type { WeeklyStory } from "./weekly-story.js";

/** Sites whose messages are sent at the same time. */
const AT_ONCE = 4;
/** Time that `stop` waits for messages under way. */
const GRACE_MS = 2000;
/** Version of the stored format; other versions are ignored. */
const VERSION = 1;

export interface NotificationOptions extends SenderOptions {
  clock: Clock;
  bus: Bus;
  state: StateFile;
  documents: DocumentArchive;
  sites: SiteRuntimes;
  actuators: Pick<ActuatorService, "list">;
  plans: Pick<PlanService, "current">;
  telemetry: Pick<TelemetryService, "live">;
  prices: Pick<PriceService, "published">;
  tariff: (siteId: string) => Prices | undefined;
  freshness: FreshnessLimits;
  /** The result of a month, `YYYY-MM`; undefined if nothing is known of it. */
  report: (site: Site, month: string) => Promise<MonthlyReport | undefined>;
  /** The story of the seven days from a local date on; undefined if nothing is known of them. */
  story: (site: Site, from: string) => Promise<WeeklyStory | undefined>;
  mailer: DirectMailer;
  /** Address of the portal. */
  baseUrl: () => string;
  log: Log;
}

interface SiteMessages {
  /** What is stored, once it is known. */
  held?: SiteNotifications;
  /** Month and week of which nothing is known. */
  unknown: { monthly_report?: string; weekly_story?: string };
}

/** Notifies the accounts of what happens at their sites, as docs/notifications.md says. */
export class NotificationService {
  readonly settings: NotificationSettings;
  readonly #options: NotificationOptions;
  readonly #sender: Sender;
  readonly #startTimer: (ms: number, callback: () => void) => Cancel;
  readonly #queue = new KeyedQueue({ atOnce: AT_ONCE, waitingPerOwner: 1 });
  readonly #sites: SiteParts<SiteMessages>;
  readonly #stops: Cancel[] = [];
  readonly #aborted = new AbortController();
  #isStopped = false;

  constructor(options: NotificationOptions) {
    const { state, allowPrivateHosts, resolve = systemResolve } = options;
    this.#options = options;
    this.#sites = options.sites.parts({
      create: (): SiteMessages => ({ unknown: {} }),
      remove: (_, { site }) => this.#queue.removeOwner(site.id),
    });
    this.#startTimer = options.startTimer ?? startWallTimer;
    this.settings = new NotificationSettings({ state, resolve, allowPrivateHosts });
    this.#sender = new Sender(options);
  }

  /** Looks at all sites every minute, and at once when something has happened. */
  async start(): Promise<void> {
    const { bus, clock, sites } = this.#options;
    const look = ({ siteId }: { siteId: string }) => this.look(siteId);
    const lookAtAll = () => {
      for (const { id } of sites.list()) this.look(id);
    };
    this.#queue.start();
    this.#stops.push(
      subscribe(bus, {
        "following.changed": look,
        "actuator.changed": look,
        "price.updated": lookAtAll,
      }),
      onEach(clock, MINUTE_MS, lookAtAll),
    );
    lookAtAll();
  }

  /** Waits up to two seconds for messages under way, then aborts them; those are sent again on the next day. */
  async stop(): Promise<void> {
    for (const stop of this.#stops.splice(0)) stop();
    this.#isStopped = true;
    this.#queue.stop();
    const cancel = this.#startTimer(GRACE_MS, () => this.#abort());
    await this.#queue.idle();
    cancel();
    this.#abort();
  }

  /** Sends what is due at a site, in the background. */
  look(siteId: string): void {
    const site = this.#options.sites.get(siteId);
    if (site === undefined || this.settings.channels(site.accountId).length === 0) return;
    this.#queue.add({
      key: siteId,
      owner: siteId,
      account: site.accountId,
      supersedes: "look",
      run: () => this.#turn(siteId),
      dropped: () => {},
    });
  }

  /** Resolves when nothing is under way. */
  settled(): Promise<void> {
    return this.#queue.idle();
  }

  /** The last messages of a site, newest first. Throws StoreError. */
  async log(siteId: string): Promise<readonly LogEntry[]> {
    return (await this.#load(siteId)).log;
  }

  /** Sends a test message of the site on a channel of its account now; null once it is accepted. */
  test(site: Site, channel: NotificationChannel): Promise<ChannelFault> {
    return this.#send(site, channel, testMessage(this.#context(site)));
  }

  /** The story of the last seven days that are over, in the language of its reader; undefined if nothing is known. Throws StoreError. */
  async preview(site: Site, language: Language): Promise<NotificationMessage | undefined> {
    const { clock, story } = this.#options;
    const from = addDays(localDate(clock.now(), site.plant.timezone), -7);
    const found = await story(site, from);
    return found && storyMessage(found, { ...this.#context(site), language });
  }

  #abort(): void {
    this.#sender.stop();
    this.#aborted.abort();
  }

  async #turn(siteId: string): Promise<void> {
    const { sites, clock, log } = this.#options;
    const site = sites.get(siteId);
    if (site === undefined) return;
    try {
      const before = await this.#load(siteId);
      const conditions = conditionsOf(await this.#facts(site, before));
      let held = await this.#save(siteId, observed(before, conditions, clock.now()));
      for (const { channel, kind } of dueNotifications(this.#state(site, held), clock.now())) {
        if (this.#isStopped || sites.get(siteId) === undefined) return;
        // The quiet hours may have begun while the previous message was sent.
        const due = dueNotifications(this.#state(site, held), clock.now()).find(
          (one) => one.channel === channel && one.kind === kind,
        );
        if (due !== undefined) held = await this.#notify(site, due, held);
      }
    } catch (error) {
      log.error({ site: siteId, err: error }, "The notifications of a site could not be sent.");
    }
  }

  /** Sends one message; what is stored before and after makes it the only one of its day. */
  async #notify(site: Site, due: DueNotification, before: SiteNotifications): Promise<SiteNotifications> {
    const { clock, sites, log } = this.#options;
    const { channel, kind, occurrences } = due;
    const held = await this.#save(site.id, claimed(before, due, clock.now(), site.plant.timezone));
    const ended = endedSince(held, channel);
    const message = messageOf(kind, occurrences, ended, this.#context(site));
    const fault = await this.#send(site, channel, message);
    // Nothing is kept of a site that was removed meanwhile.
    if (sites.get(site.id) === undefined) return held;
    const now = clock.now();
    const facts = { site: site.id, channel, kind };
    if (fault === "stopped") return this.#save(site.id, settled(held, due, { is: "unknown" }, { now }));
    if (fault === null) {
      log.info(facts, "A notification was sent.");
      return this.#save(site.id, settled(held, due, { is: "sent" }, { now, ended }));
    }
    log.warn({ ...facts, fault }, "A notification was not accepted; it is sent again later.");
    return this.#save(site.id, settled(held, due, { is: "failed", fault }, { now }));
  }

  #send(site: Site, channel: NotificationChannel, message: NotificationMessage): Promise<ChannelFault> {
    const { accountId } = site;
    const settings = this.settings.of(accountId);
    const allowsPrivate = this.settings.allowsPrivate(accountId);
    const { address, language } = this.settings.recipient(accountId);
    switch (channel) {
      case "email":
        return this.#unlessAborted(sendMail(this.#options.mailer, address, message, language));
      case "ntfy":
        return sendNtfy(this.#sender, settings.ntfy, message, allowsPrivate);
      case "webhook":
        return sendEvent(this.#sender, settings.webhook, message, allowsPrivate);
    }
  }

  /** A mail server may take longer than a stop. */
  #unlessAborted(sent: Promise<ChannelFault>): Promise<ChannelFault> {
    const { signal } = this.#aborted;
    let onAbort = () => {};
    const stopped = new Promise<ChannelFault>((resolve) => {
      onAbort = () => resolve("stopped");
      if (signal.aborted) onAbort();
      signal.addEventListener("abort", onAbort, { once: true });
    });
    return Promise.race([sent, stopped]).finally(() => signal.removeEventListener("abort", onAbort));
  }

  #state(site: Site, held: SiteNotifications): NotificationState {
    const { accountId, plant } = site;
    return {
      ...held,
      zone: plant.timezone,
      quiet: this.settings.of(accountId).quiet,
      kinds: this.settings.kinds(accountId),
      channels: this.settings.channels(accountId),
    };
  }

  async #facts(site: Site, held: SiteNotifications): Promise<SiteFacts> {
    const { actuators, clock, freshness: limits, plans, prices, tariff, telemetry } = this.#options;
    const now = clock.now();
    return {
      site,
      now,
      actuators: actuators.list(site.id),
      plan: plans.current(site.id),
      live: telemetry.live(site.id),
      limits,
      published: prices.published(),
      tariff: tariff(site.id),
      ...(await this.#reports(site, held, now)),
    };
  }

  /** The reports of the last month and week while they are to be sent; each is computed once. */
  async #reports(
    site: Site,
    held: SiteNotifications,
    now: Date,
  ): Promise<Pick<SiteFacts, "report" | "story">> {
    const { timezone: zone } = site.plant;
    const kinds = this.settings.kinds(site.accountId);
    const { unknown = {} } = this.#sites.get(site.id) ?? {};
    const made = async <Report>(
      kind: "monthly_report" | "weekly_story",
      period: string | undefined,
      make: (site: Site, period: string) => Promise<Report | undefined>,
    ) => {
      const isMade = held.occurrences.some((one) => one.kind === kind && one.key === period);
      if (period === undefined || !kinds.includes(kind) || isMade || unknown[kind] === period)
        return undefined;
      const report = await make(site, period);
      if (report === undefined) unknown[kind] = period;
      return report;
    };
    const { report, story } = this.#options;
    return {
      report: await made("monthly_report", reportedMonth(now, zone), report),
      story: await made("weekly_story", reportedWeek(now, zone), story),
    };
  }

  #context(site: Site): MessageContext {
    const { clock, sites, baseUrl } = this.#options;
    const { id: siteId, accountId, plant } = site;
    return {
      siteId,
      siteName:
        sites.list().filter((one) => one.accountId === accountId).length > 1
          ? plant.name || siteId
          : undefined,
      zone: plant.timezone,
      language: this.settings.recipient(accountId).language,
      now: clock.now(),
      link: `${baseUrl().replace(/\/+$/, "")}/dashboard?${new URLSearchParams({ site: siteId })}`,
    };
  }

  async #load(siteId: string): Promise<SiteNotifications> {
    const known = this.#sites.get(siteId)?.held;
    if (known !== undefined) return known;
    const stored = recordOf(await this.#options.documents.get(documentName(siteId)));
    return stored.version === VERSION ? notificationsFromJson(stored) : NO_NOTIFICATIONS;
  }

  /** Stores what has changed; flushed when it resolves. Throws StoreError. */
  async #save(siteId: string, next: SiteNotifications): Promise<SiteNotifications> {
    const part = this.#sites.get(siteId);
    // Nothing is stored of a site that was removed meanwhile.
    if (part === undefined) return next;
    const isKnown = JSON.stringify(part.held) === JSON.stringify(next);
    if (!isKnown) await this.#options.documents.put(documentName(siteId), { version: VERSION, ...next });
    part.held = next;
    return next;
  }
}

function documentName(siteId: string): string {
  return `notifications/${siteId}`;
}
