import type { Site } from "../config/site.js";
import { contains, HOUR_MS, type Interval, MINUTE_MS, QUARTER_MS } from "../core/domain/interval.js";
import type { LiveState } from "../core/domain/sample.js";
import { addDays, localDate } from "../core/time/zone.js";
import { importPriceAt, type SitePrices } from "../forecast/price/settlement.js";
import { IDLE_KW, isFresh, measuredPowers } from "../telemetry/measured-powers.js";
import type { Format } from "../texts/format.js";
import { textsOf } from "../texts/index.js";
import type { Action, StepReason } from "./explain.js";
import { missingFor, presentAction } from "./headline.js";
import type { SitePlan } from "./site-plan.js";
import { coveredBySurplus, deviceRuns } from "./windows/device-runs.js";
import { deviceLabel, type SlotPlan, slotMoment } from "./windows/slot-schedule.js";

/** A change of the battery that is shorter is not announced. */
const SHORTEST_MS = 30 * MINUTE_MS;

/** What the sentences about a site are made of. */
export interface PresentFacts extends SitePrices {
  now: Date;
  site: Pick<Site, "plant">;
  plan: SitePlan | undefined;
  slots: readonly SlotPlan[];
  live: LiveState;
}

/** What happens now and why, and the next change, in sentences that end without a full stop; and whether the battery charges. */
export interface PresentAndNext {
  present: string;
  /** Left out where there is no plan for the battery. */
  next?: string;
  isCharging: boolean;
  /** Why the plan does what is done now. */
  reason?: StepReason | undefined;
}

/** Names the battery (without one the device that acts), a price or the sun as the reason, and the time of the next change. Pure. */
export function presentAndNext(house: PresentFacts, format: Format): PresentAndNext {
  const { plan, site } = house;
  const { headline, now: texts } = textsOf(format.language).dashboard;
  if (site.plant.battery === null && house.slots.length > 0) {
    const none = texts.device.none(format.number(priceAt(house, house.now), 1));
    return { present: deviceSentence(house, format) ?? none, isCharging: false };
  }
  const waitsFor = missingFor({ plan, plant: site.plant, hasPrices: house.hours !== undefined });
  if (waitsFor !== undefined) return { present: headline.missing[waitsFor], isCharging: false };
  const present = presentDoing(house);
  const because = reasonOf(present, house, format);
  const now = present.isUnknown
    ? texts.notConnected(texts.would[present.action])
    : present.isObeyed
      ? texts.does[present.action]
      : texts.asPlanned(texts.does[present.action]);
  const next = nextChange(house, present.action);
  return {
    present: `${now}, ${because}`,
    next: next === undefined ? texts.unchanged : nextText(next, house, format),
    isCharging: present.action === "grid_charge",
    reason: present.reason,
  };
}

/** The sentences as they stand on a page. */
export function presentText({ present, next }: PresentAndNext): string {
  return [present, next].flatMap((sentence) => (sentence === undefined ? [] : [`${sentence}.`])).join(" ");
}

const LONGEST = 255;

