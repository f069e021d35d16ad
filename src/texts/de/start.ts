import type { englishStart } from "../en/start.js";

export const germanStart: typeof englishStart = {
  title: "Einrichten",
  stepsLabel: "Schritte",
  states: { done: "erledigt", skipped: "übersprungen", open: "offen" },
  next: "Speichern und weiter",
  goOn: "Weiter",
  toPlan: "Weiter zum Plan",
  skip: "Überspringen",
  back: "Zurück",
  link: "Das Haus Schritt für Schritt einrichten",
  steps: {
    place: {
      name: "Ort",
      title: "Wo steht Ihr Haus?",
      intro: "Für das Wetter, und damit für den Ertrag der PV-Anlage und den Verbrauch.",
    },
    find: {
      name: "Ihre Geräte",
      title: "Welche Geräte haben Sie?",
      intro:
        "hourgate findet Wechselrichter, Batterie, Zähler und Ladestation in Ihrem Netz und liest sie ab dann.",
    },
    tariff: {
      name: "Tarif",
      title: "Was bezahlen Sie für Strom?",
      intro: "Lieferant und Netzbetreiber stehen auf der Rechnung.",
    },
    load: {
      name: "Verbrauch",
      title: "Wie viel Strom brauchen Sie?",
      intro: "Wie auf der letzten Rechnung, mit Auto und Wärmepumpe. Messwerte ersetzen die Angabe später.",
    },
    battery: {
      name: "Batterie",
      title: "Welche Batterie haben Sie?",
      intro: "Wählen Sie Ihr Modell, oder geben Sie die Werte aus dem Datenblatt ein.",
    },
    pv: {
      name: "PV",
      title: "Wie sieht Ihre PV-Anlage aus?",
      intro: "Eine Fläche je Ausrichtung.",
    },
    devices: {
      name: "Verbraucher",
      title: "Welche Geräte können auf günstige Stunden warten?",
      intro: "Jedes Gerät erhält die üblichen Werte seiner Art; alles lässt sich später ändern.",
    },
    soc: {
      name: "Ladestand",
      title: "Wie voll ist die Batterie jetzt?",
      intro:
        "Der Plan beginnt mit diesem Wert. Sobald die Batterie verbunden ist, meldet sie ihren Ladestand selbst.",
    },
    connection: {
      name: "Verbindung",
      title: "Wie erreicht hourgate Ihre Geräte?",
      intro:
        "Für Messwerte und Befehle. Das hat Zeit: Der Plan ist schon da, nur befolgt ihn noch kein Gerät.",
    },
    plan: { name: "Plan", title: "Ihr erster Plan", intro: "Er wird jede Viertelstunde erneuert." },
  },
  tariff: {
    supplier: "Lieferant",
    supplierHint: "Die Aufschläge stammen aus öffentlichen Preisblättern: bitte mit Ihrem vergleichen.",
    choose: "Bitte einen Eintrag der Liste wählen.",
    supplierToo:
      "Bitte auch den Lieferanten wählen: Der jetzige Preis enthält Netzentgelt oder Umsatzsteuer.",
    otherSpot: "Börsenpreis + Aufschlag",
    fixed: "Fixpreis",
    markup: "Aufschlag auf den Börsenpreis",
    markupHint: "Bei einem anderen Lieferanten, ohne Umsatzsteuer.",
    fixedPrice: "Fixpreis der Energie",
    fixedHint: "Mit Umsatzsteuer.",
    fixedMissing: "Bitte den Preis in ct/kWh eingeben.",
    area: "Netzgebiet",
    areaHint: "Seine Entgelte und die Abgaben kommen dazu.",
    noArea: "im Preis, oder unbekannt",
    municipality: "Abgabe der Gemeinde",
    noLevy: "keine",
    summerLow: "Der Zähler liefert Viertelstundenwerte",
    summerLowHint: "Dann ist das Netzentgelt von April bis September von 10 bis 16 Uhr um 20 % niedriger.",
    feedIn: "Einspeisung",
    feedInSpot: "Börsenpreis",
    feedInFixed: "Fixpreis",
    feedInPrice: "Fixpreis der Einspeisung",
    preview: "Preis anzeigen",
    now: (price, spot) => `Jetzt wären das ${price} ct/kWh (Börsenpreis ${spot} ct/kWh).`,
    noPrice: "Der Preis dieser Stunde ist noch nicht bekannt.",
    names: { oemag: "OeMAG-Marktpreis" },
  },
  soc: {
    label: "Ladestand",
    hint: "Wie ihn der Wechselrichter oder seine App anzeigt.",
    invalid: "Bitte den Ladestand eingeben, eine Zahl zwischen 0 und 100.",
    submit: "Übernehmen",
    byHand: "Von Hand eingeben:",
  },
  connection: {
    present: "Schon verbunden",
    reads: "Liest",
    commands: "Steuert",
    found: "Am MQTT-Broker gesehen",
    nothing:
      "Noch nichts. Geräte, die am Broker dieses Gateways veröffentlichen, erscheinen hier, etwa evcc, Victron, Shelly, Tasmota und zigbee2mqtt.",
    ways: "Wege zur Verbindung",
    links: {
      actuators: "Batterie, Wallbox oder Relais direkt",
      evcc: "evcc",
      homeAssistant: "Home Assistant",
      others: "Victron, Loxone, Node-RED und andere",
    },
    hints: {
      actuators: "hourgate schaltet das Gerät selbst",
      evcc: "steuert die Batterie, erhält Preise und Prognosen",
      homeAssistant: "findet das Haus am Broker von selbst",
      others: "Links, Vorlagen, Topics",
    },
  },
  plan: {
    saves: (cost, savings) =>
      `Erwartete Kosten der nächsten 7 Tage: ${cost} €. Das sind ${savings} € weniger als mit einer ungesteuerten Batterie.`,
    computing: "Der Plan wird berechnet. Diese Seite lädt sich von selbst neu.",
    toOverview: "Zur Übersicht",
    toStep: { battery: "Batterie eingeben", soc: "Ladestand eingeben" },
    missing: "Was noch fehlt, und wofür",
    neededFor: {
      place: "Für Wetter und Sonne.",
      tariff: "Für Ihren Preis; bis dahin gilt der Börsenpreis.",
      battery: "Zum Laden in günstigen und Verwenden in teuren Stunden.",
      soc: "Damit der Plan beim richtigen Wert beginnt.",
      pv: "Für die Sonne der nächsten Tage.",
      load: "Für den Verbrauch des Haushalts, bis es Messwerte gibt.",
      devices: "Damit Auto, Boiler und Wärmepumpe laufen, wenn es günstig ist.",
      connection: "Damit Geräte dem Plan folgen.",
    },
  },
};
