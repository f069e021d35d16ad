import type { englishWhatIf } from "../en/what-if.js";

export const germanWhatIf: typeof englishWhatIf = {
  title: "Was wäre, wenn",
  intro:
    "Was ein vergangener Monat oder ein Jahr mit einer anderen Batterie, mehr PV, einem anderen Tarif, ohne Auto oder mit einer Wärmepumpe gekostet hätte. Alle Beträge mit USt., Fixkosten und Einspeisung.",
  running: (pct) => `Fortschritt: ${pct} %`,
  runningNote: "Diese Seite lädt von selbst neu. Sie können sie verlassen; die Antwort steht dann hier.",
  cancel: "Abbrechen",
  busy: "Eine andere Berechnung läuft. Versuchen Sie es erneut, wenn sie beendet ist.",
  tooMany: "Zu viele Fragen in dieser Stunde. Versuchen Sie es später erneut.",
  nothing: "Ändern Sie mindestens einen Wert.",
  faults: {
    no_prices: "Für diesen Zeitraum sind keine Preise gespeichert. Wählen Sie einen anderen.",
    failed:
      "Die Berechnung ist fehlgeschlagen. Das Protokoll des Gateways nennt den Grund. Fragen Sie erneut.",
  },
  results: "Antworten",
  saves: (eur) => `${eur} € weniger`,
  costs: (eur) => `${eur} € mehr`,
  same: "Kein Unterschied",
  instead: (changed, cost) => `${changed} € statt ${cost} €`,
  period: (from, to) => `${from} bis ${to}`,
  basis: {
    measured: "Mit dem, was Ihr Haus verbraucht hat.",
    standard:
      "Mit einem üblichen Haushalt, der im Jahr so viel wie Ihrer verbraucht, weil der Verbrauch dieses Zeitraums nicht gemessen wurde.",
  },
  computed: "Die Kosten ohne die Änderung sind berechnet, nicht abgerechnet.",
  remove: "Entfernen",
  ask: "Berechnen",
  change: {
    battery: (kwh) => `Batterie mit ${kwh} kWh`,
    pv: (kwp) => `${kwp} kWp mehr PV`,
    tariff: (name) => `Tarif ${name}`,
    withoutCar: "ohne Auto",
    heatPump: (kwh) => `Wärmepumpe mit ${kwh} kWh im Jahr`,
    none: "Nichts geändert",
  },
  fields: {
    period: "Zeitraum",
    year: "Die letzten 365 Tage",
    battery: "Kapazität der Batterie",
    batteryNow: (kwh) => `Jetzt ${kwh} kWh. Der Wechselrichter bleibt gleich.`,
    batteryNone: "Jetzt gibt es keine. Angenommen werden 5 kW und 90 % Wirkungsgrad.",
    pv: "Mehr PV",
    pvHint: "Zusätzlich zu dem, was auf dem Dach ist.",
    tariff: "Lieferant",
    tariffNow: "Wie jetzt",
    withoutCar: "Ohne Auto",
    withoutCarHint: "Was die Wallbox bezogen hat, wird weggelassen.",
    heatPump: "Wärmepumpe, Strom im Jahr",
    heatPumpHint: "Ein Haus mit 120 m² braucht 3000 bis 5000 kWh.",
    annual: "Verbrauch laut letzter Rechnung",
    annualHint: "Für Zeiträume, deren Verbrauch nicht gemessen wurde. Leer: der Wert Ihrer Einstellungen.",
  },
  wrong: {
    number: (most) => `Geben Sie eine Zahl über 0 ein, höchstens ${most}.`,
    period: "Für diesen Zeitraum sind keine Preise gespeichert. Wählen Sie einen aus der Liste.",
    tariff: "Wählen Sie einen Lieferanten aus der Liste.",
    withoutCar: "In den Einstellungen gibt es keine Wallbox.",
  },
};
