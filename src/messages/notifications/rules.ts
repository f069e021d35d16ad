import { DAY_MS, MINUTE_MS } from "../../core/domain/interval.js";
import {
  NOTIFICATION_CHANNELS,
  NOTIFICATION_KINDS,
  type NotificationChannel,
  type NotificationKind,
  type QuietHours,
} from "../../core/domain/notification.js";
import { isRecord, recordOf } from "../../core/net/json.js";
import {
  hasFields,
  isFlag,
  isMapOf,
  isMaybe,
  isNullOr,
  isNumber,
  isOneOf,
  isText,
  type Shape,
} from "../../core/shape.js";
import { localDate } from "../../core/time/zone.js";
import { isQuiet } from "./quiet-hours.js";

/** A state must last this long before it is reported; restarts of devices and of the gateway are shorter. */
const LASTING_MS: Readonly<Record<NotificationKind, number>> = {
  actuator_failed: 5 * MINUTE_MS,
  // The comparison with the command has a delay of its own.
  battery_not_following: 0,
  telemetry_lost: 5 * MINUTE_MS,
  negative_prices: 0,
  weekly_story: 0,
  monthly_report: 0,
};
/** A message that a channel does not take is tried again with growing delay, until it is given up. */
const FIRST_RETRY_MS = MINUTE_MS;
const LONGEST_RETRY_MS = 30 * MINUTE_MS;
const GIVE_UP_MS = 3 * DAY_MS;
/** The end of something reported is told with the next message within this time. */
const END_TOLD_MS = DAY_MS;
const KEPT_LOG = 20;

/** Something to report: its kind with a key that tells two of a kind apart. `data` is JSON with what its text needs. */
export interface ReportedState {
  kind: NotificationKind;
  key: string;
  data: object;
  /** Since when it holds, if that was before it was seen. */
  sinceMs?: number;
  /** From then on it is of no use. */
  expiresMs?: number;
  /** Whether it goes on cannot be told now; `data` is ignored. */
  isUnknown?: boolean;
}

const DELIVERY_STATES = ["sending", "sent", "failed", "given_up"] as const;

/**
 * The delivery of an occurrence on a channel. `sending`: it was begun; after a crash its outcome is not known. `given_up`:
 * not taken for three days.
 */
interface ChannelDelivery {
  state: (typeof DELIVERY_STATES)[number];
  attempts: number;
  firstMs: number;
  /** Earliest time of the next attempt. */
  retryMs: number;
  endTold?: boolean;
}

/** A condition from its begin to its end. Times in ms since the epoch, so that it is stored as it is. */
export interface Occurrence {
  kind: NotificationKind;
  key: string;
  data: object;
  sinceMs: number;
  endedMs: number | null;
  expiresMs: number | null;
  deliveries: Partial<Record<NotificationChannel, ChannelDelivery>>;
}

/** A message that was sent, or that was tried. */
export interface LogEntry {
  atMs: number;
  kind: NotificationKind;
  channel: NotificationChannel;
  /** Time of the first attempt. */
  firstMs: number;
  /** Why it did not arrive; null: it did. */
  fault: string | null;
}

/** What is stored of a site. */
export interface SiteNotifications {
  readonly occurrences: readonly Occurrence[];
  /** Local date of the last message by `<channel>/<kind>`. */
  readonly days: Readonly<Record<string, string>>;
  /** Newest first. */
  readonly log: readonly LogEntry[];
}

export const NO_NOTIFICATIONS: SiteNotifications = { occurrences: [], days: {}, log: [] };

const isDelivery = hasFields<ChannelDelivery>({
  state: isOneOf(DELIVERY_STATES),
  attempts: isNumber,
  firstMs: isNumber,
  retryMs: isNumber,
  endTold: isMaybe(isFlag),
});

const isOccurrence = hasFields<Occurrence>({
  kind: isOneOf(NOTIFICATION_KINDS),
  key: isText,
  data: (value): value is object => isRecord(value),
  sinceMs: isNumber,
  endedMs: isNullOr(isNumber),
  expiresMs: isNullOr(isNumber),
  deliveries: hasFields<Occurrence["deliveries"]>({
    email: isMaybe(isDelivery),
    ntfy: isMaybe(isDelivery),
    webhook: isMaybe(isDelivery),
  }),
});

const isLogEntry = hasFields<LogEntry>({
  atMs: isNumber,
  kind: isOneOf(NOTIFICATION_KINDS),
  channel: isOneOf(NOTIFICATION_CHANNELS),
  firstMs: isNumber,
  fault: isNullOr(isText),
});

