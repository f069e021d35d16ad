import { batteryOverrideDocument } from "../../../api/documents/battery-override.js";
import { batteriesDocument } from "../../../api/documents/hours-demand.js";
import { fieldsOfSettings, outputsOf, planFields } from "../../../api/documents/plan-fields.js";
import type { SiteRuntimes } from "../../../config/site-runtimes.js";
import { MINUTE_MS } from "../../../core/domain/interval.js";
import {
  BATTERY_FIELDS,
  OUTPUT_NAMES,
  type PriceScalars,
  TOPIC_FIELDS,
  topicOf,
} from "../../../core/domain/plan-field-lists.js";
import { SIGNALS } from "../../../core/domain/price.js";
import { moneyEur } from "../../../core/domain/rounding.js";
import { formatIso } from "../../../core/time/zone.js";
import type { SitePlan } from "../../../plan/site-plan.js";
import { scalarText } from "./number-text.js";
import type { PacedValues } from "./paced-values.js";
import type { Topics } from "./topics.js";

export interface MirrorOptions {
  topics: Topics;
  sites: SiteRuntimes;
  plans: {
    /** The plant's plan; undefined while there is none. */
    current(plant: string): SitePlan | undefined;
    /** The current price; undefined while it is not known. */
    present(plant: string): PriceScalars | undefined;
  };
  zoneOf(plant: string): string;
  /** The hours-demand answer of the plant's plan; undefined while there is none. */
  planDocument(plant: string): object | undefined;
  /** The forecast answer for the plant; undefined while there is none. */
  forecastDocument(plant: string): object | undefined;
  pvForecastDocument(plant: string): object | undefined;
  /** The SOC up to which the word `charge` charges the battery; undefined without one. */
  chargeTargetPct(plant: string): number | undefined;
  /** Savings of the plant so far, EUR; null or undefined while they are not known. */
  savings: { now(plant: string): { todayEur: number | null; monthEur: number | null } | undefined };
  /** Sets a retained value; only changes are published. */
  setValue(topic: string, payload: string): void;
  paced: PacedValues;
}

/** A plan has more than 100 kB and changes a little with each reading. */
const PLAN_PACE_MS = MINUTE_MS;

/** Topics below `batteries/<id>`, each with its field of the battery's part. */
export const BATTERY_TOPICS: readonly (readonly [topic: string, field: string])[] = [
  ["soc_pct", "soc_pct"],
  ...BATTERY_FIELDS.flatMap((name) => {
    const topic = topicOf(name);
    return topic === undefined ? [] : [[topic, name] as const];
  }),
];

/** Publishes plans, forecasts and savings on the plants' topics, with the values of /v1. */
export type Mirror = ReturnType<typeof createMirror>;

export function createMirror(options: MirrorOptions) {
  const { paced, plans, sites, topics, setValue } = options;
  const published = sites.parts({ create: () => ({ batteries: new Set<string>() }) });

  /** The parts of the batteries; topics of those that are gone are removed. */
  const batteries = (plant: string, parts: readonly Record<string, unknown>[]) => {
    const present = new Map(parts.map((part) => [String(part.id), part]));
    const part = published.of(plant);
    for (const id of new Set([...present.keys(), ...part.batteries]))
      for (const [topic, field] of BATTERY_TOPICS)
        setValue(topics.of(plant, `batteries/${id}/${topic}`), scalarText(present.get(id)?.[field]));
    part.batteries = new Set(present.keys());
  };

  return {
    /** Values and outputs of the plan. */
    plan: (plant: string): void => {
      const set = (name: string, value: unknown) => setValue(topics.of(plant, name), scalarText(value));
      const plan = plans.current(plant);
      const zone = options.zoneOf(plant);
      const planned = planFields(plan?.scalars ?? plans.present(plant) ?? {}, zone);
      const outputs = outputsOf(planned);
      const settings = plan === undefined ? sites.get(plant)?.plant : undefined;
      const fields = { ...(settings && fieldsOfSettings(settings)), ...planned };
      for (const name of TOPIC_FIELDS) set(topicOf(name)!, fields[name]);
      set("price/signal", SIGNALS[Number(fields.price_quartile) - 1]);
      set("charge/next_start", plan && nextStart(plan, zone));
      const { override, override_until } = batteryOverrideDocument(plan, zone);
      set("battery/override", plan && override);
      set("battery/override_until", override_until);
      set("battery/charge_target_pct", options.chargeTargetPct(plant));
      const ofSettings = settings?.batteries.map((battery) => ({
        id: battery.id,
        ...fieldsOfSettings({ ...settings, battery }),
      }));
      batteries(plant, plan === undefined ? (ofSettings ?? []) : batteriesDocument(plan, zone));
      for (const name of OUTPUT_NAMES) set(`outputs/${name}`, outputs[name]);
      set("outputs", Object.keys(outputs).length === 0 ? "" : JSON.stringify(outputs));
    },
    /** The whole plan, which takes much longer: at once if it `isNew`, else at most once a minute. */
    planDocument: (plant: string, isNew: boolean): void => {
      const text = () => textWithoutAccess(options.planDocument(plant));
      const topic = topics.of(plant, "plan");
      if (isNew) paced.setNow(topic, text);
      else paced.set(topic, PLAN_PACE_MS, text);
    },
    forecast: (plant: string): void =>
      setValue(topics.of(plant, "forecast"), textWithoutAccess(options.forecastDocument(plant))),
    pvForecast: (plant: string): void =>
      setValue(topics.of(plant, "pv_forecast"), textWithoutAccess(options.pvForecastDocument(plant))),
    savings: (plant: string): void => {
      const { todayEur = null, monthEur = null } = options.savings.now(plant) ?? {};
      const set = (name: string, eur: number | null) =>
        setValue(topics.of(plant, `savings/${name}`), eur === null ? "" : scalarText(moneyEur(eur)));
      set("today_eur", todayEur);
      set("month_eur", monthEur);
    },
  };
}

/** Start of the first charge run that has not begun when the plan is issued. */
function nextStart({ chargeHours, issuedAt }: SitePlan, zone: string): string | undefined {
  const next = chargeHours.find(({ start }) => start > issuedAt);
  return next && formatIso(next.start, zone);
}

/** The document without its access object, which describes the caller's key; empty while there is none. */
function textWithoutAccess(document: object | undefined): string {
  if (document === undefined) return "";
  const { access: _access, ...rest } = document as Record<string, unknown>;
  return JSON.stringify(rest);
}
