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

/** The outputs as numbers or null (docs/spec/outputs-and-plan.md section 1), those that are among the fields. */
export function outputsOf(fields: PlanFields): Partial<Record<OutputName, number | null>> {
  return Object.fromEntries(
    Object.entries(OUTPUT_FIELDS).flatMap(([output, name]) => {
      const value = fields[name];
      return value === undefined ? [] : [[output, value === null ? null : Number(value)]];
    }),
  );
}