/** What is usable of what is stored of a site. */
export function notificationsFromJson(stored: unknown): SiteNotifications {
  const { occurrences, days, log } = recordOf(stored);
  const usable = <T>(list: unknown, is: Shape<T>): T[] => (Array.isArray(list) ? list.filter(is) : []);
  return {
    occurrences: usable(occurrences, isOccurrence),
    days: isMapOf(isText)(days) ? days : {},
    log: usable(log, isLogEntry),
  };
}

/** Everything that decides what is due. */
export interface NotificationState extends SiteNotifications {
  readonly zone: string;
  readonly quiet: QuietHours | null;
  readonly kinds: readonly NotificationKind[];
  readonly channels: readonly NotificationChannel[];
}

/** One message of a channel, with all that it reports. */
export interface DueNotification {
  channel: NotificationChannel;
  kind: NotificationKind;
  occurrences: readonly Occurrence[];
}

/** How a message ended. `unknown`: it may have arrived. */
export type DeliveryOutcome = { is: "sent" } | { is: "failed"; fault: string } | { is: "unknown" };

/**
 * The messages to be sent now: at most one of a kind per channel and local day, none in the quiet hours. What ends while it
 * waits for them is left out, unless the channel had refused it before.
 */
export function dueNotifications(state: NotificationState, now: Date): DueNotification[] {
  const { zone, quiet, kinds, channels, days } = state;
  if (isQuiet(now, quiet, zone)) return [];
  const today = localDate(now, zone);
  return channels.flatMap((channel) =>
    kinds.flatMap((kind) => {
      if (days[dayKey(channel, kind)] === today) return [];
      const occurrences = state.occurrences.filter(
        (one) => one.kind === kind && isReady(one, channel, now.getTime()),
      );
      return occurrences.length === 0 ? [] : [{ channel, kind, occurrences }];
    }),
  );
}

/** The state after what holds now was observed: new occurrences, ended ones, without those that are done. */
export function observed(
  state: SiteNotifications,
  conditions: readonly ReportedState[],
  now: Date,
): SiteNotifications {
  const nowMs = now.getTime();
  const conditionOf = (one: Occurrence) =>
    conditions.find(({ kind, key }) => kind === one.kind && key === one.key);
  const known = state.occurrences.map((kept) => {
    const one = notAhead(kept, nowMs);
    const found = conditionOf(one);
    if (found?.isUnknown) return one;
    if (found === undefined) return one.endedMs === null ? { ...one, endedMs: nowMs } : one;
    if (one.endedMs === null) return { ...one, data: found.data, expiresMs: found.expiresMs ?? null };
    // It has come back: what was not taken yet is taken over by the new occurrence.
    return { ...one, deliveries: deliveriesOf(one, (delivery) => !isPending(delivery)) };
  });
  const begun = conditions
    .filter(
      ({ kind, key, isUnknown }) =>
        isUnknown !== true &&
        !known.some((one) => one.kind === kind && one.key === key && one.endedMs === null),
    )
    .map(({ kind, key, data, sinceMs = nowMs, expiresMs = null }): Occurrence => {
      const before = state.occurrences.findLast((one) => one.kind === kind && one.key === key);
      const deliveries = before === undefined ? {} : deliveriesOf(before, isPending);
      return { kind, key, data, sinceMs, endedMs: null, expiresMs, deliveries };
    });
  return { ...state, occurrences: [...known, ...begun].filter((one) => !isDone(one, nowMs)) };
}

/** The state with a message under way: stored before it is sent, so that a crash cannot repeat it on the same day. */
export function claimed(state: SiteNotifications, due: DueNotification, now: Date, zone: string) {
  const claim = (one: Occurrence): ChannelDelivery => {
    const before = one.deliveries[due.channel];
    return {
      state: "sending",
      attempts: (before?.attempts ?? 0) + 1,
      firstMs: before?.firstMs ?? now.getTime(),
      retryMs: now.getTime(),
    };
  };
  const days = { ...state.days, [dayKey(due.channel, due.kind)]: localDate(now, zone) };
  return {
    ...state,
    occurrences: withDeliveries(state.occurrences, due.occurrences, due.channel, claim),
    days,
  };
}

