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
    metered: "Mit Bezug und Einspeisung, die der Zähler gemessen hat.",
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
    tariffs: "Lieferanten im Vergleich",
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
    tariffs: "Mehrere Lieferanten vergleichen",
    tariffsHint: "Jeder wird mit allem darüber gerechnet; ein Jahr dauert je bis zu einer Minute.",
    asOf: (date) => `Preise vom ${date}`,
    area: "Netzgebiet",
    areaHint: "Die eingebauten Tarife enthalten die Netzentgelte dieses Gebiets.",
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
    area: "Wählen Sie ein Netzgebiet aus der Liste.",
    withoutCar: "In den Einstellungen gibt es keine Wallbox.",
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
  tariffColumn: "Tarif",
  columns: {
    uncontrolled: "Ohne Steuerung",
    hourgate: "Mit hourgate",
    perfect: "Perfekte Voraussicht",
    no_battery: "Ohne Batterie",
    metered: "Wie gezählt",
  },
  caption: "Kosten des Zeitraums in €",
  notes:
    "Ohne Steuerung: Die Batterie speichert nur PV-Überschuss. Perfekte Voraussicht: Alle Preise und der Verbrauch sind im Voraus bekannt, die Kosten sind die niedrigsten möglichen. Am Ende gespeicherte Energie wird mit ihrem Wert abgezogen.",
  noBatteryNote:
    "Für diese Anlage ist keine Batterie eingetragen. Berechnet werden nur die Kosten ohne Batterie. Tragen Sie für die übrigen Werte eine Batterie in den Einstellungen ein.",
  ownTariff: "Eigener Tarif",
};
