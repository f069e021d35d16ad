import type { englishHome } from "../en/home.js";

export const germanHome: typeof englishHome = {
  title: "Mein Haus",
  lead: (name) => `Die Einstellungen von ${name}. Nach dem Speichern wird der Plan neu berechnet.`,
  more: "Weitere Einstellungen",
  rows: { none: "Noch kein Eintrag." },
  batteries: (count) => (count === 1 ? "1 Batterie" : `${count} Batterien`),
  directions: ["Nord", "Nordost", "Ost", "Südost", "Süd", "Südwest", "West", "Nordwest"],
  values: { yes: "ja", no: "nein" },
  summaries: {
    noPlace: "Kein Standort: Wetter und PV-Ertrag sind unbekannt",
    battery: (kwh, chargeKw, dischargeKw) =>
      chargeKw === dischargeKw
        ? `${kwh} kWh, ${chargeKw} kW`
        : `${kwh} kWh, Laden ${chargeKw} kW, Entladen ${dischargeKw} kW`,
    noBattery: "Keine Batterie",
    pv: (count, peakKw) => (count === 1 ? `1 Fläche, ${peakKw} kWp` : `${count} Flächen, ${peakKw} kWp`),
    noPv: "Keine PV-Anlage",
    load: (kwh) => `${kwh} kWh pro Tag`,
    grid: (importKw, exportKw) => {
      const limits = [
        ...(importKw === "" ? [] : [`Bezug bis ${importKw} kW`]),
        ...(exportKw === "" ? [] : [`Einspeisung bis ${exportKw} kW`]),
      ];
      return limits.length === 0 ? "Keine Grenzen" : limits.join(", ");
    },
    noTariff: "Nur Börsenpreis",
    tariffPeriods: "Preise mit Datum",
    spot: "Börsenpreis",
    markupPct: (pct) => `${pct} %`,
    markup: (ct) => `${ct} ct Aufschlag`,
    levies: (ct) => `${ct} ct Abgaben`,
    gridFee: (ct, hasWindows) =>
      `${ct === "" ? "" : `${ct} ct `}Netzentgelt${hasWindows ? " nach Uhrzeit" : ""}`,
    vat: (pct) => `${pct} % Umsatzsteuer`,
    noSlots: "Keine Geräte",
    topics: (count) => (count === 1 ? "1 Topic" : `${count} Topics`),
    noTopics: "Keine Topics",
    feeWindow: (months, hours, ct) => `Monate ${months}, Stunden ${hours}: ${ct} ct/kWh`,
  },
  changes: {
    added: (what, summary) => `${what} hinzugefügt (${summary})`,
    removed: (what, summary) => `${what} entfernt (${summary})`,
  },
  saved: {
    title: "Gespeichert",
    undone: "Rückgängig gemacht",
    unchanged: "Nichts geändert: Die Werte sind dieselben wie vorher.",
    last: "Letzte Änderung",
    recalculated: "Plan neu berechnet.",
    cost: (before, after) => `Erwartete Kosten der nächsten 7 Tage: ${before} → ${after} €.`,
    costAfter: (after) => `Erwartete Kosten der nächsten 7 Tage: ${after} €.`,
    costSame: (after) => `Erwartete Kosten der nächsten 7 Tage: weiterhin ${after} €.`,
    costShort: (after) => `7 Tage ${after} €`,
    undoShort: "Rückgängig",
    noPlan: "Noch kein Plan: Er braucht eine Batterie, deren Ladestand und Preise.",
    computing: "Der Plan wird neu berechnet.",
    reload: "Ergebnis anzeigen",
    undo: "Rückgängig machen",
    undoHint: (hours) =>
      `${hours} Stunden lang möglich, solange diese Einstellungen nicht erneut geändert werden.`,
  },
  refused: {
    tooManyRows: (most) =>
      `Es wurde nichts gespeichert: Auf einmal können höchstens ${most} Zeilen gesendet werden.`,
    expired:
      "Diese Änderung lässt sich nicht mehr rückgängig machen: Sie ist zu alt, oder dieselben Einstellungen wurden seither geändert.",
    changed:
      "Diese Änderung lässt sich nicht rückgängig machen: Dieselben Einstellungen wurden seither geändert. Es wurde nichts geändert; die früheren Werte bitte von Hand eintragen.",
    invalid:
      "Diese Änderung lässt sich nicht rückgängig machen: Die früheren Werte passen nicht mehr zu den anderen Einstellungen. Es wurde nichts geändert.",
    outdated:
      "Nicht gespeichert: Diese Einstellungen wurden inzwischen geändert, etwa in einem anderen Fenster. Die Seite zeigt die jetzigen Werte und Ihre Eingaben. Bitte prüfen und noch einmal speichern.",
    stale:
      "Es wurde nichts entfernt: Die Einstellungen wurden inzwischen geändert. Bitte prüfen und noch einmal versuchen.",
  },
  remove: {
    title: (what) => `${what} entfernen?`,
    resetTitle: (what) => `${what}: auf die Konfigurationsdatei zurücksetzen?`,
    resetText: "Die hier eingestellten Werte werden durch die der Konfigurationsdatei ersetzt.",
    undo: (hours) => `Das lässt sich ${hours} Stunden lang rückgängig machen.`,
    cancel: "Abbrechen",
  },
  validFrom: {
    label: "Gilt ab",
    hint: "Geänderte Preise gelten ab diesem Tag; Rechnungen und Ersparnisse der Zeit davor bleiben, wie sie sind. Liegt der Tag in der Vergangenheit, werden Rechnungen und Ersparnisse seit diesem Tag neu berechnet.",
    invalid: "Bitte den ersten Tag eingeben, an dem die Preise gelten, zum Beispiel 01.03.2026.",
  },
  prices: {
    since: (date) =>
      date === undefined
        ? "Die geltenden Preise, ohne Umsatzsteuer."
        : `Die Preise, die seit ${date} gelten, ohne Umsatzsteuer.`,
    later: (date) => `Ab ${date} gelten andere Preise; sie bleiben, wie sie sind.`,
    changed: (date, line) => `Ab ${date}: ${line}`,
    energy: "Energiepreis",
    energyWindow: (number) => `Energiepreis im Zeitfenster ${number}`,
    energyMonth: (month) => `Energiepreis im ${month}`,
    energyBlock: (number) => `Energiepreis in Stufe ${number}`,
    blockEnd: (block) => `${block}: bis`,
    markup: "Aufschlag auf den Börsenpreis",
    markupPct: "Aufschlag in Prozent des Börsenpreises",
    baseFee: "Grundgebühr des Lieferanten pro Monat",
    grid: "Netznutzungsentgelt",
    gridWindow: (when) => (when === "" ? "Netznutzungsentgelt" : `Netznutzungsentgelt (${when})`),
    loss: "Netzverlustentgelt",
    flat: "Netzpauschale pro Jahr",
    metering: "Messentgelt pro Monat",
    eurYear: "€/Jahr",
    vat: "Umsatzsteuer",
    feedInType: "Einspeisung wird bezahlt nach",
    feedInSpot: "Börsenpreis",
    feedInFixed: "Fixpreis",
    feedInOther: "wie bisher (nach Monat oder Formel)",
    feedIn: "Fixpreis der Einspeisung",
    feedInMonth: (month) => `Preis der Einspeisung im ${month}`,
    feedInBlock: (number) => `Preis der Einspeisung in Stufe ${number}`,
    community: "Preis der Energiegemeinschaft",
    communityFeedIn: "Vergütung der Energiegemeinschaft für Einspeisung",
    communityDiscount: "Rabatt auf das Netznutzungsentgelt für Energie der Gemeinschaft",
    communityShare: "Erwarteter Anteil der Gemeinschaft am Verbrauch",
    communityVat: "Umsatzsteuer auf der Rechnung der Gemeinschaft",
    feedInHint: "Nur bei einem Fixpreis.",
    deduct: "Abzug vom Börsenpreis der Einspeisung",
    deductPct: "Abzug in Prozent des Börsenpreises",
    needsNumber: "Bitte eine Zahl eingeben, zum Beispiel 12,5.",
  },
  unsaved: "Noch nicht gespeichert",
};
