import type { FromSchema } from "json-schema-to-ts";
import { BATTERY_MODES } from "../core/domain/battery.js";
import {
  BATTERY_FIELDS,
  FIELD_NAMES,
  type FieldName,
  OUTPUT_FIELDS,
  planField,
} from "../core/domain/plan-field-lists.js";
import type { PlanField } from "../core/domain/plan-fields.js";
import { READINGS } from "../core/domain/sample.js";
import { each } from "../core/shape.js";
import { localeSchema } from "./language.js";
import { accessSchema, errorSchema, objectOf, timeSchema, timezoneSchema } from "./schemas.js";
import { batteryOverrideSchema, recipeSchema } from "./windows-schema.js";

/** Of a capacity in kWh and of a power in kW: smaller ones give no numbers that can be computed with. */
const LEAST = 0.001;
const percent = { type: "number", minimum: 0, maximum: 100 } as const;
const hourlyKwh = {
  type: "array",
  minItems: 1,
  maxItems: 168,
  items: { type: "number", minimum: 0, maximum: 10_000 },
} as const;

function power(reading: "pv_power_kw" | "ev_power_kw") {
  return { type: "number", minimum: READINGS[reading].min, maximum: READINGS[reading].max } as const;
}

/** The request of hours-demand, docs/spec/http-api.md section 8. Everything is optional. */
export const hoursDemandRequest = {
  type: "object",
  properties: {
    mode: {
      type: "string",
      enum: ["decide", "telemetry"],
      description: "decide (default) answers with the plan; telemetry stores the body as telemetry.",
    },
    timezone: timezoneSchema,
    locale: localeSchema,
    battery: {
      type: "object",
      properties: {
        soc_pct: { ...percent, description: "State of charge now." },
        capacity_kwh: { type: "number", minimum: LEAST, maximum: 100_000 },
        min_soc_pct: percent,
        max_soc_pct: percent,
        max_charge_power_kw: { type: "number", minimum: LEAST, maximum: 10_000 },
        max_discharge_power_kw: { type: "number", minimum: 0, maximum: 10_000 },
        efficiency_pct: { type: "number", minimum: 1, maximum: 100, description: "Round trip." },
        grid_charge_allowed: { type: "boolean" },
      },
    },
    meter: {
      type: "object",
      description: "Cumulative counters.",
      properties: {
        import_kwh: { type: "number", minimum: 0, maximum: 1e9 },
        export_kwh: { type: "number", minimum: 0, maximum: 1e9 },
      },
    },
    load: {
      type: "object",
      properties: {
        power_kw: {
          type: "number",
          minimum: 0,
          maximum: 10_000,
          description: "Current load of the home without the electric car.",
        },
        daily_kwh: { type: "number", minimum: 0, maximum: 100_000 },
        hourly_kwh: {
          ...hourlyKwh,
          description: "24 values: a profile by local clock hour; otherwise starting at the current hour.",
        },
        ev_power_kw: power("ev_power_kw"),
      },
    },
    pv: {
      type: "object",
      properties: {
        power_kw: power("pv_power_kw"),
        daily_kwh: {
          type: "array",
          minItems: 1,
          maxItems: 7,
          items: { type: "number", minimum: 0, maximum: 100_000 },
          description: "One value per local day, starting today.",
        },
        hourly_kwh: {
          ...hourlyKwh,
          description: "Starting at the current hour; 24 values are a profile by local clock hour.",
        },
      },
    },
  },
} as const;

export type HoursDemandRequest = FromSchema<typeof hoursDemandRequest>;

const number = { type: "number" } as const;
const text = { type: "string" } as const;
const interval = { start: timeSchema, end: timeSchema };
const why = { reason: text, reason_text: text };
const nullableNumber = { type: ["number", "null"] } as const;

const ANSWERED = FIELD_NAMES.filter((name) => planField(name).in !== "outputs");

function schemaOf({ kind, nullable, optional }: PlanField): object {
  if (typeof kind === "object") return { enum: kind };
  if (kind === "flag") return { type: "integer", enum: [0, 1] };
  if (kind === "boolean") return { type: "boolean" };
  if (kind === "hash") return { type: "string", pattern: "^[0-9a-f]{16}$" };
  if (kind === "time") return timeSchema;
  return nullable && !optional ? nullableNumber : number;
}

