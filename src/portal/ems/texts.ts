import type { SupplierTariff } from "../../config/presets.js";
import type { Language } from "../../language.js";
import type { LoxoneKind } from "./loxone-page.js";
import type { TariffPreset } from "./requested-change.js";
import type { Section } from "./sections.js";

/** Everything the EMS page says, apart from labels of fields. */
export interface EmsTexts {
  title: string;
  intro: string;
  contents: string;
  saved: string;
  save: string;
  remove: string;
  add: string;
  reset: string;
  sections: Record<Section, { title: string; intro: string }>;
  battery: { none: string; drop: string };
  tariff: {
    none: string;
    drop: string;
    windows: string;
    window: string;
    newWindow: string;
    feedIn: string;
    presets: string;
  };
  presets: Record<TariffPreset, { label: string; hint: string }>;
  supplierHint: (tariff: SupplierTariff) => string;
  array: (number: number) => string;
  newArray: string;
  slot: (number: number) => string;
  newSlot: string;
  entry: (number: number) => string;
  newEntry: string;
  preview: { title: string; none: string; gives: string; at: string };
  links: {
    title: string;
    intro: string;
    none: string;
    label: string;
    scope: string;
    scopes: { read: string; telemetry: string };
    create: string;
    revoke: string;
    revoked: string;
    shownOnce: string;
    made: string;
    start: string;
  };
  downloads: { title: string; intro: string; kinds: Record<LoxoneKind, string> };
}

const de: EmsTexts = {
  title: "EMS-Einstellungen",
  intro: "Was zu dieser Anlage gehört. Nach dem Speichern wird sofort neu geplant.",
  contents: "Auf dieser Seite",
  saved: "Gespeichert. Der Plan wurde neu gerechnet.",
  save: "Speichern",
  remove: "Entfernen",
  add: "Hinzufügen",
  reset: "Zurück zur Konfigurationsdatei",
  sections: {
    place: { title: "Anlage und Standort", intro: "Der Standort wird für Wetter und PV-Ertrag gebraucht." },
    battery: { title: "Batterie", intro: "Die Angaben stehen im Datenblatt des Speichers." },
    pv: { title: "PV-Flächen", intro: "Je Ausrichtung eine Fläche." },
    load: { title: "Verbrauch", intro: "Solange keine Messwerte kommen, wird damit gerechnet." },
    grid: { title: "Netzanschluss", intro: "Grenzen, die der Plan einhält." },
    tariff: {
      title: "Stromtarif",
      intro:
        "Bezugspreis = (Börsenpreis + Aufschlag + Abgaben + Netzentgelt) × (1 + Umsatzsteuer). Alles ohne Umsatzsteuer, wie auf der Rechnung.",
    },
    slots: {
      title: "Flexible Geräte",
      intro:
        "Bis zu acht Geräte wie Wallbox oder Wärmepumpe. Die Nummer ist die, mit der Steuerungen sie ansprechen.",
    },
    telemetry: {
      title: "Messwerte von MQTT-Topics",
      intro:
        "Messwerte, die andere Geräte schon veröffentlichen. Die letzte Nachricht und die Zahl daraus stehen darunter.",
    },
  },
  battery: {
    none: "Diese Anlage hat keine Batterie; es wird kein Laden geplant.",
    drop: "Keine Batterie",
  },
  tariff: {
    none: "Kein Tarif: Geplant wird mit dem Börsenpreis allein.",
    drop: "Nur Börsenpreis, kein Tarif",
    windows: "Zeitfenster mit anderem Netzentgelt",
    window: "Zeitfenster",
    newWindow: "Weiteres Zeitfenster",
    feedIn: "Einspeisung",
    presets: "Vorlagen",
  },
  presets: {
    spot_vat: {
      label: "Börsenpreis mit 20 % Umsatzsteuer",
      hint: "Ohne Aufschlag, Abgaben und Netzentgelt; diese danach von der Rechnung eintragen.",
    },
    summer_low: {
      label: "Sommer-Nieder-Arbeitspreis",
      hint: "Von April bis September, 10 bis 16 Uhr, ist das Netzentgelt seit 1. 4. 2026 um 20 % niedriger, wenn der Zähler Viertelstundenwerte liefert. Zuerst das Netzentgelt eintragen.",
    },
  },
  supplierHint: ({ markupPct, markupCtKwh, asOf }) =>
    `Aufschlag ${markupPct > 0 ? `${markupPct} % und ` : ""}${String(markupCtKwh).replace(".", ",")} ct/kWh ohne Umsatzsteuer nach dem Preisblatt von ${asOf.slice(5)}/${asOf.slice(0, 4)}; mit dem eigenen Preisblatt vergleichen. Netzentgelt und Abgaben bleiben, wie sie sind.`,
  array: (number) => `Fläche ${number}`,
  newArray: "Weitere Fläche",
  slot: (number) => `Gerät ${number}`,
  newSlot: "nicht belegt",
  entry: (number) => `Eintrag ${number}`,
  newEntry: "Neuer Eintrag",
  preview: {
    title: "Letzte Nachricht",
    none: "Auf diesem Topic kam noch nichts.",
    gives: "ergibt",
    at: "um",
  },
  links: {
    title: "Links für Steuerungen",
    intro:
      "Für Steuerungen, die keinen API-Schlüssel senden können, etwa Loxone oder evcc. Wer den Link kennt, kann ihn benutzen.",
    none: "Noch kein Link.",
    label: "Name",
    scope: "Darf",
    scopes: { read: "nur lesen", telemetry: "lesen und Messwerte senden" },
    create: "Link anlegen",
    revoke: "Widerrufen",
    revoked: "widerrufen",
    shownOnce: "Ihr neuer Link. Er wird nur jetzt angezeigt:",
    made: "Angelegt",
    start: "Beginnt mit",
  },
  downloads: {
    title: "Loxone-Vorlagen",
    intro:
      "Vorlagen für Loxone Config mit den Adressen dieser Anlage. Mit jeder HTTP-Vorlage wird ein neuer Link angelegt.",
    kinds: {
      "http-input": "Virtuelle HTTP-Eingänge: Loxone liest (XML)",
      "http-output": "Virtuelle Ausgänge: Loxone sendet Messwerte (XML)",
      mqtt: "MQTT-Topics zum Eintragen (XML)",
    },
  },
};

