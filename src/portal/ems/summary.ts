import type { PlantSettings } from "../../config/settings.js";
import type { Language } from "../../core/language.js";
import { textsOf } from "../../texts/index.js";
import type { FieldTexts } from "./field-text.js";
import type { HeldSettings } from "./held-texts.js";
import { choiceText } from "./labels.js";
import { prefixOf, type RowKind } from "./sections.js";
import { tariffWords } from "./tariff-words.js";

/** Texts of the fields below a prefix, numbers with the decimal sign of the language; empty: not set. */
function reader(texts: FieldTexts, prefix: string, language: Language) {
  const { decimal } = textsOf(language).format;
  const text = (name: string) => texts.get(prefix + name) ?? "";
  return { text, number: (name: string) => text(name).replace(".", decimal) };
}

/** What is set in an optional section, in one line. */
export function shortSummary(section: "battery" | "tariff", { plant }: HeldSettings, language: Language) {
  if (section === "tariff") return plant.tariff === null ? "" : tariffWords(plant.tariff, language);
  return plant.battery === null ? "" : batteryWords(plant.battery, language);
}

function batteryWords(battery: NonNullable<PlantSettings["battery"]>, language: Language): string {
  const { summaries } = textsOf(language).home;
  const { locale } = textsOf(language).format;
  const round = (value: number) => value.toLocaleString(locale, { maximumFractionDigits: 2 });
  const { capacity_kwh: kwh, max_charge_power_kw: charge, max_discharge_power_kw: discharge } = battery;
  return summaries.battery(round(kwh), round(charge), round(discharge));
}

/** One row of a list, in one line. */
export function rowSummary(kind: RowKind, texts: FieldTexts, prefix: string, language: Language): string {
  const { summaries, directions } = textsOf(language).home;
  const { text, number } = reader(texts, prefix, language);
  switch (kind) {
    case "batteries": {
      const [charge, discharge] = [number("max_charge_power_kw"), number("max_discharge_power_kw")];
      const name = text("label") || text("id");
      return `${name === "" ? "" : `${name}: `}${summaries.battery(number("capacity_kwh"), charge, discharge)}`;
    }
    case "pv": {
      const direction = directions[Math.round(Number(text("azimuth_deg")) / 45) % 8] ?? "";
      return `${number("peak_kw")} kWp, ${direction}, ${number("tilt_deg")}°`;
    }
    case "slots": {
      const power = text("power_kw") === "" ? "" : `, ${number("power_kw")} kW`;
      const type = choiceText(text("kind"), language);
      const label = text("label");
      return `${label === "" || label === type ? "" : `${label}: `}${type}${power}`;
    }
    default:
      return `${text("topic")} → ${choiceText(text("field"), language)}`;
  }
}

/** Title of a row: `Array 2`. `row` is its name, which counts from 0; devices are numbered. */
export function rowTitle(kind: RowKind, row: string, language: Language): string {
  const { batteryRow, array, slot, entry } = textsOf(language).ems;
  const title = { batteries: batteryRow, pv: array, slots: slot, telemetry: entry }[kind];
  return title(Number(row) + (kind === "slots" ? 0 : 1));
}

/** What a row is called: its name where it has one, else its title. */
export function rowName(kind: RowKind, texts: FieldTexts, row: string, language: Language): string {
  const label = kind === "telemetry" ? "" : texts.get(`${prefixOf(kind)}${row}.label`);
  return label || rowTitle(kind, row, language);
}