/** The state after the outcome of a claimed message; `ended` are the occurrences whose end it reports. */
export function settled(
  state: SiteNotifications,
  due: DueNotification,
  outcome: DeliveryOutcome,
  { now, ended = [] }: { now: Date; ended?: readonly Occurrence[] },
): SiteNotifications {
  // As after a crash: tried again on the next day.
  if (outcome.is === "unknown") return state;
  const nowMs = now.getTime();
  let firstMs = nowMs;
  const settle = (one: Occurrence): ChannelDelivery => {
    const before = one.deliveries[due.channel] ?? { attempts: 1, firstMs: nowMs };
    firstMs = Math.min(firstMs, before.firstMs);
    if (outcome.is === "sent")
      return { ...before, state: "sent", retryMs: nowMs, ...(one.endedMs !== null && { endTold: true }) };
    const waitMs = Math.min(FIRST_RETRY_MS * 2 ** (before.attempts - 1), LONGEST_RETRY_MS);
    return {
      ...before,
      state: nowMs + waitMs > before.firstMs + GIVE_UP_MS ? "given_up" : "failed",
      retryMs: nowMs + waitMs,
    };
  };
  const after = withDeliveries(state.occurrences, due.occurrences, due.channel, settle);
  const withEnd = ({ deliveries: { [due.channel]: delivery } }: Occurrence) =>
    delivery && { ...delivery, endTold: true };
  const { [dayKey(due.channel, due.kind)]: _claim, ...otherDays } = state.days;
  const isSame = (entry: LogEntry) =>
    entry.channel === due.channel && entry.kind === due.kind && entry.firstMs === firstMs;
  const entry: LogEntry = {
    atMs: nowMs,
    kind: due.kind,
    channel: due.channel,
    firstMs,
    fault: outcome.is === "sent" ? null : outcome.fault,
  };
  return {
    occurrences: outcome.is === "sent" ? withDeliveries(after, ended, due.channel, withEnd) : after,
    // Only what was taken counts as the message of the day.
    days: outcome.is === "sent" ? state.days : otherDays,
    log: [entry, ...state.log.filter((one) => !isSame(one))].slice(0, KEPT_LOG),
  };
}

/** States that were reported on a channel and have ended since, for the next message. */
export function endedSince(state: SiteNotifications, channel: NotificationChannel): Occurrence[] {
  return state.occurrences.filter(
    ({ endedMs, expiresMs, deliveries: { [channel]: delivery } }) =>
      endedMs !== null && expiresMs === null && delivery?.state === "sent" && delivery.endTold !== true,
  );
}

function isReady(one: Occurrence, channel: NotificationChannel, nowMs: number): boolean {
  const { kind, sinceMs, endedMs, expiresMs } = one;
  const delivery = one.deliveries[channel];
  if (expiresMs !== null && expiresMs <= nowMs) return false;
  if (delivery === undefined) return endedMs === null && nowMs >= sinceMs + LASTING_MS[kind];
  return isPending(delivery) && delivery.retryMs <= nowMs;
}

/** The channel has refused it, or may have taken it, and it is to be tried again. */
function isPending({ state }: ChannelDelivery): boolean {
  return state === "failed" || state === "sending";
}

/** Times ahead are those of a clock that was set back since: nothing waits for them. */
function notAhead(one: Occurrence, nowMs: number): Occurrence {
  const past = (ms: number) => Math.min(ms, nowMs);
  const deliveries = Object.entries(one.deliveries).map(([channel, delivery]) => {
    const { firstMs, retryMs } = delivery;
    const isAhead = retryMs > nowMs + LONGEST_RETRY_MS;
    return [channel, { ...delivery, firstMs: past(firstMs), retryMs: isAhead ? nowMs : retryMs }] as const;
  });
  return {
    ...one,
    sinceMs: past(one.sinceMs),
    endedMs: one.endedMs === null ? null : past(one.endedMs),
    deliveries: Object.fromEntries(deliveries),
  };
}

function deliveriesOf(
  { deliveries }: Occurrence,
  isWanted: (delivery: ChannelDelivery) => boolean,
): Occurrence["deliveries"] {
  return Object.fromEntries(Object.entries(deliveries).filter(([, delivery]) => isWanted(delivery)));
}

function isDone(one: Occurrence, nowMs: number): boolean {
  if (one.expiresMs !== null && one.expiresMs <= nowMs) return true;
  const deliveries = Object.values(one.deliveries);
  if (one.endedMs === null || deliveries.some(isPending)) return false;
  const isToBeTold = deliveries.some(({ state, endTold }) => state === "sent" && !endTold);
  return !isToBeTold || nowMs > one.endedMs + END_TOLD_MS;
}

/** The occurrences with another delivery on the channel where they are among some. */
function withDeliveries(
  all: readonly Occurrence[],
  some: readonly Occurrence[],
  channel: NotificationChannel,
  next: (one: Occurrence) => ChannelDelivery | undefined,
): Occurrence[] {
  return all.map((one) => {
    const delivery = some.some((other) => isSameOccurrence(one, other)) ? next(one) : undefined;
    return delivery === undefined ? one : { ...one, deliveries: { ...one.deliveries, [channel]: delivery } };
  });
}

function isSameOccurrence(a: Occurrence, b: Occurrence): boolean {
  return a.kind === b.kind && a.key === b.key && a.sinceMs === b.sinceMs;
}

function dayKey(channel: NotificationChannel, kind: NotificationKind): string {
  return `${channel}/${kind}`;
}
