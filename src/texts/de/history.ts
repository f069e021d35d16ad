import type { englishHistory } from "../en/history.js";

export const germanHistory: typeof englishHistory = {
  title: "Energie und Kosten",
  periods: { day: "Tag", week: "Woche", month: "Monat", year: "Jahr" },
  period: "Zeitraum",
  previous: "Zurück",
  next: "Weiter",
  week: (from, to) => `${from} – ${to}`,
  nothing:
    "Für diesen Zeitraum gibt es keine Messwerte. Der Verlauf beginnt mit dem ersten Zählerstand (import_kwh) oder einer importierten Datei.",
  figures: {
    cost: "Kosten laut Abrechnung",
    saved: "Gespart",
    paid: "Bezahlter Preis je bezogener kWh",
    load: "Verbrauch",
    pv: "PV-Erzeugung",
  },
  ofDays: (known, all) =>
    `${known} von ${all} Tagen sind vollständig; Kosten und Ersparnis gelten für diese Tage.`,
  balance: "Energiebilanz",
  balanceChart:
    "Energie in kWh: PV, Netzbezug und Entladung über der Linie; Verbrauch, Einspeisung und Ladung darunter. Die Tabelle enthält dieselben Werte.",
  costs: "Kosten",
  costChart: "Kosten laut Abrechnung in €. Die Tabelle enthält dieselben Werte.",
  price: "Preis",
  priceChart:
    "Mittlerer Preis der in jeder Stunde bezogenen Energie in ct/kWh. Die Tabelle enthält dieselben Werte.",
  soc: "Ladestand",
  socChart: "Ladestand in Prozent, am Morgen geplant und gemessen. Die Tabelle enthält dieselben Werte.",
  noPlan: "Für diesen Tag ist kein Plan vom Morgen gespeichert.",
  table: "Werte",
  inKwh: "Energie in kWh, Beträge in € mit USt., Preis in ct/kWh",
  columns: {
    hour: "Stunde",
    day: "Tag",
    month: "Monat",
    pv: "PV",
    load: "Verbrauch",
    import: "Bezug",
    export: "Einspeisung",
    charge: "Batterie geladen",
    discharge: "Batterie entladen",
    price: "Preis",
    cost: "Kosten",
    uncontrolled: "Ohne Steuerung",
    noBattery: "Ohne Batterie",
    saved: "Gespart",
    plannedSoc: "Ladestand geplant %",
    soc: "Ladestand %",
  },
  sum: "Summe",
  amountsNote:
    "Kosten: die Rechnung mit Energie, Netz, Abgaben und USt., abzüglich Einspeisung. Ohne Steuerung: dieselbe Rechnung, wenn die Batterie nur PV-Überschuss speichert und die Geräte ohne Plan laufen. Ohne Batterie: bei gleichem Verbrauch und gleicher PV-Erzeugung.",
  amountsLink: "Ersparnis im Detail",
  devices: "Geräte",
  device: "Gerät",
  energy: "Energie, kWh",
  noDevices: "Kein Gerät meldet seine Energie oder Leistung.",
  download: "Als CSV herunterladen",
  leftOut: {
    title: "Nicht verwendete Messwerte",
    note: (count) =>
      `${count} seit dem Start: in diesem Haus nicht möglich, daher in keiner Rechnung, Ersparnis oder Prognose.`,
    caption: "Die letzten 50, mit den gemeldeten Werten",
    columns: { time: "Zeit", reading: "Messwert", value: "Wert" },
  },
  quality: "Prognosegüte",
  qualityNote:
    "Mittlerer absoluter Fehler der stündlichen Prognosen, die kurz nach Mitternacht für den Folgetag erstellt wurden. PV: nur Stunden mit Erzeugung oder prognostizierter Erzeugung. Je niedriger, desto besser.",
  qualityNone:
    "Noch kann keine Prognose für den Folgetag verglichen werden. Prognosen werden jede Nacht gespeichert und nach dem prognostizierten Tag verglichen.",
  byDay: {
    titles: {
      load: "Verbrauch eines Tages nach Prognosetag",
      pv: "PV-Ertrag eines Tages nach Prognosetag",
    },
    day: "Tag",
    error: "Mittlerer Fehler, kWh",
    bias: "Abweichung, kWh",
    coverage: "Im Band",
    days: "Verglichene Tage",
    note: "Jede Nacht werden Verbrauch und PV-Ertrag für den beginnenden Tag (Tag 1) und die sechs folgenden prognostiziert und nach dem jeweiligen Tag verglichen; es zählen höchstens die letzten 60 Tage. Abweichung: Prognose minus Messung im Mittel. Im Band: Anteil der Tage zwischen P10 und P90, angestrebt sind 80 %.",
  },
  quantity: "Prognose",
  last: "Letzte 30 Tage",
  before: "30 Tage davor",
  quantities: {
    price: "Marktpreis (ct/kWh)",
    pv: "PV (kWh je Stunde)",
    load: "Verbrauch (kWh je Stunde)",
  },
  hours: (count) => `${count} Stunden`,
};
