import type { Language } from "../../core/language.js";
import { textsOf } from "../../texts/index.js";
import type { Field } from "./field-text.js";
import { fieldsOf } from "./fields.js";
import type { Section } from "./sections.js";

/** Most fields that a form shows at once. */
export const MOST_FIELDS = 3;

/** Fields of a section that are asked together, at most three. */
export interface Question {
  id: QuestionId;
  fields: readonly Field[];
}

export type QuestionId = keyof ReturnType<typeof textsOf>["ems"]["questions"];

type Grouped = readonly (readonly [id: QuestionId, ...keys: string[]])[];

const BATTERY = [
  ["power", "max_charge_power_kw", "max_discharge_power_kw", "wear_ct_kwh"],
  ["limits", "min_soc_pct", "max_soc_pct", "reserve_pct"],
  ["allowed", "grid_charge_allowed", "export_allowed"],
  ["controls", "controls"],
] as const;

/** The keys of the fields by section and question; fields that are in none follow as "more". */
const GROUPED: Readonly<Partial<Record<Section, Grouped>>> = {
  place: [
    ["where", "postcode", "latitude", "longitude"],
    ["name", "name", "timezone"],
  ],
  battery: [["size", "model", "capacity_kwh", "efficiency_pct"], ...BATTERY],
  batteries: [["size", "label", "model", "capacity_kwh"], ...BATTERY, ["more", "efficiency_pct", "id"]],
  pv: [
    ["roof", "peak_kw", "direction", "tilt_deg"],
    ["inverter", "inverter_kw", "inverter", "curtailable"],
    ["exact", "azimuth_deg", "losses_pct"],
  ],
  load: [
    ["year", "year_kwh", "car", "heat_pump"],
    ["day", "daily_kwh", "profile"],
    ["bill", "bill_car_kwh", "bill_heat_pump_kwh"],
  ],
  slots: [
    ["what", "device", "label", "kind", "power_kw"],
    ["car", "vehicle.capacity_kwh", "vehicle.target_soc_pct", "vehicle.min_soc_pct"],
    ["departure", "vehicle.departure"],
    ["charging", "vehicle.min_power_kw", "vehicle.max_power_kw", "vehicle.phases"],
    ["surplus", "vehicle.surplus", "vehicle.efficiency_pct", "battery_to_ev_pct"],
    ["tank", "store.litres", "store.min_c", "store.max_c"],
    ["heat", "store.daily_kwh", "store.draw_profile", "store.loss_w"],
    ["legionella", "store.legionella_c"],
    ["sg_ready", "sg_ready.dwell_min", "sg_ready.block", "sg_ready.force"],
    ["need", "energy_kwh", "hours"],
    ["when", "window_start_hour", "window_end_hour", "deadline_strict"],
    ["runs", "segments", "segment_consecutive", "min_run_minutes"],
    ["plan", "enabled", "optimise", "max_starts_per_day"],
  ],
  telemetry: [
    ["source", "topic", "path", "field"],
    ["value", "scale", "offset", "sum"],
  ],
};

/** The questions of a section, or of one row of a list. */
export function questionsOf(section: Section): readonly Question[] {
  const fields = fieldsOf(section);
  const named = (key: string) => fields.filter(({ path }) => path.join(".") === key);
  const grouped = (GROUPED[section] ?? []).map(([id, ...keys]) => ({ id, fields: keys.flatMap(named) }));
  const rest = fields.filter((field) => !grouped.some((one) => one.fields.includes(field)));
  const more = Array.from({ length: Math.ceil(rest.length / MOST_FIELDS) }, (_, index) => ({
    id: "more" as const,
    fields: rest.slice(index * MOST_FIELDS, (index + 1) * MOST_FIELDS),
  }));
  return [...grouped, ...more];
}

export function questionTitle(id: QuestionId, language: Language): string {
  return textsOf(language).ems.questions[id];
}
