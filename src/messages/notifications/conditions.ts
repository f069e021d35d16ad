import type { Site } from "../../config/site.js";
import type { ActuatorFault } from "../../core/domain/actuator.js";
import type { FollowingCause } from "../../core/domain/battery.js";
import { type FreshnessLimits, freshness } from "../../core/domain/freshness.js";
import { type Interval, QUARTER_MS } from "../../core/domain/interval.js";
import type { LiveState } from "../../core/domain/sample.js";
import { addDays, dayInterval, localDate, localTime } from "../../core/time/zone.js";
import type { ActuatorStatus } from "../../equipment/status.js";
import { actuatorComponent, actuatorFault } from "../../equipment/status-component.js";
import type { PriceSeries } from "../../forecast/market/price-series.js";
import { tomorrowComplete } from "../../forecast/market/publication.js";
import type { SitePlan } from "../../plan/site-plan.js";
import type { Prices } from "../../tariff/compile-tariff.js";
import { timeOn } from "./quiet-hours.js";
import type { ReportedState } from "./rules.js";
import type { WeeklyStory } from "./weekly-story.js";

/** What the text of each kind is made from; JSON. */
export interface NotificationFacts {
  actuator_failed: { id: string; fault: ActuatorFault };
  battery_not_following: { cause: FollowingCause };
  /** Time of the last state of charge. */
  telemetry_lost: { lastMs: number };
  negative_prices: {
    date: string;
    spans: { startMs: number; endMs: number }[];
    lowestCtKwh: number;
    lowestMs: number;
    /** Lowest all-in price of the day; null without a tariff. */
    allInCtKwh: number | null;
  };
  weekly_story: WeeklyStory;
  monthly_report: MonthlyReport;
}

/** The result of a month, `YYYY-MM`. Amounts in EUR; null where they are not known. */
export interface MonthlyReport {
  month: string;
  savedEur: number | null;
  /** Days that the savings are about, and days of the month. */
  days: number;
  ofDays: number;
  billEur: number | null;
  /** Hours without a value, which the bill lacks. */
  missingHours: number;
}

/** Reports are made from this local time of the first day on: that of a month until the end of the seventh, that of a week until Wednesday. */
const REPORT_FROM = "08:00";
const REPORT_DAYS = 7;
const STORY_DAYS = 3;

/** Phases in which nothing can be told of an actuator. */
const UNKNOWN_PHASES: readonly ActuatorStatus["phase"][] = ["waiting", "sending", "testing"];
const SWITCHED_OFF: readonly ActuatorStatus["phase"][] = ["disabled", "dry_run"];

/** The state of a site that is reported. */
export interface SiteFacts {
  site: Site;
  now: Date;
  actuators: readonly ActuatorStatus[];
  plan: SitePlan | undefined;
  live: LiveState;
  limits: FreshnessLimits;
  published: PriceSeries;
  tariff: Prices | undefined;
  /** The report of the last month, while it is to be sent. */
  report: MonthlyReport | undefined;
  /** The story of the last week, while it is to be sent. */
  story: WeeklyStory | undefined;
}

/** What holds now, of all kinds. */
export function conditionsOf(facts: SiteFacts): ReportedState[] {
  return [
    ...facts.actuators.flatMap(actuatorCondition),
    ...batteryConditions(facts),
    ...negativePrices(facts),
    ...storyCondition(facts),
    ...reportCondition(facts),
  ];
}

function actuatorCondition(status: ActuatorStatus): ReportedState[] {
  const { id, phase } = status;
  if (SWITCHED_OFF.includes(phase)) return [];
  const of = { kind: "actuator_failed", key: id } as const;
  const isDegraded = actuatorComponent(status).state === "degraded";
  if (!isDegraded) return UNKNOWN_PHASES.includes(phase) ? [{ ...of, data: {}, isUnknown: true }] : [];
  const data: NotificationFacts["actuator_failed"] = { id, fault: actuatorFault(status) };
  // A device that is waited for is an error only after a while.
  const { lastError } = status;
  return [{ ...of, data, ...(lastError?.fault === "no_reading" && { sinceMs: lastError.at.getTime() }) }];
}

