import { OUTPUT_NAMES, OUTPUTS } from "../../../core/domain/outputs.js";
import { SIGNALS } from "../../../core/domain/price.js";
import { scalarText } from "./number-text.js";
import type { Topics } from "./topics.js";

export interface MirrorOptions {
  topics: Topics;
  /** The hours-demand answer of the plant's plan; undefined while there is none. */
  planDocument(plant: string): object | undefined;
  /** The forecast answer for the plant; undefined while there is none. */
  forecastDocument(plant: string): object | undefined;
  /** The PV forecast of the plant; undefined while there is none. */
  pvForecastDocument?(plant: string): object | undefined;
  /** Savings of the plant so far, EUR; null or undefined while they are not known. */
  savings?(plant: string): { todayEur: number | null; monthEur: number | null } | undefined;
  /** The outputs that do not need a plan (price and quartile), by name. */
  outputsWithoutPlan(plant: string): Record<string, unknown>;
  /** Sets a retained value; only changes are published. */
  setValue(topic: string, payload: string): void;
}

/** Topics below the site, each with the scalar of the plan document that each contains; prices are also known without a plan. */
export const PLAN_TOPICS: Readonly<Record<string, string>> = Object.fromEntries([
  ...Object.values(OUTPUTS)
    .filter(({ topic }) => !/^(outputs|price)\//.test(topic))
    .map(({ topic, field }) => [topic, field]),
  ...[
    "prefix_hours_needed_today",
    "prefix_period_hours_today",
    "prefix_energy_charge_kwh",
    "plan_hash",
    "soc_age_minutes",
    "soc_stale",
    "following",
    "following_cause",
  ].map((field) => [field, field]),
  ["discharge/reason", "discharge_reason"],
  ["charge/cap_reason", "charge_cap_reason"],
  ["grid/import_target_kw", "import_target_kw"],
]);

/** Topics below `batteries/<id>`, each with its field of the battery's part; as those of the plan. */
export const BATTERY_TOPICS: Readonly<Record<string, string>> = {
  charge_now: "charge_now",
  charge_power_kw: "charge_power_kw",
  charge_stop_soc_pct: "charge_stop_soc_pct",
  "discharge/power_kw": "discharge_power_kw",
  "charge/cap_kw": "charge_cap_kw",
  "discharge/set_kw": "discharge_set_kw",
  soc_pct: "soc_pct",
  soc_age_minutes: "soc_age_minutes",
  soc_stale: "soc_stale",
  following: "following",
  following_cause: "following_cause",
};

/** Publishes plans, forecasts and savings on the plants' topics, with the values of /v1. */
export interface Mirror {
  plan(plant: string): void;
  forecast(plant: string): void;
  pvForecast(plant: string): void;
  savings(plant: string): void;
}

export function createMirror(options: MirrorOptions): Mirror {
  const { topics, setValue } = options;

  const publishedBatteries = new Map<string, ReadonlySet<string>>();

  /** The parts of the batteries; topics of those that are gone are removed. */
  const batteries = (plant: string, parts: readonly Record<string, unknown>[]) => {
    const present = new Map(parts.map((part) => [String(part.id), part]));
    for (const id of new Set([...present.keys(), ...(publishedBatteries.get(plant) ?? [])]))
      for (const [name, key] of Object.entries(BATTERY_TOPICS))
        setValue(topics.of(plant, `batteries/${id}/${name}`), scalarText(present.get(id)?.[key]));
    publishedBatteries.set(plant, new Set(present.keys()));
  };

  const price = (plant: string, outputs: Record<string, unknown>) => {
    setValue(topics.of(plant, "price/now_ct_kwh"), scalarText(outputs.O8));
    setValue(topics.of(plant, "price/quartile"), scalarText(outputs.O7));
    setValue(topics.of(plant, "price/signal"), scalarText(SIGNALS[Number(outputs.O7) - 1]));
  };

  return {
    plan: (plant) => {
      const document = withoutAccess(options.planDocument(plant));
      const scalars: Record<string, unknown> = document ?? {};
      const outputs = (scalars.outputs ?? options.outputsWithoutPlan(plant)) as Record<string, unknown>;
      // Scalars before the documents: controllers that use charge_now should not wait for the large plan.
      for (const [name, key] of Object.entries(PLAN_TOPICS))
        setValue(topics.of(plant, name), scalarText(scalars[key]));
      setValue(topics.of(plant, "charge/next_start"), scalarText(nextStart(scalars)));
      const { override, override_until } = (scalars.battery_override ?? {}) as Record<string, unknown>;
      setValue(
        topics.of(plant, "battery/override"),
        document === undefined ? "" : scalarText(override ?? "auto"),
      );
      setValue(topics.of(plant, "battery/override_until"), scalarText(override_until));
      batteries(plant, (scalars.batteries ?? []) as readonly Record<string, unknown>[]);
      for (const name of OUTPUT_NAMES)
        setValue(topics.of(plant, `outputs/${name}`), scalarText(outputs[name]));
      setValue(topics.of(plant, "outputs"), Object.keys(outputs).length === 0 ? "" : JSON.stringify(outputs));
      price(plant, outputs);
      setValue(topics.of(plant, "plan"), document === undefined ? "" : JSON.stringify(document));
    },
    forecast: (plant) => {
      const document = withoutAccess(options.forecastDocument(plant));
      setValue(topics.of(plant, "forecast"), document === undefined ? "" : JSON.stringify(document));
    },
    pvForecast: (plant) => {
      const document = withoutAccess(options.pvForecastDocument?.(plant));
      setValue(topics.of(plant, "pv_forecast"), document === undefined ? "" : JSON.stringify(document));
    },
    savings: (plant) => {
      const { todayEur, monthEur } = options.savings?.(plant) ?? { todayEur: null, monthEur: null };
      setValue(topics.of(plant, "savings/today_eur"), scalarText(todayEur));
      setValue(topics.of(plant, "savings/month_eur"), scalarText(monthEur));
    },
  };
}

/** Start of the first charge run that has not begun when the plan is issued. */
function nextStart({ charge_hours: runs, issued_at }: Record<string, unknown>): string | undefined {
  const issued = Date.parse(String(issued_at));
  return ((runs ?? []) as { start: string }[]).find(({ start }) => Date.parse(start) > issued)?.start;
}

/** The document without its access object, which describes the caller's key. */
function withoutAccess(document: object | undefined): Record<string, unknown> | undefined {
  if (document === undefined) return undefined;
  const { access: _access, ...rest } = document as Record<string, unknown>;
  return rest;
}
