import type { englishSavings } from "../en/savings.js";

export const germanSavings: typeof englishSavings = {
  title: "Ersparnis",
  intro:
    "Was jeder Tag gekostet hat und was derselbe Tag mit einer Batterie ohne Steuerung gekostet hätte. Alle Beträge in EUR inklusive Umsatzsteuer.",
  today: "Heute bisher gespart",
  thisMonth: "Diesen Monat gespart",
  inYear: (year) => `Jahr ${year}`,
  month: "Monat",
  show: "Anzeigen",
  day: "Tag",
  sum: "Summe",
  inEuro: "Beträge in EUR",
  saved: (eur) => `Gespart: ${eur} EUR`,
  chart: "Ersparnis je Tag in EUR. Die Tabelle darunter enthält dieselben Werte.",
  yearChart: "Ersparnis je Monat in EUR. Die Tabelle darunter enthält dieselben Werte.",
  columns: {
    cost: "Kosten",
    uncontrolled: "Batterie ohne Steuerung",
    noBattery: "Ohne Batterie",
    promised: "Plan vom Morgen",
    perfect: "Bestmöglich",
    stored: "Gespeicherte Energie",
    saved: "Gespart",
  },
  incomplete: "Unvollständig: weniger als 90 % des Tages sind gemessen.",
  notOver: "Der Tag ist noch nicht zu Ende.",
  daysKnown: (known, all) => `${known} von ${all} Tagen`,
  nothing:
    "Noch kein Tag dieses Monats ist vollständig. Ein Tag braucht den Zähler (import_kwh oder eine importierte Datei), die Batterie (battery_power_kw oder soc_pct) und Preise.",
  noBattery: "Für diese Anlage ist keine Batterie eingetragen, daher gibt es nichts zu vergleichen.",
  note: "Gespart = Batterie ohne Steuerung − Kosten + gespeicherte Energie. Gespeicherte Energie ist der Wert dessen, was für spätere Tage geladen wurde. Unvollständige Tage fehlen in den Summen (× im Diagramm).",
  promiseTitle: "Erwartung und Ergebnis",
  promisedSaving: "Erwartet",
  achievedSaving: "Erreicht",
  comparedDays: "Verglichene Tage",
  noPromise: "Noch kein Tag dieses Jahres mit einer Erwartung des Plans ist vollständig.",
  promiseNote:
    "Erwartet: die Ersparnis, die der erste Plan jedes Tages für diesen Tag erwartet hat. Erreicht: die Ersparnis abzüglich der zusätzlichen Abnutzung der Batterie.",
};
