import { PLAN_FIELDS, type PlanField } from "./plan-fields.js";
import type { Quartile } from "./price.js";

type Fields = typeof PLAN_FIELDS;

export type FieldName = keyof Fields;

export const FIELD_NAMES = Object.keys(PLAN_FIELDS) as FieldName[];

/** The entry of a field. */
export const planField = (name: FieldName): PlanField => PLAN_FIELDS[name];

type ValueOf<Kind> = Kind extends readonly (infer Text)[]
  ? Text
  : Kind extends "flag"
    ? 0 | 1
    : Kind extends "boolean"
      ? boolean
      : Kind extends "quartile"
        ? Quartile
        : Kind extends "time"
          ? Date
          : Kind extends "hash"
            ? string
            : number;

/** The scalars of a plan: values that apply now or to the whole horizon. */
export type PlanScalars = {
  -readonly [Name in FieldName as Fields[Name]["scalar"]]:
    | ValueOf<Fields[Name]["kind"]>
    | (Fields[Name] extends { nullable: true } ? null : never);
};

/** The scalars that are known without a plan. */
export type PriceScalars = Pick<
  PlanScalars,
  { [Name in FieldName]: Fields[Name] extends { isPrice: true } ? Fields[Name]["scalar"] : never }[FieldName]
>;

type NamesWith<Facet extends keyof PlanField> = {
  [Name in FieldName]: Fields[Name] extends Record<Facet, unknown> ? Name : never;
}[FieldName];

/** Fields with an output, with an entity in Home Assistant, and with an input in Loxone. */
export type OutputField = NamesWith<"output">;
export type HomeAssistantField = NamesWith<"homeAssistant">;
export type LoxoneField = NamesWith<"loxone">;

export type OutputName = Fields[OutputField]["output"];

const outputNumber = (name: string) => Number(name.slice(1));

/** The field of each output, from O1 on. */
export const OUTPUT_FIELDS = Object.fromEntries(
  FIELD_NAMES.flatMap((name) => {
    const { output } = planField(name);
    return output === undefined ? [] : [[output, name] as const];
  }).sort(([a], [b]) => outputNumber(a) - outputNumber(b)),
) as Record<OutputName, OutputField>;

export const OUTPUT_NAMES = Object.keys(OUTPUT_FIELDS) as OutputName[];

/** The fields of each of several batteries, in the order of their part of the answer. */
export const BATTERY_FIELDS = [
  "soc_age_minutes",
  "soc_stale",
  "charge_now",
  "charge_power_kw",
  "charge_stop_soc_pct",
  "discharge_power_kw",
  "charge_cap_kw",
  "discharge_set_kw",
  "following",
  "following_cause",
  "following_since",
] as const satisfies readonly FieldName[];

/** The scalars of one of several batteries. */
export type BatteryScalars = Pick<PlanScalars, Fields[(typeof BATTERY_FIELDS)[number]]["scalar"]>;

/** The topic of a field below its plant or battery; undefined without one. */
export function topicOf(name: FieldName): string | undefined {
  const { topic } = planField(name);
  return topic === null ? undefined : (topic ?? name);
}

/** The fields with a topic, the outputs first: controllers that use charge_now need not wait for the others. */
export const TOPIC_FIELDS: readonly FieldName[] = [
  ...Object.values(OUTPUT_FIELDS),
  ...FIELD_NAMES.filter((name) => planField(name).output === undefined),
].filter((name) => topicOf(name) !== undefined);

/** The fields whose change is material for consumers. */
export const LIMIT_FIELDS = FIELD_NAMES.filter((name) => planField(name).isLimit) as NamesWith<"isLimit">[];

/** Their scalars. */
export const LIMIT_SCALARS = LIMIT_FIELDS.map((name) => PLAN_FIELDS[name].scalar);
