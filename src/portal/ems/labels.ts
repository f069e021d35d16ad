import type { Language } from "../../language.js";
import type { Field, Section } from "./sections.js";

/** What people read beside a field. */
export interface FieldLabel {
  label: string;
  hint: string;
}

/** German label and hint, English label; the English hint is the description in the configuration's schema. */
const LABELS: Readonly<Record<string, readonly [german: string, germanHint: string, english: string]>> = {
  "place.name": ["Name", "So heißt die Anlage auf den Seiten.", "Name"],
  "place.latitude": [
    "Geografische Breite",
    "Wo sie steht, für Wetter und PV-Ertrag. Wien: 48,21.",
    "Latitude",
  ],
  "place.longitude": [
    "Geografische Länge",
    "Nach Osten positiv, zusammen mit der Breite. Wien: 16,37.",
    "Longitude",
  ],
  "place.timezone": ["Zeitzone", "Name nach IANA, etwa Europe/Vienna.", "Time zone"],
  "battery.capacity_kwh": [
    "Nutzbare Kapazität",
    "Energie zwischen 0 und 100 % Ladestand.",
    "Usable capacity",
  ],
  "battery.min_soc_pct": ["Kleinster Ladestand", "Darunter entlädt der Plan nie.", "Lowest state of charge"],
  "battery.max_soc_pct": ["Größter Ladestand", "Darüber lädt der Plan nie.", "Highest state of charge"],
  "battery.max_charge_power_kw": [
    "Ladeleistung",
    "Größte Leistung, an der Wechselstromseite.",
    "Charging power",
  ],
  "battery.max_discharge_power_kw": [
    "Entladeleistung",
    "Größte Leistung, an der Wechselstromseite.",
    "Discharging power",
  ],
  "battery.efficiency_pct": [
    "Wirkungsgrad",
    "Was vom Geladenen wieder herauskommt, hin und zurück.",
    "Efficiency",
  ],
  "battery.reserve_pct": [
    "Reserve",
    "So nah am kleinsten Ladestand wird nicht mehr entladen, wenn vor den nächsten teuren Stunden kein Laden geplant ist.",
    "Reserve",
  ],
  "battery.wear_ct_kwh": [
    "Abnutzung",
    "Kosten je entladener kWh; der Plan nutzt die Batterie nur, wo es mehr bringt.",
    "Wear",
  ],
  "battery.grid_charge_allowed": ["Laden aus dem Netz erlaubt", "", "Charging from the grid allowed"],
  "battery.export_allowed": ["Einspeisen aus der Batterie erlaubt", "", "Feeding into the grid allowed"],
  "pv.peak_kw": ["Spitzenleistung", "Der Module zusammen.", "Peak power"],
  "pv.tilt_deg": ["Neigung", "0 liegt flach, 90 steht senkrecht.", "Tilt"],
  "pv.azimuth_deg": ["Ausrichtung", "90 Osten, 180 Süden, 270 Westen.", "Direction"],
  "pv.losses_pct": ["Verluste", "Alles zwischen Modulen und Zähler.", "Losses"],
  "pv.inverter_kw": ["Wechselrichter", "Größte Leistung; leer: keine Grenze.", "Inverter"],
  "load.daily_kwh": [
    "Verbrauch am Tag",
    "Ohne Auto und Batterie; 10 am Tag sind rund 3650 im Jahr. Zählt, solange keine Messwerte kommen.",
    "Use a day",
  ],
  "load.profile": [
    "Tagesverlauf",
    "24 Gewichte nach Uhrstunden, durch Leerzeichen getrennt; leer: üblicher Haushalt.",
    "Shape of the day",
  ],
  "grid.import_limit_kw": ["Größter Bezug", "Leer: keine Grenze.", "Largest import"],
  "grid.export_limit_kw": [
    "Größte Einspeisung",
    "PV darüber wird abgeregelt; leer: keine Grenze.",
    "Largest export",
  ],
  "tariff.markup_ct_kwh": ["Aufschlag des Lieferanten", "Ohne Umsatzsteuer.", "Supplier's markup"],
  "tariff.markup_pct": ["Aufschlag in Prozent", "Vom Betrag des Börsenpreises.", "Markup in percent"],
  "tariff.levies_ct_kwh": ["Abgaben", "Abgaben und Energiesteuern, ohne Umsatzsteuer.", "Levies"],
  "tariff.vat_pct": ["Umsatzsteuer", "0, wenn die Preise oben sie schon enthalten.", "VAT"],
  "tariff.feed_in.type": ["Einspeisepreis", "Was für eingespeisten Strom bezahlt wird.", "Feed-in price"],
  "tariff.feed_in.ct_kwh": ["Fester Einspeisepreis", "Nur bei festem Preis.", "Fixed feed-in price"],
  "tariff.feed_in.deduct_ct_kwh": ["Abzug", "Wird vom Einspeisepreis abgezogen.", "Deduction"],
  "tariff.feed_in.deduct_pct": ["Abzug in Prozent", "Vom Betrag des Preises.", "Deduction in percent"],
  "tariff.grid_fee_ct_kwh": [
    "Netzentgelt",
    "Ohne Umsatzsteuer; leer: keines außerhalb der Zeitfenster.",
    "Grid fee",
  ],
  "fee.months": ["Monate", "Erster und letzter, etwa 4-9.", "Months"],
  "fee.hours": ["Stunden", "Ortszeit, die letzte nicht mehr: 10-16.", "Hours"],
  "fee.ct_kwh": ["Netzentgelt", "In diesem Zeitfenster.", "Grid fee"],
  "slots.label": ["Name", "Leer: Art und Nummer.", "Name"],
  "slots.kind": ["Art", "", "Kind"],
  "slots.power_kw": ["Leistung", "Während es läuft; macht aus Energie Stunden.", "Power"],
  "slots.window_start_hour": ["Frühestens ab", "Uhrstunde; zusammen mit dem Ende.", "Not before"],
  "slots.window_end_hour": ["Fertig bis", "Kleiner als der Beginn: über Mitternacht.", "Done by"],
  "slots.energy_kwh": ["Energie", "Je Zeitfenster; statt Stunden.", "Energy"],
  "slots.hours": ["Stunden", "Je Zeitfenster; statt Energie.", "Hours"],
  "slots.segments": [
    "Abschnitte",
    "Längen der einzelnen Läufe in Stunden, durch Leerzeichen getrennt: 2 1.",
    "Segments",
  ],
  "slots.segment_consecutive": ["Am Stück", "Ob ein Abschnitt ohne Unterbrechung läuft.", "Unbroken"],
  "slots.deadline_strict": [
    "Nach dem Ende nichts mehr",
    "Nach dem Zeitfenster wird bis zum nächsten nichts eingeplant.",
    "Nothing after the end",
  ],
  "slots.battery_to_ev_pct": [
    "Anteil aus der Batterie",
    "Leer: keiner, die Batterie entlädt nicht, während es lädt.",
    "Share from the battery",
  ],
  "slots.enabled": ["Einplanen", "", "Plan it"],
  "telemetry.topic": ["Topic", "+ steht für eine Ebene, # am Ende für alle darunter.", "Topic"],
  "telemetry.path": [
    "Pfad",
    "Wo im JSON die Zahl steht, etwa battery.soc oder [0].value; leer: die Zahl allein.",
    "Path",
  ],
  "telemetry.field": ["Messwert", "", "Reading"],
  "telemetry.scale": ["Faktor", "0,001 macht kW aus W.", "Factor"],
  "telemetry.offset": ["Verschiebung", "Wird danach dazugezählt.", "Offset"],
};

