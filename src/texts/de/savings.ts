import type { englishSavings } from "../en/savings.js";

export const germanSavings: typeof englishSavings = {
  title: "Ersparnis",
  intro:
    "Was jeder Tag gekostet hat und was derselbe Tag ohne Steuerung gekostet hätte: Batterie im Eigenverbrauch, Auto und andere Geräte ohne Plan. Alle Beträge in € inklusive Umsatzsteuer.",
  week: "In den letzten 7 Tagen gespart",
  today: "Heute bisher gespart",
  thisMonth: "Diesen Monat gespart",
  inYear: (year) => `Jahr ${year}`,
  month: "Monat",
  show: "Anzeigen",
  day: "Tag",
  sum: "Summe",
  inEuro: "Beträge in €",
  saved: (eur) => `Gespart: ${eur} €`,
  parts: (battery, devices) => `Batterie ${battery} €, Geräte ${devices} €`,
  negative: {
    override: "Ersparnis unter null: Der Plan wurde an diesem Tag von Hand übersteuert.",
    not_followed: "Ersparnis unter null: Die Batterie hat ihre Befehle nicht befolgt.",
    kept: "Ersparnis unter null: Energie wurde für den nächsten Tag aufgehoben und zählt zum niedrigsten Preis dieses Tages.",
    forecast: "Ersparnis unter null: Verbrauch, PV oder ein Gerät war anders als vorhergesagt.",
  },
  earlier: "Vor der Inbetriebnahme von hourgate; zählt in keiner Summe.",
  chart: "Ersparnis je Tag in €. Die Tabelle darunter enthält dieselben Werte.",
  yearChart: "Ersparnis je Monat in €. Die Tabelle darunter enthält dieselben Werte.",
  columns: {
    cost: "Kosten",
    uncontrolled: "Ohne Steuerung",
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
    "Noch kein Tag dieses Monats ist vollständig. Ein Tag braucht den Zähler (gemessener Bezug oder eine importierte Datei), die Batterie (Leistung oder Ladestand) und Preise.",
  noBattery:
    "Für diese Anlage ist keine Batterie eingetragen, und weder Auto noch ein anderes Gerät wird gemessen, daher gibt es nichts zu vergleichen.",
  note: "Gespart = ohne Steuerung − Kosten. „Ohne Steuerung“ enthält die gespeicherte Energie: den Wert dessen, was für spätere Tage geladen wurde. Unvollständige Tage fehlen in den Summen (× im Diagramm); heute zählt, soweit der Tag vorbei ist.",
  promiseTitle: "Erwartung und Ergebnis",
  promisedSaving: "Erwartet",
  achievedSaving: "Erreicht",
  comparedDays: "Verglichene Tage",
  noPromise: "Noch kein Tag dieses Jahres mit einer Erwartung des Plans ist vollständig.",
  promiseNote:
    "Erwartet: die Ersparnis, die der erste Plan jedes Tages für diesen Tag erwartet hat. Erreicht: die Ersparnis derselben Tage.",
};
