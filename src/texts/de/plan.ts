import type { englishReasons } from "../en/plan.js";

export const germanReasons: typeof englishReasons = {
  recover_min_soc: () => "Lädt, weil der Ladestand unter dem Minimum liegt.",
  paid_to_charge: ({ importCtKwh }) =>
    `Lädt aus dem Netz: Der Strompreis ist negativ (${importCtKwh} ct/kWh).`,
  cheap_import: ({ storedCtKwh, valueCtKwh }) =>
    `Lädt aus dem Netz: Gespeichert kostet die kWh ${storedCtKwh} ct und ist später mindestens ${valueCtKwh} ct wert.`,
  pv_surplus: ({ valueCtKwh, exportCtKwh }) =>
    `Speichert PV-Überschuss: Später ist die kWh ${valueCtKwh} ct wert, eingespeist brächte sie ${exportCtKwh} ct.`,
  pv_later: ({ exportCtKwh, valueCtKwh }) =>
    `Speichert den PV-Überschuss jetzt nicht: Die Einspeisung bringt ${exportCtKwh} ct, und die Batterie behält Platz für späteren Überschuss oder negative Preise (eine gespeicherte kWh ist ${valueCtKwh} ct wert).`,
  dear_import: ({ importCtKwh, valueCtKwh }) =>
    `Versorgt den Haushalt: Der Bezug kostet jetzt ${importCtKwh} ct/kWh, gespeichert ist die kWh ${valueCtKwh} ct wert.`,
  export_pays: ({ exportCtKwh, valueCtKwh }) =>
    `Speist ein: Die kWh bringt jetzt ${exportCtKwh} ct, gespeichert ist sie ${valueCtKwh} ct wert.`,
  import_limit: () => "Entlädt, damit der Bezug unter der Grenze des Netzanschlusses bleibt.",
  import_limit_ahead: () =>
    "Lädt im Voraus, damit der Bezug später unter der Grenze des Netzanschlusses bleibt.",
  kept_for_later: ({ savesCtKwh, valueCtKwh }) =>
    `Hält die Energie: Jetzt spart eine gespeicherte kWh ${savesCtKwh} ct, später ist sie ${valueCtKwh} ct wert.`,
  empty: () => "Die Batterie ist leer; der Haushalt bezieht aus dem Netz.",
  nothing_to_do: () => "Ruht: Es gibt weder Überschuss noch Bedarf, und Laden lohnt sich nicht.",
};
