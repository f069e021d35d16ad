import { SITE_READINGS, type SiteReading } from "../../core/domain/sample.js";
import type { Texts } from "../../texts/index.js";

type LoxoneTexts = Texts["loxone"];
type InputKey = keyof LoxoneTexts["inputs"];

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

type InputRow = readonly [key: InputKey, min: number, max: number, unit: string, topic?: string];

/** The values in the order of the template: those that control devices come first. */
const INPUTS: readonly InputRow[] = [
  ["OK", 0, 1, "<v>"],
  ["AGE", -1, MAX, "<v> s"],
  ["O1", 0, 1, "<v>", "outputs/O1"],
  ["O2", 0, MAX, "<v.2> kW", "outputs/O2"],
  ["O12", 0, MAX, "<v.2> kW", "outputs/O12"],
  ["O14", 0, MAX, "<v.2> kW", "outputs/O14"],
  ["O15", -1, MAX, "<v.2> kW", "outputs/O15"],
  ["O16", 0, MAX, "<v.2> kW", "outputs/O16"],
  ["O9", 0, 100, "<v.1> %", "outputs/O9"],
  ["O11", 0, 100, "<v.1> %", "outputs/O11"],
  ["O13", 0, 1, "<v>", "outputs/O13"],
  ["O6", -1, MAX_MINUTES, "<v> min", "outputs/O6"],
  ["O3", 0, MAX, "<v.2> h", "outputs/O3"],
  ["O4", 0, MAX, "<v.2> h", "outputs/O4"],
  ["O5", 0, MAX, "<v.1> kWh", "outputs/O5"],
  ["PRICE", -MAX, MAX, "<v.2> ct/kWh", "price/now_ct_kwh"],
  // 0, the default of the template, is no quarter: 1 would report the cheapest one before the first answer.
  ["O7", 0, 4, "<v>", "price/quartile"],
  ["O10", 0, 1, "<v>", "outputs/O10"],
  ["SOC", -1, 100, "<v.1> %"],
  ["SOC_AGE", -1, MAX, "<v> min"],
];

/** The values of the template, with those of the assigned slots at the end. */
export function loxoneInputs(
  texts: LoxoneTexts,
  slots: readonly { slot: number; label: string }[],
): LoxoneInput[] {
  const inputs = INPUTS.map(([key, min, max, unit, topic]) => ({
    key,
    name: texts.inputs[key],
    min,
    max,
    unit,
    ...(topic !== undefined && { topic }),
  }));
  return [...inputs, ...slots.flatMap((slot) => slotInputs(texts, slot))];
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
  ["pv_power_kw", "<v.3>"],
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
