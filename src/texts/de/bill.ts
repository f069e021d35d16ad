import type { englishBill } from "../en/bill.js";
import { windowName } from "../window-name.js";

const GERMAN_WINDOWS = {
  months: ["Jän.", "Feb.", "März", "April", "Mai", "Juni", "Juli", "Aug.", "Sept.", "Okt.", "Nov.", "Dez."],
  weekdays: ["Mo.", "Di.", "Mi.", "Do.", "Fr.", "Sa.", "So."],
  holidays: "Feiertage",
  noHolidays: "außer Feiertage",
  normal: "normal",
  clock: (span: string) => `${span} Uhr`,
};

export const germanBill: typeof englishBill = {
  title: "Rechnung",
  compare: "Was würde das mit einem anderen Tarif kosten?",
  intro:
    "Die Rechnung eines Monats, wie Lieferant und Netzbetreiber sie schreiben, aus den gemessenen Werten und dem Tarif der Anlage.",
  choose: "Monat",
  year: (year) => `Ganzes Jahr ${year}`,
  until: (time) => `Bis jetzt (${time}), mit anteiligen Fixbeträgen.`,
  show: "Anzeigen",
  print: "Die Seite lässt sich im Browser drucken.",
  of: (site, period) => `${site}, ${period}`,
  part: "Posten",
  quantity: "Menge",
  price: "Preis",
  net: "Netto €",
  sections: {
    supplier: "Energie (Lieferant)",
    grid: "Netz (Netzbetreiber)",
    levies: "Abgaben",
  },
  parts: {
    energy: "Energie",
    base_fee: "Grundpreis",
    grid_usage: "Netznutzung",
    grid_loss: "Netzverlust",
    grid_flat: "Netznutzung, Pauschale",
    metering: "Messentgelt",
    grid_power: "Leistungspreis",
    levy: "Abgabe",
    municipal_levy: "Gemeindeabgabe",
    community: "Energie der Gemeinschaft",
    feed_in: "Einspeisung",
  },
  window: (name) => windowName(name, GERMAN_WINDOWS),
  ofCommunity: "Anteil der Gemeinschaft",
  sum: "Summe",
  netSum: "Netto",
  vat: "Umsatzsteuer",
  gross: "Brutto, Lieferant und Netz",
  communityTitle: "Rechnung der Energiegemeinschaft",
  feedInTitle: "Gutschrift für Einspeisung",
  communityFeedIn: "an die Gemeinschaft",
  communityGross: "Gemeinschaft, inklusive Umsatzsteuer",
  feedInCost: "Kosten der Einspeisung (negativer Preis)",
  feedInSum: "Gutschrift Einspeisung",
  total: "Zu zahlen",
  credit: "Guthaben",
  gapsTitle: "Lücken und geschätzte Werte",
  gap(kind, { hours, kwh, eur }) {
    switch (kind) {
      case "missing":
        return `${hours} Stunden ohne Messwert sind nicht in der Rechnung. Bei durchschnittlichem Bezug wären das ${kwh} kWh${eur === undefined ? "" : `, etwa ${eur} €`}.`;
      case "no_price":
        return `${hours} Stunden ohne Marktpreis sind nicht in der Rechnung: ${kwh} kWh.`;
      case "estimated":
        return `${hours} Stunden haben Werte, die der Netzbetreiber geschätzt hat: ${kwh} kWh${eur === undefined ? "" : `, ${eur} €`}.`;
      case "no_feed_in_price":
        return `${hours} Stunden mit Einspeisung ohne Marktpreis sind nicht in der Gutschrift: ${kwh} kWh. Laden Sie die Marktpreise nach (hourgate import prices).`;
      default:
        return `${hours} Stunden ohne Wert der Einspeisung sind nicht in der Gutschrift. Bei durchschnittlicher Einspeisung wären das ${kwh} kWh${eur === undefined ? "" : `, etwa ${eur} €`}.`;
    }
  },
  laterPrices: (year) =>
    `Verwendet werden die Netzentgelte von ${year}, weil der Tarif keine anderen enthält. Ergänzen Sie den Tarif um einen Zeitraum mit den damals gültigen Entgelten.`,
  intervals: "Zeiten anzeigen",
  more: (count) => `und ${count} weitere`,
  estimatedPrice: (part) =>
    `Der Preis für ${part === "energy" ? "Energie" : "Einspeisung"} ist für diesen Monat noch nicht bekannt; verwendet wird der des letzten bekannten Monats.`,
  noPrices: (period) =>
    `Für ${period} gibt es keine Marktpreise. Der Administrator kann sie mit „hourgate import prices DATEI“ importieren.`,
  noMeter: (period) => `Für ${period} gibt es keine Zählerdaten.`,
  importFirst: "Zählerdaten importieren",
  noTariff: "Diese Anlage hat keinen Tarif. Ohne Tarif ist keine Rechnung möglich.",
  setTariff: "Tarif eintragen",
  badTariff: (reason) => `Der Tarif dieser Anlage ist nicht verwendbar: ${reason}`,
  wrongMonth: "Wählen Sie einen Monat aus der Liste.",
  month: "Monat",
  importKwh: "Bezug kWh",
  exportKwh: "Einspeisung kWh",
  grossShort: "Brutto €",
  feedInShort: "Einspeisung €",
  communityShort: "Gemeinschaft €",
  totalShort: "Zu zahlen €",
  notMetered: "keine Zählerdaten oder Preise",
  incomplete: "unvollständig",
};
