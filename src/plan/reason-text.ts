import type { Language } from "../language.js";
import type { StepReason } from "./explain.js";

type Template = (figures: Record<string, string>) => string;

/** One sentence a code and language; figures come in written with two decimals. */
const TEMPLATES: Record<StepReason["code"], Record<Language, Template>> = {
  recover_min_soc: {
    de: () => "Lädt, weil der Ladestand unter dem Minimum liegt.",
    en: () => "Charges because the state of charge is below its minimum.",
  },
  paid_to_charge: {
    de: ({ importCtKwh }) => `Lädt aus dem Netz: Der Strompreis ist negativ (${importCtKwh} ct/kWh).`,
    en: ({ importCtKwh }) => `Charges from the grid: the price is negative (${importCtKwh} ct/kWh).`,
  },
  cheap_import: {
    de: ({ storedCtKwh, valueCtKwh }) =>
      `Lädt aus dem Netz: Gespeichert kostet die kWh ${storedCtKwh} ct und ist später mindestens ${valueCtKwh} ct wert.`,
    en: ({ storedCtKwh, valueCtKwh }) =>
      `Charges from the grid: a stored kWh costs ${storedCtKwh} ct and is worth at least ${valueCtKwh} ct later.`,
  },
  pv_surplus: {
    de: ({ valueCtKwh, exportCtKwh }) =>
      `Speichert PV-Überschuss: Später ist die kWh ${valueCtKwh} ct wert, eingespeist brächte sie ${exportCtKwh} ct.`,
    en: ({ valueCtKwh, exportCtKwh }) =>
      `Stores PV surplus: a kWh is worth ${valueCtKwh} ct later, exporting it would bring ${exportCtKwh} ct.`,
  },
  dear_import: {
    de: ({ importCtKwh, valueCtKwh }) =>
      `Entlädt ins Haus: Der Bezug kostet jetzt ${importCtKwh} ct/kWh, gespeichert ist die kWh ${valueCtKwh} ct wert.`,
    en: ({ importCtKwh, valueCtKwh }) =>
      `Feeds the house: importing costs ${importCtKwh} ct/kWh now, a stored kWh is worth ${valueCtKwh} ct.`,
  },
  export_pays: {
    de: ({ exportCtKwh, valueCtKwh }) =>
      `Speist ein: Die kWh bringt ${exportCtKwh} ct, gespeichert ist sie ${valueCtKwh} ct wert.`,
    en: ({ exportCtKwh, valueCtKwh }) =>
      `Exports: a kWh brings ${exportCtKwh} ct and is worth ${valueCtKwh} ct stored.`,
  },
  import_limit: {
    de: () => "Entlädt, damit der Bezug unter der Grenze des Netzanschlusses bleibt.",
    en: () => "Feeds the house so that the import stays within the limit of the grid connection.",
  },
  import_limit_ahead: {
    de: () => "Lädt voraus, damit der Bezug später unter der Grenze des Netzanschlusses bleibt.",
    en: () => "Charges ahead so that the import later stays within the limit of the grid connection.",
  },
  kept_for_later: {
    de: ({ savesCtKwh, valueCtKwh }) =>
      `Hält die Energie: Jetzt spart eine gespeicherte kWh ${savesCtKwh} ct, später ist sie ${valueCtKwh} ct wert.`,
    en: ({ savesCtKwh, valueCtKwh }) =>
      `Keeps its energy: a stored kWh saves ${savesCtKwh} ct now and is worth ${valueCtKwh} ct later.`,
  },
  empty: {
    de: () => "Der Speicher ist leer, das Haus bezieht aus dem Netz.",
    en: () => "The battery is empty, the house is fed from the grid.",
  },
  nothing_to_do: {
    de: () => "Nichts zu tun: weder Überschuss noch Bedarf, und Laden lohnt nicht.",
    en: () => "Nothing to do: neither surplus nor demand, and charging does not pay.",
  },
};

/** The sentence of a reason, with its figures. */
export function reasonText(reason: StepReason, language: Language): string {
  const decimal = language === "de" ? "," : ".";
  const figures = Object.fromEntries(
    Object.entries(reason.figures).map(([name, value]) => [name, value.toFixed(2).replace(".", decimal)]),
  );
  return TEMPLATES[reason.code][language](figures);
}
