import type { englishEms } from "../en/ems.js";

export const germanEms: typeof englishEms = {
  save: "Speichern",
  remove: "Entfernen",
  add: "Hinzufügen",
  reset: "Auf die Konfigurationsdatei zurücksetzen",
  sections: {
    place: { title: "Anlage und Standort", intro: "Der Standort wird für Wetter und PV-Ertrag benötigt." },
    battery: { title: "Batterie", intro: "Die Angaben stehen im Datenblatt der Batterie." },
    batteries: {
      title: "Mehrere Batterien",
      intro:
        "Batterien mit je einem Wechselrichter, gemeinsam geplant; jede erhält eigene Ausgänge. Mit der ersten weiteren Batterie wird die einzelne zur ersten der Liste.",
    },
    pv: { title: "PV-Flächen", intro: "Eine Fläche je Ausrichtung." },
    load: { title: "Verbrauch", intro: "Diese Angaben gelten, bis Messwerte vorliegen." },
    grid: { title: "Netzanschluss", intro: "Grenzen, die der Plan einhält." },
    tariff: {
      title: "Stromtarif",
      intro:
        "Bezugspreis = (Börsenpreis + Aufschlag + Abgaben + Netzentgelt) × (1 + Umsatzsteuer). Alles ohne Umsatzsteuer, wie auf der Rechnung.",
    },
    slots: {
      title: "Flexible Geräte",
      intro:
        "Bis zu acht Geräte wie Wallbox oder Wärmepumpe. Steuerungen sprechen ein Gerät mit seiner Nummer an.",
    },
    telemetry: {
      title: "Messwerte von MQTT-Topics",
      intro:
        "Messwerte, die andere Geräte schon über MQTT veröffentlichen. Unter jedem Eintrag stehen die letzte Nachricht und der daraus gelesene Wert.",
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
  batteryRow: (number) => `Batterie ${number}`,
  newBattery: "Weitere Batterie",
  array: (number) => `Fläche ${number}`,
  newArray: "Weitere Fläche",
  slotParts: { vehicle: "Fahrzeug", store: "Warmwasserspeicher", sg_ready: "SG Ready" },
  slot: (number) => `Gerät ${number}`,
  newSlot: "nicht belegt",
  entry: (number) => `Eintrag ${number}`,
  newEntry: "Neuer Eintrag",
  preview: {
    title: "Letzte Nachricht",
    none: "Auf diesem Topic wurde noch nichts empfangen.",
    gives: "ergibt",
    at: "um",
    faults: {
      notJson: (path) => `Die Nachricht ist kein gültiges JSON; ${path} gibt es darin nicht.`,
      noNumber: (field, path, found) =>
        `${field} braucht eine Zahl${path === "" ? "" : ` bei ${path}`}; gefunden: ${found}.`,
      tooLarge: (field, path) => `Die Zahl für ${field}${path === "" ? "" : ` bei ${path}`} ist zu groß.`,
      badPath: (path) =>
        `Der Pfad ${path} ist nicht lesbar; schreiben Sie ihn wie battery.soc oder [0].value.`,
      nothingAt: (path) => `Die Nachricht enthält ${path} nicht.`,
    },
  },
  waiting:
    "Dieses Topic wartet auf die Freigabe durch den Administrator. Bis dahin wird der Eintrag nicht verwendet.",
  findings: {
    missing: (allowed) => `Bitte ${allowed} eingeben.`,
    invalid: (allowed) => `Bitte ${allowed} eingeben.`,
    unknown: () => "Ungültige Eingabe.",
    soc_order: () => "Muss unter dem maximalen Ladestand liegen.",
    location_incomplete: () => "Breite und Länge bitte gemeinsam angeben.",
    feed_in_price_missing: () => "Ein fester Einspeisepreis braucht einen Betrag.",
    weights_zero: () => "Mindestens ein Gewicht muss über 0 liegen.",
    window_incomplete: () => "Beginn und Ende des Zeitfensters bitte gemeinsam angeben.",
    energy_and_hours: () => "Bitte entweder Energie oder Stunden angeben, nicht beides.",
    vehicle_kind: () => "Ein Fahrzeug ist nur bei einer Wallbox möglich.",
    store_kind: () => "Ein Speicher ist nur bei einem Boiler möglich.",
    sg_ready_kind: () => "SG Ready ist nur bei einer Wärmepumpe möglich.",
    target_soc_order: () => "Darf nicht unter dem Mindestladestand liegen.",
    departure_missing: () => "Bitte für mindestens einen Wochentag eine Uhrzeit angeben.",
    charging_power_order: () => "Darf die maximale Ladeleistung nicht überschreiten.",
    temperature_order: () => "Muss unter der Höchsttemperatur liegen.",
    store_power_missing: () => "Ein Speicher braucht die Leistung seines Heizstabs.",
    slot_reading: () =>
      "Leistung, Temperatur und Energiezähler brauchen ein Gerät; Messwerte der Anlage haben keines.",
    duplicate: () => "Bereits vorhanden.",
    battery_and_batteries: () => "Entweder eine Batterie oder mehrere angeben.",
    battery_unknown: () => "Keine Batterie dieser Anlage hat diese Kennung.",
    inverter_unknown: () =>
      "Einen Wechselrichter mit diesem Namen gibt es noch nicht: bitte auch seine Leistung angeben.",
    inverter_unused: () => "Keine Fläche hängt an diesem Wechselrichter.",
    modes: (device: string, modes: string) =>
      `${device} kann das nicht: ${modes}. Haken entfernen oder ein anderes Gerät die Batterie steuern lassen.`,
    inverter_and_own_kw: () =>
      "Eine Fläche hat einen eigenen oder einen gemeinsamen Wechselrichter, nicht beides.",
    allowed: {
      oneOf: (values) => `einen der Werte ${values}`,
      list: () => "eine Reihe von Zahlen",
      listOf: (count) => `eine Reihe von ${count} Zahlen`,
      each: () => "",
      boolean: "ja oder nein",
      text: (_least, most) =>
        most === undefined ? "einen Text" : `einen Text von höchstens ${most} Zeichen`,
      orNothing: (allowed) => `${allowed} oder nichts`,
      formats: {
        "hour-minute": "eine Uhrzeit wie 07:00",
        "time-zone": "eine IANA-Zeitzone wie Europe/Vienna",
        "month-range": "zwei Monate von 1 bis 12, zum Beispiel „4-9“,",
        "hour-range": "eine Stunde von 0 bis 23 und eine bis 24, zum Beispiel „10-16“,",
        "mqtt-filter": "ein MQTT-Topic, in dem + für eine Ebene und # am Ende für alle darunter steht,",
      },
    },
  },
};
