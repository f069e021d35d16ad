import type { englishCompare } from "../en/compare.js";

export const germanCompare: typeof englishCompare = {
  title: "Tarifvergleich",
  intro:
    "Was ein Jahr mit Ihrem Verbrauch und Ihrer PV in mehreren Tarifen kostet. Alle Beträge in € inklusive Umsatzsteuer, Fixkosten und Einspeisung.",
  area: "Netzgebiet",
  areaHint: "Die mitgelieferten Tarife enthalten die Netzentgelte dieses Gebiets.",
  areaChoose: "Wählen Sie ein Netzgebiet, um die mitgelieferten Tarife zu sehen.",
  showTariffs: "Tarife anzeigen",
  tariffs: "Tarife",
  own: "Eigener Tarif",
  asOf: (date) => `Preise vom ${date}`,
  year: "Zeitraum",
  newest: "Letzte 365 Tage",
  start: "Vergleichen",
  note: "Ein Jahr dauert bis zu einer Minute je Tarif, auf einem langsamen oder ausgelasteten Rechner länger. Das Gateway rechnet im Hintergrund mit niedriger Priorität. Das Ergebnis bleibt bis zum nächsten Vergleich oder Neustart des Gateways im Arbeitsspeicher.",
  noneChosen: "Kein Tarif ist ausgewählt. Wählen Sie mindestens einen Tarif.",
  wrongYear: "Dieses Jahr kann nicht verglichen werden. Wählen Sie einen Zeitraum aus der Liste.",
  noTariffs:
    "Kein Tarif ist bekannt. Tragen Sie in den Einstellungen einen Tarif ein oder wählen Sie ein Netzgebiet.",
  busy: "Ein anderer Vergleich läuft. Versuchen Sie es erneut, wenn er beendet ist.",
  running: (pct) => `Fortschritt: ${pct} %`,
  runningNote: "Diese Seite lädt alle 3 Sekunden neu. Sie können sie verlassen, der Vergleich läuft weiter.",
  faults: {
    no_prices:
      "Keine Preise sind gespeichert. Warten Sie, bis eine Preisquelle geliefert hat, oder importieren Sie Preise (hourgate import prices DATEI).",
    no_load:
      "Weniger als 14 Tage Verbrauch sind bekannt. Importieren Sie auf der Seite Zählerdaten eine Datei Ihres Netzbetreibers oder senden Sie Telemetrie.",
    no_overlap:
      "Preise und Verbrauch überschneiden sich in diesem Zeitraum um weniger als einen Tag. Wählen Sie einen anderen Zeitraum oder importieren Sie die fehlenden Daten.",
    failed:
      "Der Vergleich ist fehlgeschlagen. Das Protokoll des Gateways nennt den Grund. Starten Sie ihn erneut.",
  },
  noBatteryNote:
    "Für diese Anlage ist keine Batterie eingetragen. Berechnet werden nur die Kosten ohne Batterie. Tragen Sie für die übrigen Werte eine Batterie in den Einstellungen ein.",
  result: "Ergebnis",
  period: (from, to) => `${from} bis ${to}`,
  load: (kwh) => `Verbrauch: ${kwh} kWh.`,
  loadMissing: (hours) => `Ohne Messwert: ${hours} h, ergänzt mit dem üblichen Verbrauch.`,
  pv: {
    measured: "PV: gemessen.",
    modelled: "PV: aus den Modulfeldern und dem aufgezeichneten Wetter berechnet.",
    none: "PV: nicht bekannt.",
  },
  metered: {
    energies: (importKwh, exportKwh) => `Gezählt: ${importKwh} kWh Bezug, ${exportKwh} kWh Einspeisung.`,
    missing: (hours) => `Ohne Zählerwert: ${hours} h, sie sind in keinem Betrag enthalten.`,
    why: (readings) =>
      readings.length === 0
        ? "Die Beträge gelten für Bezug und Einspeisung, wie sie der Zähler gezählt hat."
        : `Die Beträge gelten für Bezug und Einspeisung, wie sie der Zähler gezählt hat. Was hourgate unter jedem Tarif sparen würde, lässt sich berechnen, sobald diese Messwerte 14 Tage lang bekannt sind: ${readings.join(", ")}.`,
    readings: { pv: "Leistung der PV", battery: "Leistung oder Ladestand der Batterie" },
    connect: "Verbinden zeigt, woher Messwerte kommen",
  },
  cheapest: "Günstigster",
  tariff: "Tarif",
  columns: {
    uncontrolled: "Ohne Steuerung",
    hourgate: "Mit hourgate",
    perfect: "Perfekte Voraussicht",
    noBattery: "Ohne Batterie",
    metered: "Wie gezählt",
  },
  caption: "Kosten des Zeitraums in €",
  chart: "Kosten des Zeitraums je Tarif in €. Die Tabelle enthält dieselben Werte.",
  notes:
    "Ohne Steuerung: Die Batterie speichert nur PV-Überschuss. Perfekte Voraussicht: Alle Preise und der Verbrauch sind im Voraus bekannt, die Kosten sind die niedrigsten möglichen. Am Ende gespeicherte Energie wird mit ihrem Wert abgezogen.",
};
