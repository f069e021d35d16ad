import { HOUR_MS } from "../../core/domain/interval.js";
import type { NotificationKind } from "../../core/domain/notification.js";
import type { Language } from "../../core/language.js";
import { dayInterval, formatIso, localDate } from "../../core/time/zone.js";
import { type Format, formatOf } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import type { NotificationFacts } from "./conditions.js";
import type { Occurrence } from "./rules.js";
import type { Suggestion, WeeklyStory } from "./weekly-story.js";

/** A message in the language of its reader; `text` has one sentence or paragraph per line. */
export interface NotificationMessage {
  kind: NotificationKind | "test";
  /** Identifies the message, also when it is sent again. */
  id: string;
  siteId: string;
  title: string;
  text: string;
  /** ISO 8601 in the zone of the site. */
  issuedAt: string;
  /** Address of the portal's page about the site. */
  link: string;
  /** What it reports, for programs. */
  details: object[];
}

/** Who a message is for, and when it is sent. */
export interface MessageContext {
  siteId: string;
  /** Set before the title; undefined for accounts with one site. */
  siteName: string | undefined;
  zone: string;
  language: Language;
  now: Date;
  link: string;
}

/** The message about occurrences of one kind, with the ends of what was reported before. */
export function messageOf(
  kind: NotificationKind,
  occurrences: readonly Occurrence[],
  ended: readonly Occurrence[],
  context: MessageContext,
): NotificationMessage {
  const { language, zone, now } = context;
  const format = formatOf(language, zone);
  const texts = textsOf(language).notifications.message;
  const titles = occurrences.map((one) => titleOf(one, format, now));
  const endOf = (one: Occurrence) =>
    one.endedMs === null || one.expiresMs !== null
      ? []
      : [texts.ended(format.moment(new Date(one.endedMs), now), titleOf(one, format, now))];
  const paragraphs = occurrences.map((one, index) =>
    [...(occurrences.length > 1 ? [`${titles[index]}.`] : []), ...sentencesOf(one, format, now)].join(
      kind === "weekly_story" ? "\n" : " ",
    ),
  );
  const [first] = occurrences;
  return messageWith(context, {
    kind,
    id: `${context.siteId}/${kind}/${first?.key}/${first?.sinceMs}`,
    title: titles.length === 1 ? titles[0]! : textsOf(language).notifications.kinds[kind].label,
    text: [...paragraphs, ...[...occurrences, ...ended].flatMap(endOf)].join("\n"),
    details: occurrences.map(({ key, sinceMs, endedMs, data }) => ({
      key,
      since: formatIso(new Date(sinceMs), zone),
      ended: endedMs === null ? null : formatIso(new Date(endedMs), zone),
      ...data,
    })),
  });
}

/** The message of a story, as it would be sent. */
export function storyMessage(story: WeeklyStory, context: MessageContext): NotificationMessage {
  const sinceMs = context.now.getTime();
  const one = { key: story.from, data: story, sinceMs, endedMs: null, expiresMs: sinceMs, deliveries: {} };
  return messageOf("weekly_story", [{ kind: "weekly_story", ...one }], [], context);
}

/** The message of the test button. */
export function testMessage(context: MessageContext): NotificationMessage {
  const { testTitle, test } = textsOf(context.language).notifications.message;
  const id = `${context.siteId}/test/${context.now.getTime()}`;
  return messageWith(context, { kind: "test", id, title: testTitle, text: test, details: [] });
}

function messageWith(
  { siteId, siteName, zone, now, link }: MessageContext,
  message: Pick<NotificationMessage, "kind" | "id" | "title" | "text" | "details">,
): NotificationMessage {
  const title = siteName === undefined ? message.title : `${siteName}: ${message.title}`;
  return { ...message, siteId, title, issuedAt: formatIso(now, zone), link };
}

/** The facts of an occurrence, which `conditionsOf` made for its kind. */
function factsOf<Kind extends NotificationKind>({ data }: Occurrence, _kind: Kind): NotificationFacts[Kind] {
  return data as NotificationFacts[Kind];
}

function titleOf(one: Occurrence, format: Format, now: Date): string {
  const { notifications, dashboard } = textsOf(format.language);
  const texts = notifications.message;
  switch (one.kind) {
    case "actuator_failed":
      return texts.actuator(factsOf(one, one.kind).id);
    case "battery_not_following":
      return dashboard.following.title;
    case "telemetry_lost":
      return texts.telemetry;
    case "negative_prices":
      return texts.negative(dayText(factsOf(one, one.kind).date, format, now));
    case "weekly_story":
      return texts.week(format.date(factsOf(one, one.kind).to));
    case "monthly_report":
      return texts.report(format.month(factsOf(one, one.kind).month));
  }
}