/** Units that are words; signs such as kWh are the same in both languages. */
const GERMAN_UNITS: Readonly<Record<string, string>> = {
  degrees: "Grad",
  "clock hour": "Uhr",
  factor: "",
  "the reading's unit": "",
  "slot number": "",
  weight: "",
};

const CHOICES: Readonly<Record<string, readonly [german: string, english: string]>> = {
  wallbox: ["Wallbox", "Wallbox"],
  heat_pump: ["Wärmepumpe", "Heat pump"],
  boiler: ["Boiler", "Boiler"],
  other: ["Anderes Gerät", "Other device"],
  off: ["egal", "does not matter"],
  soft: ["möglichst", "if possible"],
  required: ["immer", "always"],
  spot: ["Börsenpreis", "Market price"],
  fixed: ["Fester Preis", "Fixed price"],
  soc_pct: ["Ladestand (soc_pct, %)", "State of charge (soc_pct, %)"],
  import_kwh: ["Zähler Bezug (import_kwh)", "Import meter (import_kwh)"],
  export_kwh: ["Zähler Einspeisung (export_kwh)", "Export meter (export_kwh)"],
  pv_power_kw: ["PV-Leistung (pv_power_kw)", "PV power (pv_power_kw)"],
  load_power_kw: ["Verbrauch im Haus (load_power_kw)", "House load (load_power_kw)"],
  battery_power_kw: [
    "Batterieleistung, Laden positiv (battery_power_kw)",
    "Battery power, charging positive (battery_power_kw)",
  ],
  ev_power_kw: ["Leistung der Wallbox (ev_power_kw)", "Wallbox power (ev_power_kw)"],
  ev_connected: ["Auto angesteckt (ev_connected)", "Car plugged in (ev_connected)"],
};

/** Label, with the unit in it, and hint of a field; a field that nobody has named yet is called by its key. */
export function labelOf(section: Section | "fee", field: Field, language: Language): FieldLabel {
  const key = field.path.join(".");
  const known = LABELS[`${section}.${key}`];
  const unit = unitText(field.node.unit, language);
  const [german, germanHint, english] = known ?? [key, "", key];
  const label = language === "de" ? german : english;
  return {
    label: unit === "" ? label : `${label} (${unit})`,
    hint: language === "de" ? germanHint : (field.node.description ?? ""),
  };
}

/** A value that can be chosen, in words. */
export function choiceText(value: string, language: Language): string {
  const words = Object.hasOwn(CHOICES, value) ? CHOICES[value] : undefined;
  return words === undefined ? value : words[language === "de" ? 0 : 1];
}

/** A unit as people write it; empty for those that say nothing. */
export function unitText(unit: string | undefined, language: Language): string {
  if (unit === undefined) return "";
  if (unit === "hours") return "h";
  const german = Object.hasOwn(GERMAN_UNITS, unit) ? GERMAN_UNITS[unit]! : unit;
  if (language === "de") return german;
  return german === "" ? "" : unit;
}
