import { BATTERY_MODELS } from "../../config/battery-models.js";
import { regionOf } from "../../config/postcodes.js";
import type { Language } from "../../core/language.js";
import { typedAmount, typedNumber } from "../../core/number-text.js";
import { textsOf } from "../../texts/index.js";
import type { Section } from "./sections.js";

/** Choice of a filler whose values are none of its other choices. */
export const OWN = "own";

/** The text of a field by its key below the section or row; empty where there is none. */
type TextAt = (key: string) => string;

/** The form in which a filler is. */
interface FilledForm {
  text: TextAt;
  language: Language;
  /** Whether something else was typed in a field than what is held. */
  isTyped(key: string): boolean;
}

/** A field that sets others, such as the model of a battery; it is not a setting itself. */
export interface Filler {
  key: string;
  kind: "choice" | "text" | "number";
  unit?: string;
  /** What it shows in a new section or row. */
  initial?: string;
  /** It is offered in a new row only. */
  isForNew?: true;
  /** Fields beside it that it depends on: it also fills where only one of them was typed. */
  with?: readonly string[];
  /** What it shows for the settings in force. */
  shown(text: TextAt): string;
  /** The texts of the fields that it sets; undefined: there is no such value. */
  fills(value: string, form: FilledForm): Readonly<Record<string, string>> | undefined;
  options?(language: Language): { value: string; label: string }[];
}

const MODEL_KEYS = {
  capacity_kwh: "capacityKwh",
  max_charge_power_kw: "chargeKw",
  max_discharge_power_kw: "dischargeKw",
  efficiency_pct: "efficiencyPct",
} as const;

const modelTexts = (model: (typeof BATTERY_MODELS)[number]) =>
  Object.fromEntries(Object.entries(MODEL_KEYS).map(([key, of]) => [key, String(model[of])]));

const shortModel = (name: string) =>
  name.replace(/Fronius |Victron |Pylontech /g, "").replace("MultiPlus", "MP");

/** A common battery: capacity, powers and efficiency. */
const model: Filler = {
  key: "model",
  kind: "choice",
  shown(text) {
    if (text("capacity_kwh") === "") return "";
    const same = BATTERY_MODELS.find((one) =>
      Object.entries(modelTexts(one)).every(([key, value]) => text(key) === value),
    );
    return same?.id ?? OWN;
  },
  fills(value) {
    if (value === OWN || value === "") return {};
    const chosen = BATTERY_MODELS.find(({ id }) => id === value);
    return chosen && modelTexts(chosen);
  },
  options: (language) => [
    { value: "", label: textsOf(language).ems.choose },
    { value: OWN, label: textsOf(language).ems.ownValues },
    // Short enough for a phone.
    ...BATTERY_MODELS.map(({ id, name }) => ({ value: id, label: shortModel(name) })),
  ],
};

/** Degrees of the directions, clockwise from north. */
const DIRECTIONS = { n: 0, ne: 45, e: 90, se: 135, s: 180, sw: 225, w: 270, nw: 315 } as const;

/** The direction of a PV array in words. */
const direction: Filler = {
  key: "direction",
  kind: "choice",
  initial: "s",
  shown(text) {
    const degrees = Number(text("azimuth_deg"));
    return Object.entries(DIRECTIONS).find(([, value]) => value === degrees)?.[0] ?? OWN;
  },
  fills(value) {
    if (value === OWN) return {};
    const degrees = DIRECTIONS[value as keyof typeof DIRECTIONS] as number | undefined;
    return degrees === undefined ? undefined : { azimuth_deg: String(degrees) };
  },
  options(language) {
    const { ems, home } = textsOf(language);
    const words = home.directions;
    return [
      ...Object.keys(DIRECTIONS).map((id, index) => ({ value: id, label: words[index]! })),
      { value: OWN, label: ems.ownValues },
    ];
  },
};

/** The middle of the region of a postcode. */
const postcode: Filler = {
  key: "postcode",
  kind: "text",
  shown: () => "",
  fills(value) {
    if (value === "") return {};
    const region = regionOf(value.replace(/^A-?\s*(?=\d)/i, ""));
    return region && { latitude: String(region.latitude), longitude: String(region.longitude) };
  },
};

const DAYS = 365;

/** Electricity in a year of what a bill may contain beside the household, kWh: 18 kWh/100 km; 3.5 kWh of heat for each kWh. */
const PARTS_OF_BILL = {
  car: { none: 0, km_10000: 1800, km_20000: 3600 },
  heat_pump: { none: 0, water: 900, house: 4500 },
} as const;

type PartOfBill = keyof typeof PARTS_OF_BILL;

/** An amount that was typed counts more than the choice beside it. */
const amountOf = (part: PartOfBill, { text, isTyped }: FilledForm): number | undefined => {
  const choice = text(part);
  const key = `bill_${part}_kwh`;
  const amounts: Readonly<Record<string, number>> = PARTS_OF_BILL[part];
  return choice === OWN || isTyped(key) ? typedNumber(text(key) || "0") : amounts[choice];
};