/** What happens now and next, in at most 255 characters: the battery, then the device that runs or runs next. */
export function nowAndNext(house: PresentFacts, format: Format): string {
  const device = house.site.plant.battery === null ? undefined : deviceSentence(house, format);
  const text = [
    presentText(presentAndNext(house, format)),
    ...(device === undefined ? [] : [`${device}.`]),
  ].join(" ");
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1)}…`;
}

interface Doing {
  action: Action;
  /** Undefined: no reason of the plan fits what is measured. */
  reason: StepReason | undefined;
  /** Nothing is known of the battery: the plan would do this. */
  isUnknown: boolean;
  /** Nothing contradicts that the battery does it. */
  isObeyed: boolean;
}

/** What the battery does, as measured; without a measurement as planned. */
function presentDoing(house: PresentFacts): Doing {
  const { plan, now } = house;
  const planned = presentAction(plan, now);
  const action = planned?.action ?? "idle";
  const { battery, grid, pv } = measuredPowers(house);
  const { following, socStale, chargeNow } = plan!.scalars;
  // Charging that is planned but not commanded, such as without a SOC, is not what happens.
  const commanded =
    action === "grid_charge" && chargeNow !== 1 ? "idle" : chargeNow === 1 ? "grid_charge" : action;
  const ofPlan = { action: commanded, reason: commanded === action ? planned?.reason : undefined };
  if (!isFresh(battery)) {
    const isUnknown = battery === undefined && (house.live.soc_pct === undefined || socStale);
    return { ...ofPlan, isUnknown, isObeyed: following !== "no" && !(following === "unknown" && socStale) };
  }
  const { kw } = battery;
  const gridKw = isFresh(grid) ? grid.kw : 0;
  const pvKw = isFresh(pv) ? pv.kw : 0;
  const measured: Action =
    kw > IDLE_KW
      ? gridKw > kw / 2 && pvKw < kw
        ? "grid_charge"
        : "pv_charge"
      : kw < -IDLE_KW
        ? -gridKw > -kw / 2
          ? "export"
          : "discharge"
        : commanded === "hold"
          ? "hold"
          : "idle";
  return {
    action: measured,
    reason: measured === commanded ? ofPlan.reason : undefined,
    isUnknown: false,
    isObeyed: true,
  };
}

/** The reason as half a sentence with a price or the sun. */
function reasonOf({ action, reason }: Doing, house: PresentFacts, format: Format): string {
  const { because } = textsOf(format.language).dashboard.now;
  const figures = reason?.figures ?? {};
  const ct = (value: number | undefined) => ctText(value, format);
  const price = ct(figures.importCtKwh ?? priceAt(house, house.now));
  switch (reason?.code) {
    case "pv_surplus":
      return because.sun;
    case "paid_to_charge":
      return because.paid(price);
    case "export_pays":
      return because.fedIn(ct(figures.exportCtKwh));
    case "pv_later":
      return because.room(ct(figures.exportCtKwh));
    case "standby":
    case "kept_for_later":
      return figures.laterAtMs === undefined
        ? because.kept(price)
        : because.later(price, ct(figures.laterCtKwh), format.time(new Date(figures.laterAtMs)));
    case "empty":
      return because.empty(price);
    case "import_limit":
    case "import_limit_ahead":
      return because.limit;
    case "override":
      return because.byHand;
    case "nothing_to_do":
      return because.nothing(price);
    default:
      return action === "pv_charge" ? because.sun : because.price(price);
  }
}

/** The price at a time, of the settlement period; where no forecast reaches it, that of the plan. */
function priceAt(house: PresentFacts, at: Date): number | undefined {
  const planned = house.plan?.days.flatMap((day) => day.hours).find((one) => contains(one, at));
  return importPriceAt(house, at) ?? planned?.totalCtKwh;
}

interface Change {
  start: Date;
  action: Action;
  priceCtKwh: number | undefined;
}

/** The next time from which the battery does something else for half an hour or longer. */
function nextChange(house: PresentFacts, present: Action): Change | undefined {
  const { plan, now } = house;
  const steps =
    plan !== undefined && plan.steps.length > 0 ? plan.steps : plan?.days.flatMap((day) => day.hours);
  const runs: (Interval & { action: Action })[] = [];
  for (const { start, end, action } of steps ?? []) {
    const last = runs.at(-1);
    if (last?.action === action && last.end.getTime() === start.getTime()) last.end = end;
    else runs.push({ start, end, action });
  }
  const found = runs.find(
    ({ start, end, action }) =>
      start > now && action !== present && end.getTime() - start.getTime() >= SHORTEST_MS,
  );
  if (found === undefined) return undefined;
  const { start, action } = found;
  return { start, action, priceCtKwh: priceAt(house, start) };
}

function nextText({ start, action, priceCtKwh }: Change, { now }: PresentFacts, format: Format): string {
  const { next } = textsOf(format.language).dashboard.now;
  return next[action](whenText(start, now, format), ctText(priceCtKwh, format));
}

const ctText = (value: number | undefined, format: Format) =>
  format.number(value, value !== undefined && Math.abs(value) < 10 ? 1 : 0);

/** `13:00`, `morgen 13:00`, or with the weekday. */
function whenText(at: Date, now: Date, format: Format): string {
  const [date, today] = [localDate(at, format.zone), localDate(now, format.zone)];
  if (date === today) return format.time(at);
  const isNight = date === addDays(today, 1) && at.getTime() - now.getTime() < 10 * HOUR_MS;
  return isNight ? format.time(at) : format.moment(at, now);
}

/** The device that runs, or runs next, where there is no battery with the sun or the price as the reason; undefined: none does. */
function deviceSentence(house: PresentFacts, format: Format): string | undefined {
  const { device } = textsOf(format.language).dashboard.now;
  const { now, site, slots } = house;
  const runs = slots
    .flatMap((plan) =>
      deviceRuns(plan, now, new Date(now.getTime() + 7 * 24 * HOUR_MS)).map((run) => ({ plan, run })),
    )
    .sort((a, b) => a.run.start.getTime() - b.run.start.getTime());
  const [first] = runs;
  if (first === undefined) return undefined;
  const { plan, run } = first;
  const label = deviceLabel(plan.settings, format.language);
  const isNow = run.start <= now;
  const when = isNow ? format.time(run.end) : format.span(run, now);
  // A battery may give the energy: then neither sun nor price is the reason.
  if (site.plant.battery !== null) return isNow ? device.until(label, when) : device.at(label, when);
  const { energyKwh = 0, surplusKwh = 0 } = coveredBySurplus(plan, [run]) ?? {};
  const isFollowing = slotMoment(plan, now)?.chargeNow === 1 && (plan.followedKw ?? 0) > 0;
  if (surplusKwh > energyKwh / 2 || (isNow && isFollowing))
    return isNow ? device.sun(label, when) : device.sunNext(label, when);
  const ct = format.number(isNow ? priceAt(house, now) : (meanPrice(house, run) ?? run.averageCtKwh), 1);
  return isNow ? device.now(label, when, ct) : device.next(label, when, ct);
}

/** The mean price of a run, ct/kWh; undefined where none is known. */
function meanPrice(house: PresentFacts, { start, end }: Interval): number | undefined {
  const prices: number[] = [];
  for (let ms = start.getTime(); ms < end.getTime(); ms += QUARTER_MS) {
    const price = priceAt(house, new Date(ms));
    if (price !== undefined) prices.push(price);
  }
  return prices.length === 0 ? undefined : prices.reduce((sum, price) => sum + price, 0) / prices.length;
}