function sentencesOf(one: Occurrence, format: Format, now: Date): string[] {
  const { notifications, dashboard, components } = textsOf(format.language);
  const texts = notifications.message;
  const since = texts.since(format.moment(new Date(one.sinceMs), now));
  switch (one.kind) {
    case "actuator_failed":
      return [components.actuatorFaults[factsOf(one, one.kind).fault], since];
    case "battery_not_following":
      return [dashboard.following.causes[factsOf(one, one.kind).cause], since].filter((text) => text !== "");
    case "telemetry_lost": {
      const last = new Date(factsOf(one, one.kind).lastMs);
      return [texts.lastReading(format.moment(last, now)), dashboard.cap.telemetry_lost];
    }
    case "negative_prices":
      return priceSentences(factsOf(one, one.kind), format);
    case "weekly_story":
      return storySentences(factsOf(one, one.kind), format, now);
    case "monthly_report":
      return reportSentences(factsOf(one, one.kind), format);
  }
}

function priceSentences(
  { spans, lowestCtKwh, lowestMs, allInCtKwh }: NotificationFacts["negative_prices"],
  format: Format,
): string[] {
  const texts = textsOf(format.language).notifications.message;
  const time = (ms: number) => format.time(new Date(ms));
  return [
    texts.negativeSpans(spans.map(({ startMs, endMs }) => `${time(startMs)}–${time(endMs)}`).join(", ")),
    texts.lowest(format.number(lowestCtKwh), time(lowestMs)),
    ...(allInCtKwh === null ? [] : [texts.allIn(format.number(allInCtKwh))]),
  ];
}

function reportSentences(
  { savedEur, days, ofDays, billEur, missingHours }: NotificationFacts["monthly_report"],
  format: Format,
): string[] {
  const texts = textsOf(format.language).notifications.message;
  return [
    savedEur === null ? texts.savedUnknown : texts.saved(format.number(savedEur)),
    ...(savedEur === null || days === ofDays ? [] : [texts.measuredDays(days, ofDays)]),
    ...(billEur === null ? [] : [texts.bill(format.number(billEur))]),
    ...(billEur === null || missingHours === 0
      ? []
      : [texts.missing(format.number(missingHours, Number.isInteger(missingHours) ? 0 : 2))]),
  ];
}

function storySentences(
  { savedEur, days, cheapest, missed, suggestion }: NotificationFacts["weekly_story"],
  format: Format,
  now: Date,
): string[] {
  const texts = textsOf(format.language).notifications.message;
  const kwh = (value: number) => format.number(value, 1);
  return [
    savedEur === null ? texts.savedUnknown : texts.saved(format.number(savedEur)),
    ...(savedEur === null || days === 7 ? [] : [texts.measuredDays(days, 7)]),
    ...(cheapest === null
      ? []
      : [
          texts.cheapest(
            format.span(hourFrom(cheapest.startMs), now),
            format.number(cheapest.ctKwh),
            kwh(cheapest.energyKwh),
          ),
        ]),
    ...(missed === null
      ? []
      : [
          texts.missed[missed.what](
            format.date(localDate(new Date(missed.startMs), format.zone)),
            kwh(missed.forecastKwh),
            kwh(missed.measuredKwh),
          ),
        ]),
    ...(suggestion === null ? [] : [suggestionText(suggestion, format)]),
  ];
}

function suggestionText(suggestion: Suggestion, format: Format): string {
  const { suggestions } = textsOf(format.language).notifications.message;
  const eur = format.number(suggestion.worthEur);
  switch (suggestion.kind) {
    case "tariff":
      return suggestions.tariff(suggestion.name, eur);
    case "battery":
    case "pv":
      return suggestions[suggestion.kind](format.number(suggestion.size, 1), eur);
    default:
      return suggestions[suggestion.kind](suggestion.days, eur);
  }
}

const hourFrom = (startMs: number) => ({ start: new Date(startMs), end: new Date(startMs + HOUR_MS) });

/** `tomorrow (24 May 2026)`; without the word for other days. */
function dayText(date: string, format: Format, now: Date): string {
  const words = textsOf(format.language).format;
  const text = format.date(date);
  if (date === localDate(now, format.zone)) return `${words.today} (${text})`;
  const tomorrow = localDate(dayInterval(localDate(now, format.zone), format.zone).end, format.zone);
  return date === tomorrow ? `${words.tomorrow} (${text})` : `(${text})`;
}
