import { FIELD_NAMES, type LoxoneField, planField, topicOf } from "../../core/domain/plan-field-lists.js";
import { SITE_READINGS, type SiteReading } from "../../core/domain/sample.js";
import type { Texts } from "../../texts/index.js";

type LoxoneTexts = Texts["loxone"];

/** A value that a Miniserver reads from the line document. */
export interface LoxoneInput {
  /** Its key in the line. */
  key: string;
  name: string;
  min: number;
  max: number;
  /** In the notation of Loxone. */
  unit: string;
  /** Topic below the plant that carries the same value. */
  topic?: string;
}

/** The default limit of 10 000 in Loxone would truncate a timestamp or a meter reading. */
const MAX = 1_000_000;
const MAX_MINUTES = 10_080;

/** Range and unit of a value by its kind. */
const FORMATS = {
  flag: [0, 1, "<v>"],
  boolean: [0, 1, "<v>"],
  // 0, the default of the template, is no quarter: 1 would report the cheapest one before the first answer.
  quartile: [0, 4, "<v>"],
  min: [-1, MAX_MINUTES, "<v> min"],
  h: [0, MAX, "<v.2> h"],
  kW: [0, MAX, "<v.2> kW"],
  kWh: [0, MAX, "<v.1> kWh"],
  "%": [0, 100, "<v.1> %"],
  "ct/kWh": [-MAX, MAX, "<v.2> ct/kWh"],
} as const satisfies Record<string, readonly [min: number, max: number, unit: string]>;

/** The outputs in the order of the template: those that control devices come first. */
const FIELDS = FIELD_NAMES.flatMap((name) => {
  const { loxone, kind, nullable, output, isPrice } = planField(name);
  if (loxone === undefined) return [];
  const [min, max, unit] = FORMATS[kind as keyof typeof FORMATS];
  const topic = isPrice ? topicOf(name)! : `outputs/${output}`;
  const input = { key: loxone.key ?? output!, min: nullable ? -1 : min, max, unit, topic };
  return [{ field: name as LoxoneField, rank: loxone.rank, input }];
}).sort((a, b) => a.rank - b.rank);

/** The values of the template, with those of the assigned slots at the end. */
export function loxoneInputs(
  texts: Pick<Texts, "loxone" | "planFields">,
  slots: readonly { slot: number; label: string }[],
): LoxoneInput[] {
  const named = (key: keyof LoxoneTexts["inputs"], min: number, max: number, unit: string) => ({
    key,
    name: texts.loxone.inputs[key],
    min,
    max,
    unit,
  });
  return [
    named("OK", 0, 1, "<v>"),
    named("AGE", -1, MAX, "<v> s"),
    ...FIELDS.map(({ field, input }) => ({ ...input, name: texts.planFields[field].loxone })),
    named("SOC", -1, 100, "<v.1> %"),
    named("SOC_AGE", -1, MAX, "<v> min"),
    ...slots.flatMap((slot) => slotInputs(texts.loxone, slot)),
  ];
}

function slotInputs(texts: LoxoneTexts, assigned: { slot: number; label: string }): LoxoneInput[] {
  const { slot } = assigned;
  const device = deviceName(texts, assigned);
  return [
    {
      key: `S${slot}`,
      name: texts.slotOn(device),
      min: 0,
      max: 1,
      unit: "<v>",
      topic: `slots/${slot}/charge_now`,
    },
    { key: `N${slot}`, name: texts.slotStart(device), min: -1, max: MAX_MINUTES, unit: "<v> min" },
  ];
}

/** The label of a slot; its number where it has none. */
export function deviceName(texts: LoxoneTexts, { slot, label }: { slot: number; label: string }): string {
  return label === "" ? texts.slot(slot) : label;
}

/** A reading that a Miniserver sends. */
export interface LoxoneReading {
  field: SiteReading;
  name: string;
  /** Placeholder of the value in the notation of Loxone. */
  value: string;
  min: number;
  max: number;
}

/** The readings in the order of the template, with the placeholder of their value. */
const READINGS_SENT: readonly (readonly [field: SiteReading, value: string])[] = [
  ["soc_pct", "<v.1>"],
  ["import_kwh", "<v.3>"],
  ["export_kwh", "<v.3>"],
  ["pv_kwh", "<v.3>"],
  ["charge_kwh", "<v.3>"],
  ["discharge_kwh", "<v.3>"],
  ["pv_power_kw", "<v.3>"],
  ["grid_power_kw", "<v.3>"],
  ["load_power_kw", "<v.3>"],
  ["battery_power_kw", "<v.3>"],
  ["ev_power_kw", "<v.3>"],
  ["ev_connected", "<v>"],
];

/** The readings of the template; their ranges are those that the gateway accepts. */
export function loxoneReadings(texts: LoxoneTexts): LoxoneReading[] {
  return READINGS_SENT.map(([field, value]) => ({
    field,
    name: texts.readings[field],
    value,
    ...SITE_READINGS[field],
  }));
}