/** The schemas of fields of the plan. */
function fieldSchemas<Name extends FieldName>(names: readonly Name[]): Record<Name, object> {
  return Object.fromEntries(
    names.map((name) => {
      const field = planField(name);
      return [name, { ...schemaOf(field), description: `${field.description}.` }];
    }),
  ) as Record<Name, object>;
}

const { hours_needed, hours_needed_today, energy_charge_kwh, ...others } = fieldSchemas(
  ANSWERED.filter((name) => !planField(name).optional),
);

const hour = objectOf({
  ...interval,
  ...each(["price_ct_kwh", "total_ct_kwh"], number),
  source: text,
  ...each(["load_kwh", "pv_kwh", "charge_kwh", "discharge_kwh", "import_kwh", "export_kwh"], number),
  soc_end_pct: number,
  soc_p10_pct: { ...number, description: "SOC at the end that one sampled load in ten stays below." },
  soc_p90_pct: number,
  mode: { enum: BATTERY_MODES },
  action: { enum: ["grid_charge", "pv_charge", "discharge", "export", "hold", "idle"] },
  ...why,
});

const day = objectOf({
  date: text,
  ...each(["hours_needed", "energy_charge_kwh", "load_kwh", "pv_kwh", "import_kwh", "export_kwh"], number),
  ...each(["soc_start_pct", "soc_end_pct", "soc_min_pct", "cost_eur", "baseline_cost_eur"], number),
  cover: { enum: ["satisfied", "unsatisfied"] },
  hours: { type: "array", items: hour },
});

const chargeRun = objectOf({
  ...interval,
  ...each(["energy_kwh", "power_kw", "price_ct_kwh", "total_ct_kwh"], number),
  prefix: { type: "boolean" },
  provisional: { type: "boolean", description: "Based on forecast prices only; never sets charge_now." },
  ...why,
});

/** The parts of several batteries in the plan. */
export const batteryPartsSchema = {
  type: "array",
  description:
    "The parts of the batteries, where the plant has several with an id; the other fields are all together.",
  items: objectOf({
    id: text,
    label: text,
    soc_pct: { ...number, description: "SOC that the plan starts from." },
    ...fieldSchemas(BATTERY_FIELDS),
  }),
} as const;

export const hoursDemandResponse = objectOf(
  {
    schema: { const: "hours_demand_v1.11" },
    timezone: text,
    issued_at: timeSchema,
    hours_needed,
    hours_needed_today,
    energy_charge_kwh,
    hours_demand_url: text,
    ...others,
    savings_eur: {
      ...number,
      description:
        "Expected saving against the uncontrolled battery, with the same energy stored at the end: the sum of baseline_cost_eur less cost_eur of the days.",
    },
    horizon_binding: { type: "boolean" },
    expectation: objectOf({
      cost_eur: {
        ...number,
        description:
          "Energy and grid for all planned load, less feed-in, without fixed amounts: the sum of cost_eur of the days.",
      },
      cost_p10_eur: number,
      cost_p90_eur: number,
      saving_eur: { ...number, description: "Equals savings_eur." },
    }),
    access: accessSchema,
    charge_hours: { type: "array", items: chargeRun },
    charge_hours_today: { type: "array", items: objectOf(interval) },
    day_plan: { type: "array", items: day },
    outputs: objectOf(
      Object.fromEntries(
        Object.entries(OUTPUT_FIELDS).map(([output, name]) => [
          output,
          planField(name).nullable ? nullableNumber : number,
        ]),
      ),
    ),
    recipes: { type: "array", items: recipeSchema },
    solver: objectOf({ objective_eur: number, bound_eur: number, ms: number }),
  },
  {
    other_values: {
      type: "array",
      description:
        "Fields of the request that replaced known values; the figures are not those of the plan in force.",
      items: text,
    },
    battery_override: {
      ...batteryOverrideSchema,
      description: "Only while an override of the battery is in force.",
    },
    batteries: batteryPartsSchema,
    ...fieldSchemas(ANSWERED.filter((name) => planField(name).optional)),
  },
);

/** The answer to a basic caller: access and error, with mode telemetry also `accepted: 0`. */
export const hoursDemandReduced = objectOf(
  { error: errorSchema, access: accessSchema },
  { accepted: { const: 0 }, duplicates: { const: 0 } },
);