/** The consumption of a year as the bill states it; what a car and a heat pump take of it is kept, and taken off. */
function householdKwh(form: FilledForm): Readonly<Record<string, string>> | undefined {
  const yearKwh = typedAmount(form.text("year_kwh"));
  const [carKwh, heatPumpKwh] = [amountOf("car", form), amountOf("heat_pump", form)];
  if (yearKwh === undefined || carKwh === undefined || heatPumpKwh === undefined) return undefined;
  const ownKwh = yearKwh - carKwh - heatPumpKwh;
  if (ownKwh < 0) return undefined;
  return {
    // To the Wh: the year is shown as it was typed.
    daily_kwh: (ownKwh / DAYS).toFixed(3),
    bill_car_kwh: String(carKwh),
    bill_heat_pump_kwh: String(heatPumpKwh),
  };
}

const yearKwh: Filler = {
  key: "year_kwh",
  kind: "number",
  unit: "kWh",
  with: ["bill_car_kwh", "bill_heat_pump_kwh"],
  shown(text) {
    const [dailyKwh = 0, carKwh = 0, heatPumpKwh = 0] = [
      "daily_kwh",
      "bill_car_kwh",
      "bill_heat_pump_kwh",
    ].map((key) => Number(text(key)));
    return String(Math.round(dailyKwh * DAYS + carKwh + heatPumpKwh));
  },
  fills: (_, form) => householdKwh(form),
};

/** Whether the bill contains something, by how much of it there is. */
const partOfBill = (part: PartOfBill): Filler => ({
  key: part,
  kind: "choice",
  initial: "none",
  shown(text) {
    const kwh = Number(text(`bill_${part}_kwh`));
    return Object.entries(PARTS_OF_BILL[part]).find(([, amount]) => amount === kwh)?.[0] ?? OWN;
  },
  fills: (_, form) => householdKwh(form),
  options: (language) => {
    const { ems } = textsOf(language);
    const labels: Readonly<Record<string, string>> = ems.partOfBill[part];
    return [
      ...Object.keys(PARTS_OF_BILL[part]).map((value) => ({ value, label: labels[value] ?? value })),
      { value: OWN, label: ems.ownValues },
    ];
  },
});

const DEMANDS: readonly string[] = ["energy_kwh", "hours", "segments"];

/** What kind of device a new one is, with the usual values of its kind. */
const device: Filler = {
  key: "device",
  kind: "choice",
  isForNew: true,
  shown: () => "",
  fills(value, { language, isTyped }) {
    if (value === "") return {};
    if (!Object.hasOwn(USUAL_DEVICES, value)) return undefined;
    const texts = Object.entries(usualTexts(value, language));
    // A demand that was typed takes the place of the usual one, in whatever unit that is.
    const isUsual = ([key]: [string, string]) => !DEMANDS.includes(key) || !DEMANDS.some(isTyped);
    return Object.fromEntries(texts.filter(isUsual));
  },
  options(language) {
    const { ems } = textsOf(language);
    const names: Readonly<Record<string, string>> = ems.usualDevices;
    return [
      { value: "", label: ems.choose },
      ...Object.keys(USUAL_DEVICES).map((value) => ({ value, label: names[value] ?? value })),
    ];
  },
};

/** The fillers of the sections. */
export const FILLERS: Readonly<Partial<Record<Section, readonly Filler[]>>> = {
  place: [postcode],
  battery: [model],
  batteries: [model],
  pv: [direction],
  load: [yearKwh, partOfBill("car"), partOfBill("heat_pump")],
  slots: [device],
};

/** A window of the whole day begins and ends at the same hour. */
const ALL_DAY = { window_start_hour: 0, window_end_hour: 0 };

/** A programme that must not be interrupted. */
const oneRun = (hours: number, power_kw: number, [window_start_hour, window_end_hour]: [number, number]) => ({
  kind: "other",
  power_kw,
  segments: [hours],
  segment_consecutive: "required",
  window_start_hour,
  window_end_hour,
});

/** Flexible devices with usual values. */
export const USUAL_DEVICES: Readonly<Record<string, object>> = {
  wallbox: { kind: "wallbox", power_kw: 11, energy_kwh: 15, window_start_hour: 18, window_end_hour: 7 },
  heat_pump: { kind: "heat_pump", power_kw: 2.5, sg_ready: {} },
  boiler: { kind: "boiler", power_kw: 2, energy_kwh: 5, ...ALL_DAY },
  pool_pump: { kind: "other", power_kw: 0.75, hours: 6, window_start_hour: 8, window_end_hour: 20 },
  washing_machine: oneRun(2, 0.5, [8, 20]),
  dishwasher: oneRun(2, 0.6, [20, 6]),
};

/** A device of a kind with usual values, without number and name. */
export function usualSlot(kind: "wallbox" | "boiler" | "heat_pump" | "other"): object {
  return USUAL_DEVICES[kind === "other" ? "pool_pump" : kind]!;
}

/** The texts of the fields of a usual device, with its name in a language. */
export function usualTexts(kind: string, language: Language): Record<string, string> {
  const names: Readonly<Record<string, string>> = textsOf(language).ems.usualDevices;
  const { sg_ready, ...values } = USUAL_DEVICES[kind] as Record<string, unknown>;
  return {
    label: names[kind] ?? "",
    ...Object.fromEntries(Object.entries(values).map(([key, value]) => [key, String(value)])),
    ...(sg_ready !== undefined && { "sg_ready.dwell_min": "15" }),
  };
}
