import type { PlantSettings } from "../../config/settings.js";
import {
  FIELD_NAMES,
  type FieldName,
  OUTPUT_FIELDS,
  type OutputName,
  type PlanScalars,
  planField,
} from "../../core/domain/plan-field-lists.js";
import type { PlanField } from "../../core/domain/plan-fields.js";
import { rounded, sharePct } from "../../core/domain/rounding.js";
import { formatIso } from "../../core/time/zone.js";

/** A field in JSON. */
export type FieldValue = string | number | boolean | null;

export type PlanFields = Partial<Record<FieldName, FieldValue>>;

/** A value as it is published: rounded by its kind. */
export function fieldValue(kind: PlanField["kind"], value: unknown, zone: string): FieldValue {
  if (value instanceof Date) return formatIso(value, zone);
  if (typeof value === "number") return kind === "%" ? sharePct(value) : rounded(value, 4);
  return value as FieldValue;
}

/** The fields of these scalars, in the order of the catalogue; `of` selects some. */
export function planFields(
  scalars: Partial<PlanScalars>,
  zone: string,
  of: readonly FieldName[] = FIELD_NAMES,
): PlanFields {
  const fields: PlanFields = {};
  for (const name of of) {
    const { scalar, kind, optional } = planField(name);
    const value = scalars[scalar as keyof PlanScalars];
    if (value === undefined || (optional && value === null)) continue;
    fields[name] = fieldValue(kind, value, zone);
  }
  return fields;
}

/** The value of a field without a plan, as controllers read it (docs/spec/outputs-and-plan.md section 3). */
export function valueWithoutPlan(
  name: FieldName,
  { battery, grid, timezone }: Pick<PlantSettings, "battery" | "grid" | "timezone">,
): FieldValue {
  const { kind, withoutPlan: fallback = 0 } = planField(name);
  const value =
    fallback === null || typeof fallback !== "object"
      ? fallback
      : "grid" in fallback
        ? grid[fallback.grid]
        : (battery?.[fallback.battery] ?? 0);
  return fieldValue(kind, value, timezone);
}

/** What is known of a battery before its first plan: what the settings say, and that its SOC is not known. */
export function fieldsOfSettings(plant: Pick<PlantSettings, "battery" | "grid" | "timezone">): PlanFields {
  if (!plant.battery) return {};
  const isKnown = (name: FieldName) => {
    const { withoutPlan } = planField(name);
    return name === "soc_stale" || (typeof withoutPlan === "object" && withoutPlan !== null);
  };
  return Object.fromEntries(FIELD_NAMES.filter(isKnown).map((name) => [name, valueWithoutPlan(name, plant)]));
}

/** The outputs as numbers or null (docs/spec/outputs-and-plan.md section 1), those that are among the fields. */
export function outputsOf(fields: PlanFields): Partial<Record<OutputName, number | null>> {
  return Object.fromEntries(
    Object.entries(OUTPUT_FIELDS).flatMap(([output, name]) => {
      const value = fields[name];
      return value === undefined ? [] : [[output, value === null ? null : Number(value)]];
    }),
  );
}