function batteryConditions({ site, now, plan, live, limits }: SiteFacts): ReportedState[] {
  if ((site.plant.battery ?? null) === null) return [];
  const conditions: ReportedState[] = [];
  const follows = { kind: "battery_not_following", key: "battery" } as const;
  const { following = "unknown", followingCause: cause = "none" } = plan?.scalars ?? {};
  if (following === "no") conditions.push({ ...follows, data: { cause } });
  if (following === "unknown") conditions.push({ ...follows, data: {}, isUnknown: true });
  const measured = { kind: "telemetry_lost", key: "soc_pct" } as const;
  const at = live.soc_pct?.at;
  // A site that has never measured has lost nothing.
  if (at === undefined) conditions.push({ ...measured, data: {}, isUnknown: true });
  else if (freshness(at, now, limits) === "lost")
    conditions.push({ ...measured, data: { lastMs: at.getTime() } });
  return conditions;
}

/** Tomorrow's negative market prices once they are all published; obsolete at the end of the last one. */
function negativePrices({ site, now, published, tariff }: SiteFacts): ReportedState[] {
  const zone = site.plant.timezone;
  const today = localDate(now, zone);
  const kind = "negative_prices";
  // What was found yesterday about today.
  const earlier: ReportedState = { kind, key: today, data: {}, isUnknown: true };
  const date = addDays(today, 1);
  if (!tomorrowComplete(published, now)) return [earlier, { kind, key: date, data: {}, isUnknown: true }];
  const quarters = quartersOf(dayInterval(date, zone)).flatMap((startMs) => {
    const eurPerMwh = published.quarter(startMs);
    return eurPerMwh === undefined ? [] : [{ startMs, ctKwh: eurPerMwh / 10 }];
  });
  const spans: { startMs: number; endMs: number }[] = [];
  for (const { startMs, ctKwh } of quarters) {
    if (ctKwh >= 0) continue;
    const last = spans.at(-1);
    if (last?.endMs === startMs) last.endMs += QUARTER_MS;
    else spans.push({ startMs, endMs: startMs + QUARTER_MS });
  }
  const end = spans.at(-1)?.endMs;
  if (end === undefined) return [earlier];
  const lowest = quarters.reduce((least, one) => (one.ctKwh < least.ctKwh ? one : least));
  const allIn = quarters.map(({ startMs, ctKwh }) => tariff?.importCtKwh(ctKwh, new Date(startMs)) ?? null);
  const data: NotificationFacts["negative_prices"] = {
    date,
    spans,
    lowestCtKwh: lowest.ctKwh,
    lowestMs: lowest.startMs,
    allInCtKwh: allIn.every((ct) => ct !== null) ? Math.min(...allIn) : null,
  };
  return [earlier, { kind, key: date, data, expiresMs: end }];
}

function reportCondition({ site, now, report }: SiteFacts): ReportedState[] {
  const zone = site.plant.timezone;
  const month = reportedMonth(now, zone);
  if (month === undefined) return [];
  const of = { kind: "monthly_report", key: month } as const;
  if (report === undefined) return [{ ...of, data: {}, isUnknown: true }];
  const end = dayInterval(`${localDate(now, zone).slice(0, 7)}-0${REPORT_DAYS}`, zone).end;
  return [{ ...of, data: report, expiresMs: end.getTime() }];
}

function storyCondition({ site, now, story }: SiteFacts): ReportedState[] {
  const zone = site.plant.timezone;
  const from = reportedWeek(now, zone);
  if (from === undefined) return [];
  const of = { kind: "weekly_story", key: from } as const;
  if (story === undefined) return [{ ...of, data: {}, isUnknown: true }];
  const end = dayInterval(addDays(from, 7 + STORY_DAYS - 1), zone).end;
  return [{ ...of, data: story, expiresMs: end.getTime() }];
}

/** The Monday, `YYYY-MM-DD`, of the week that is to be reported now; undefined outside the first days of a week. */
export function reportedWeek(now: Date, zone: string): string | undefined {
  const { date, weekday } = localTime(now, zone);
  const monday = addDays(date, 1 - weekday);
  if (weekday > STORY_DAYS || now < timeOn(monday, REPORT_FROM, zone)) return undefined;
  return addDays(monday, -7);
}

/** The month, `YYYY-MM`, that is to be reported now; undefined outside the first days of a month. */
export function reportedMonth(now: Date, zone: string): string | undefined {
  const { date, day } = localTime(now, zone);
  const first = `${date.slice(0, 7)}-01`;
  if (day > REPORT_DAYS || now < timeOn(first, REPORT_FROM, zone)) return undefined;
  return addDays(first, -1).slice(0, 7);
}

function quartersOf({ start, end }: Interval): number[] {
  const count = (end.getTime() - start.getTime()) / QUARTER_MS;
  return Array.from({ length: count }, (_, index) => start.getTime() + index * QUARTER_MS);
}