const en: EmsTexts = {
  title: "EMS settings",
  intro: "What belongs to this plant. The plan is made anew as soon as you save.",
  contents: "On this page",
  saved: "Saved. The plan was made anew.",
  save: "Save",
  remove: "Remove",
  add: "Add",
  reset: "Back to the configuration file",
  sections: {
    place: { title: "Plant and place", intro: "Weather and PV yield need to know where it stands." },
    battery: { title: "Battery", intro: "You find these in the data sheet of the battery." },
    pv: { title: "PV arrays", intro: "One for each direction." },
    load: { title: "Consumption", intro: "Used as long as no readings come in." },
    grid: { title: "Grid connection", intro: "Limits that the plan keeps." },
    tariff: {
      title: "Tariff",
      intro:
        "Import price = (market price + markup + levies + grid fee) × (1 + VAT). All of it without VAT, as on the bill.",
    },
    slots: {
      title: "Flexible devices",
      intro: "Up to eight devices such as a wallbox or a heat pump. Controllers name them by their number.",
    },
    telemetry: {
      title: "Readings from MQTT topics",
      intro:
        "Readings that other devices publish already. The last message and its number are shown below each entry.",
    },
  },
  battery: {
    none: "This plant has no battery; no charging is planned.",
    drop: "No battery",
  },
  tariff: {
    none: "No tariff: the plan uses market prices alone.",
    drop: "Market price only, no tariff",
    windows: "Time windows with another grid fee",
    window: "Time window",
    newWindow: "Another time window",
    feedIn: "Feed-in",
    presets: "Presets",
  },
  presets: {
    spot_vat: {
      label: "Market price with 20% VAT",
      hint: "Without markup, levies and grid fee; enter those from your bill afterwards.",
    },
    summer_low: {
      label: "Austrian summer low grid fee",
      hint: "Since 2026-04-01 the grid fee is 20% lower from April to September, 10:00 to 16:00, where the meter delivers quarter-hour values. Enter the grid fee first.",
    },
  },
  supplierHint: ({ markupPct, markupCtKwh, asOf }) =>
    `Markup of ${markupPct > 0 ? `${markupPct}% and ` : ""}${markupCtKwh} ct/kWh without VAT by the price sheet of ${asOf}; compare with your own. Grid fee and levies stay as they are.`,
  array: (number) => `Array ${number}`,
  newArray: "Another array",
  slot: (number) => `Device ${number}`,
  newSlot: "not assigned",
  entry: (number) => `Entry ${number}`,
  newEntry: "New entry",
  preview: { title: "Last message", none: "Nothing has come on this topic yet.", gives: "gives", at: "at" },
  links: {
    title: "Controller links",
    intro:
      "For controllers that cannot send an API key, such as Loxone or evcc. Whoever knows the link can use it.",
    none: "No link yet.",
    label: "Name",
    scope: "May",
    scopes: { read: "read only", telemetry: "read and send readings" },
    create: "Make a link",
    revoke: "Revoke",
    revoked: "revoked",
    shownOnce: "Your new link. It is shown only now:",
    made: "Made",
    start: "Begins with",
  },
  downloads: {
    title: "Loxone templates",
    intro:
      "Templates for Loxone Config with the addresses of this plant. Each HTTP template makes a new link.",
    kinds: {
      "http-input": "Virtual HTTP inputs: Loxone reads (XML)",
      "http-output": "Virtual outputs: Loxone sends readings (XML)",
      mqtt: "MQTT topics to type in (XML)",
    },
  },
};

/** The texts of the EMS page in a language. */
export function emsTexts(language: Language): EmsTexts {
  return language === "de" ? de : en;
}
