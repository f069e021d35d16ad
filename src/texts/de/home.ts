import type { englishHome } from "../en/home.js";

export const germanHome: typeof englishHome = {
  title: "Mein Haus",
  rows: { none: "Noch kein Eintrag." },
  directions: ["Nord", "Nordost", "Ost", "Südost", "Süd", "Südwest", "West", "Nordwest"],
  values: { yes: "ja", no: "nein" },
  summaries: {
    battery: (kwh, chargeKw, dischargeKw) =>
      chargeKw === dischargeKw
        ? `${kwh} kWh, ${chargeKw} kW`
        : `${kwh} kWh, Laden ${chargeKw} kW, Entladen ${dischargeKw} kW`,
  },
  technical: "Technik",
  car: "Auto",
  subjects: {
    place: "Standort",
    battery: "Batterie",
    pv: "Sonne",
    load: "Verbrauch",
    grid: "Netzanschluss",
    tariff: "Tarif",
    slots: "Geräte",
    telemetry: "Messwerte über MQTT",
  },
  sentences: {
    place: (latitude, longitude) => `Ihr Haus steht bei ${latitude}° N, ${longitude}° O.`,
    placeNear: (town) => `Ihr Haus steht in der Gegend von ${town}.`,
    noPlace: "Wo steht Ihr Haus? Ohne Standort sind Wetter und Sonne unbekannt.",
    battery: (kwh, kw) => `Ihre Batterie hat ${kwh} kWh und lädt mit bis zu ${kw} kW.`,
    batteries: (count, kwh, kw) =>
      `Ihre ${count} Batterien haben zusammen ${kwh} kWh und laden mit bis zu ${kw} kW.`,
    noBattery: "Es ist noch keine Batterie eingetragen.",
    pv: (peakKw, directions) => `Ihre PV-Anlage hat ${peakKw} kWp (${directions}).`,
    noPv: "Es ist noch keine PV-Anlage eingetragen.",
    load: (kwh) => `Ihr Haushalt braucht etwa ${kwh} kWh im Jahr.`,
    noLimits: "Ihr Netzanschluss hat keine Grenzen.",
    limits: (limits) => `Ihr Netzanschluss erlaubt ${limits}.`,
    importLimit: (kw) => `Bezug bis ${kw} kW`,
    exportLimit: (kw) => `Einspeisung bis ${kw} kW`,
    tariff: (energy, fees, nowCt) =>
      `Sie bezahlen ${energy === "Börsenpreis" || energy.startsWith("Börsenpreis +") ? `den ${energy}` : energy}${fees === undefined ? "" : `, dazu ${fees}`}${nowCt === undefined ? "" : `; jetzt ${nowCt} ct`}.`,
    noTariff: "Es ist noch kein Tarif eingetragen: Geplant wird mit dem Börsenpreis allein.",
    devices: (names) => `Können auf günstige Stunden warten: ${names}.`,
    noDevices: "Noch kein Gerät kann auf günstige Stunden warten.",
    car: (kwh, when, pct) => `Das Auto (${kwh} kWh) soll ${when} bei ${pct} % sein.`,
    wallbox: (kwh, until) =>
      kwh === undefined || until === undefined
        ? "An der Wallbox ist noch kein Auto eingetragen."
        : `Die Wallbox lädt ${kwh} kWh bis ${until}.`,
    noCar: "Es ist noch kein Auto eingetragen.",
    topics: (count) => (count === 1 ? "Ein Topic wird gelesen." : `${count} Topics werden gelesen.`),
    noTopics: "Es werden keine Topics gelesen.",
    links: "Adressen für Steuerungen ohne MQTT.",
    start: "Die ersten Schritte noch einmal gehen.",
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
    parts: "Teile des Preises, ohne Umsatzsteuer",
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
    window: { months: (when) => `Monate von ${when}`, times: (when) => `Uhrzeit von ${when}` },
    loss: "Netzverlustentgelt",
    flat: "Netzpauschale pro Jahr",
    metering: "Messentgelt pro Monat",
    eurYear: "€/Jahr",
    levy: (name, from, to) =>
      from === undefined && to === undefined
        ? name
        : `${name} (${[...(from === undefined ? [] : [`ab ${from}`]), ...(to === undefined ? [] : [`bis ${to}`])].join(" ")})`,
    vat: "Umsatzsteuer",
    feedIn: "Fixpreis der Einspeisung",
    feedInMonth: (month) => `Preis der Einspeisung im ${month}`,
    feedInBlock: (number) => `Preis der Einspeisung in Stufe ${number}`,
    community: "Preis der Energiegemeinschaft",
    communityFeedIn: "Vergütung der Energiegemeinschaft für Einspeisung",
    communityDiscount: "Rabatt auf das Netznutzungsentgelt für Energie der Gemeinschaft",
    communityShare: "Erwarteter Anteil der Gemeinschaft am Verbrauch",
    communityVat: "Umsatzsteuer auf der Rechnung der Gemeinschaft",
    deduct: "Abzug vom Börsenpreis der Einspeisung",
    deductPct: "Abzug in Prozent des Börsenpreises",
    needsNumber: "Bitte eine Zahl eingeben, zum Beispiel 12,5.",
  },
  unsaved: "Noch nicht gespeichert",
};
