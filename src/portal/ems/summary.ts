import type { Language } from "../../core/language.js";
import { textsOf } from "../../texts/index.js";
import type { FieldTexts } from "./field-text.js";
import { type RowKind, rowsIn } from "./fields.js";
import { type HeldSettings, heldTexts } from "./held-texts.js";
import { choiceText } from "./labels.js";
import { prefixOf, type Subject } from "./sections.js";

/** Texts of the fields below a prefix, numbers with the decimal sign of the language; empty: not set. */
function reader(texts: FieldTexts, prefix: string, language: Language) {
  const { decimal } = textsOf(language).format;
  const text = (name: string) => texts.get(prefix + name) ?? "";
  return { text, number: (name: string) => text(name).replace(".", decimal) };
}

/** What is set in a subject, in one line. */
export function subjectSummary(subject: Subject, held: HeldSettings, language: Language): string {
  const texts = heldTexts(held);
  const { summaries, batteries } = textsOf(language).home;
  const { locale } = textsOf(language).format;
  const { text, number } = reader(texts, prefixOf(subject), language);
  const round = (value: number) => value.toLocaleString(locale, { maximumFractionDigits: 2 });
  switch (subject) {
    case "place":
      return text("latitude") === ""
        ? summaries.noPlace
        : `${number("latitude")}°, ${number("longitude")}°, ${text("timezone")}`;
    case "battery": {
      const { battery } = held.plant;
      if (battery === null) return summaries.noBattery;
      const count = held.plant.batteries.length;
      const sum = summaries.battery(
        round(battery.capacity_kwh),
        round(battery.max_charge_power_kw),
        round(battery.max_discharge_power_kw),
      );
      return count === 0 ? sum : `${batteries(count)}: ${sum}`;
    }
    case "pv": {
      const peakKw = held.plant.pv.reduce((sum, { peak_kw }) => sum + peak_kw, 0);
      const count = held.plant.pv.length;
      return count === 0 ? summaries.noPv : summaries.pv(count, round(peakKw));
    }
    case "load":
      return summaries.load(number("daily_kwh"));
    case "grid":
      return summaries.grid(number("import_limit_kw"), number("export_limit_kw"));
    case "tariff":
      return tariffSummary(held, texts, language);
    case "slots":
      return held.plant.slots.length === 0
        ? summaries.noSlots
        : held.plant.slots
            .map(({ slot, label, kind }) => label || `${choiceText(kind, language)} ${slot}`)
            .join(", ");
    default:
      return held.telemetry.length === 0 ? summaries.noTopics : summaries.topics(held.telemetry.length);
  }
}

function tariffSummary({ plant }: HeldSettings, texts: FieldTexts, language: Language): string {
  const { summaries } = textsOf(language).home;
  if (plant.tariff === null) return summaries.noTariff;
  if (Array.isArray(plant.tariff)) return summaries.tariffPeriods;
  const { text, number } = reader(texts, "tariff.", language);
  const isSet = (name: string) => Number(text(name)) !== 0;
  const hasWindows = rowsIn(texts, "fee").length > 0;
  return [
    summaries.spot,
    ...(isSet("markup_pct") ? [summaries.markupPct(number("markup_pct"))] : []),
    ...(isSet("markup_ct_kwh") ? [summaries.markup(number("markup_ct_kwh"))] : []),
    ...(isSet("levies_ct_kwh") ? [summaries.levies(number("levies_ct_kwh"))] : []),
    ...(isSet("grid_fee_ct_kwh") || hasWindows
      ? [summaries.gridFee(number("grid_fee_ct_kwh"), hasWindows)]
      : []),
    ...(isSet("vat_pct") ? [summaries.vat(number("vat_pct"))] : []),
  ].join(" + ");
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
    case "telemetry":
      return `${text("topic")} → ${choiceText(text("field"), language)}`;
    default:
      return summaries.feeWindow(text("months"), text("hours"), number("ct_kwh"));
  }
}

/** Title of a row: `Array 2`. `row` is its name, which counts from 0; devices are numbered. */
export function rowTitle(kind: RowKind, row: string, language: Language): string {
  const { ems } = textsOf(language);
  const number = Number(row) + 1;
  switch (kind) {
    case "batteries":
      return ems.batteryRow(number);
    case "pv":
      return ems.array(number);
    case "slots":
      return ems.slot(Number(row));
    case "telemetry":
      return ems.entry(number);
    default:
      return `${ems.tariff.window} ${number}`;
  }
}
