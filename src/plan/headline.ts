import type { PlantSettings } from "../config/settings.js";
import { contains } from "../core/domain/interval.js";
import type { Format } from "../texts/format.js";
import { textsOf } from "../texts/index.js";
import type { StepReason } from "./explain.js";
import type { ChargeRun, Missing, PlanHour, SitePlan } from "./site-plan.js";
import { deviceLabel, type SlotPlan } from "./windows/slot-schedule.js";

/** What the sentences about a site are made of. */
export interface HeadlineFacts {
  now: Date;
  plant: Pick<PlantSettings, "battery">;
  plan: SitePlan | undefined;
  /** Prices are known. */
  hasPrices: boolean;
}

/** What the battery does now and why, and what it does next. The sentences end without a full stop. */
export interface HeadlineSentences {
  sentence: string;
  isCharging: boolean;
  reason: StepReason | undefined;
  /** The next charging from the grid; left out where the sentence says it. */
  ahead?: { sentence: string; reason: StepReason | undefined };
}

/** What is missing for a plan; undefined if there is one. */
export function missingFor({ plan, plant, hasPrices }: HeadlineFacts): Missing | undefined {
  if (plan !== undefined) return undefined;
  if (plant.battery === null) return "battery";
  return hasPrices ? "soc" : "prices";
}

/** The current charge run and the next one. */
export function presentRuns(
  plan: SitePlan | undefined,
  now: Date,
): { current: ChargeRun | undefined; next: ChargeRun | undefined } {
  const runs = plan?.chargeHours ?? [];
  const current = plan?.scalars.chargeNow === 1 ? runs.find((run) => contains(run, now)) : undefined;
  return { current, next: runs.find((run) => run !== current && run.end > now) };
}

/** The planned action of the present step and its reason; of the hour in plans that were stored without it. */
export function presentAction(
  plan: SitePlan | undefined,
  now: Date,
): Pick<PlanHour, "action" | "reason"> | undefined {
  const step = plan?.steps.find((one) => contains(one, now));
  if (step?.reason !== undefined) return { action: step.action, reason: step.reason };
  return plan?.days.flatMap((day) => day.hours).find((one) => contains(one, now));
}

/** The sentences about the battery, as the overview shows them. */
export function headlineOf(facts: HeadlineFacts, format: Format): HeadlineSentences {
  const { plan, now } = facts;
  const texts = textsOf(format.language).dashboard.headline;
  const waitsFor = missingFor(facts);
  if (waitsFor !== undefined) {
    const sentence = { battery: texts.noBattery, prices: texts.noPrices, soc: texts.noSoc }[waitsFor];
    return { sentence, isCharging: false, reason: undefined };
  }
  const { current, next } = presentRuns(plan, now);
  const isCharging = plan?.scalars.chargeNow === 1;
  const present = presentDoing(plan, { now, isCharging });
  const ahead = next === undefined ? texts.none : texts.next(format.span(next, now));
  const obeyed = isObeyed(plan);
  const reason = (current ?? present ?? (isCharging ? undefined : next))?.reason;
  if (isCharging) {
    const sentence =
      current === undefined
        ? texts.charging(obeyed)
        : texts.chargingUntil(format.moment(current.end, now), obeyed);
    return { sentence, isCharging, reason };
  }
  if (present === undefined) return { sentence: ahead, isCharging, reason };
  const does = texts.present[present.action];
  return {
    sentence: obeyed ? does : texts.planned(does),
    isCharging,
    reason,
    ahead: { sentence: ahead, reason: next?.reason },
  };
}

type Doing = Exclude<PlanHour["action"], "grid_charge">;

/** What is planned for now; charging that is planned but not commanded (such as without a SOC) is not what happens. */
function presentDoing(
  plan: SitePlan | undefined,
  { now, isCharging }: { now: Date; isCharging: boolean },
): { action: Doing; reason: StepReason } | undefined {
  const present = isCharging ? undefined : presentAction(plan, now);
  if (present === undefined || present.action === "grid_charge") return undefined;
  return { action: present.action, reason: present.reason };
}

/** Whether nothing contradicts that the battery does what it is commanded. */
function isObeyed(plan: SitePlan | undefined): boolean {
  const { following, socStale } = plan?.scalars ?? {};
  return following !== "no" && !(following === "unknown" && socStale === true);
}

const LONGEST = 255;

/** What happens now and next, in at most 255 characters: the battery, then the device that runs or runs next. */
export function nowAndNext(
  { slots, ...facts }: HeadlineFacts & { slots: readonly SlotPlan[] },
  format: Format,
): string {
  const device = deviceSentence(slots, facts.now, format);
  const battery = headlineOf(facts, format);
  const sentences = [
    // A site without a battery is about its devices.
    ...(facts.plant.battery === null && device !== undefined
      ? []
      : [battery.sentence, battery.ahead?.sentence]),
    device,
  ].filter((sentence) => sentence !== undefined);
  const text = sentences.map((sentence) => `${sentence}.`).join(" ");
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1)}…`;
}

function deviceSentence(slots: readonly SlotPlan[], now: Date, format: Format): string | undefined {
  const texts = textsOf(format.language).dashboard.headline;
  const runs = slots
    .flatMap(({ settings, plugged, result }) =>
      plugged === 0 ? [] : (result?.windows ?? []).map(({ start, end }) => ({ settings, start, end })),
    )
    .filter(({ end }) => end > now)
    .sort((a, b) => a.start.getTime() - b.start.getTime());
  const [first] = runs;
  if (first === undefined) return undefined;
  const label = deviceLabel(first.settings, format.language);
  return first.start <= now
    ? texts.deviceUntil(label, format.moment(first.end, now))
    : texts.deviceNext(label, format.span(first, now));
}
