import type { englishDashboard } from "../en/dashboard.js";

export const germanDashboard: typeof englishDashboard = {
  title: "Übersicht",
  headline: {
    charging: "Lädt jetzt aus dem Netz",
    chargingUntil: (end) => `Lädt jetzt aus dem Netz, bis ${end}`,
    next: (span) => `Nächstes Laden aus dem Netz: ${span}`,
    none: "In den nächsten 7 Tagen lohnt sich kein Laden aus dem Netz",
    noBattery: "Noch kein Ladeplan: Es ist keine Batterie eingetragen",
    noPrices: "Noch kein Ladeplan: Es gibt noch keine Preise",
    noSoc: "Noch kein Ladeplan: Der Ladestand fehlt",
    because: "Warum:",
    now: "Jetzt:",
  },
  steps: {
    title: "So geht es weiter",
    noBattery: "Tragen Sie Ihre Batterie ein.",
    toBattery: "Batterie eintragen",
    noPrices: "Die Preise werden gerade abgerufen; diese Seite aktualisiert sich von selbst.",
    noSoc:
      "Der Plan braucht den Ladestand der Batterie (soc_pct, 0 bis 100), am besten alle paar Minuten. Eine Nachricht genügt für den ersten Plan.",
    byHttp: "Über HTTP, mit Ihrem API-Schlüssel:",
    byMqtt: "Oder über MQTT, mit dem API-Schlüssel als Passwort:",
    toTopics: "Sendet ein anderes Gerät den Ladestand schon über MQTT? Topic eintragen",
    reference: "Beschreibung der Schnittstelle",
  },
  savings: {
    title: "Ersparnis",
    of: (eur) => `${eur} EUR in den nächsten 7 Tagen`,
    against: "gegenüber einer Batterie, die nur mit PV-Überschuss geladen wird.",
    stored: (eur, isLess) =>
      isLess
        ? `Bereits abgezogen: ${eur} EUR für Energie, die dann in der Batterie fehlt.`
        : `Davon ${eur} EUR für Energie, die dann noch in der Batterie gespeichert ist.`,
    cost: (eur, low, high) =>
      `Erwartete Kosten ${eur} EUR, in 8 von 10 Fällen zwischen ${low} und ${high} EUR.`,
    bound: (eur) => `Wäre der Verbrauch im Voraus bekannt, ließen sich höchstens ${eur} EUR mehr sparen.`,
    none: "Sobald es einen Plan gibt, steht hier die erwartete Ersparnis.",
  },
  soc: {
    title: "Ladestand",
    age: (age) => `vor ${age} gemeldet`,
    stale: "veraltet; es gilt der Ladestand laut Plan",
    lost: "zu alt: Aus Sicherheitsgründen wird nicht geladen; Entladen bleibt erlaubt",
    none: "nicht bekannt",
    now: "gerade gemeldet",
  },
  price: {
    title: "Strompreis jetzt",
    quartiles: {
      1: "im günstigsten Viertel des Tages",
      2: "unter dem Tagesdurchschnitt",
      3: "über dem Tagesdurchschnitt",
      4: "im teuersten Viertel des Tages",
    },
    allIn: "Gesamtpreis nach Ihrem Tarif",
    market: "Börsenpreis ohne Tarif",
  },
  tariff: {
    ends: (date, isOver) =>
      isOver
        ? `Die Beträge des Tarifs waren bis ${date} bekannt und werden weiter verwendet. Bitte die jetzt gültigen eintragen.`
        : `Die Beträge des Tarifs sind bis ${date} bekannt. Bitte die danach gültigen eintragen.`,
    levyEnds: (name, date) =>
      `Die Abgabe „${name}“ des Tarifs endet am ${date}, ohne dass eine folgt. Gilt sie weiter, bitte mit dem Datum eintragen, ab dem sie gilt.`,
  },
  chart: {
    title: "Preis und Plan",
    hours: (count) => (count === 48 ? "48 Stunden" : "7 Tage"),
    description: "Strompreis je Stunde, Stunden mit Laden aus dem Netz, Ladestand, PV und Verbrauch.",
    table: "Werte als Tabelle",
    time: "Zeit",
    price: "Preis (ct/kWh)",
    charge: "Laden (kWh)",
    soc: "Ladestand (%)",
    band: "Ladestand in 8 von 10 Fällen",
    pv: "PV (kW)",
    load: "Verbrauch (kW)",
    action: "Batterie",
    forecast: "Prognose",
    none: "Noch keine Preise.",
  },
  actions: {
    title: "Was als Nächstes geschieht",
    none: "Nichts geplant.",
    charge: (kwh, ct) => `Laden mit Strom aus dem Netz: ${kwh} kWh, im Mittel ${ct} ct/kWh`,
    hold: "Entladen gesperrt, die Batterie behält ihre Energie",
    slot: (label) => `${label} läuft`,
  },
  batteries: {
    title: "Batterien",
    name: "Batterie",
    soc: "Ladestand",
    charging: "Laden",
    dischargeCap: "Entladegrenze",
    chargeCap: "Grenze der PV-Ladung",
    follows: "Folgt",
    stale: "angenommen",
    states: { yes: "ja", no: "nein", unknown: "nicht bekannt" },
  },
  outputs: {
    title: "Ausgänge O1 bis O16",
    noPlan: "Sobald es einen Plan gibt, stehen hier die Werte für Steuerungen.",
    output: "Ausgang",
    meaning: "Bedeutung",
    value: "Wert",
    now: "jetzt",
    names: {
      O1: "Laden jetzt",
      O2: "Ladeleistung jetzt",
      O3: "Ladestunden gesamt",
      O4: "Ladestunden heute",
      O5: "Zu ladende Energie",
      O6: "Zeit bis zum nächsten Laden",
      O7: "Preisviertel jetzt (1 günstig, 4 teuer)",
      O8: "Preis jetzt",
      O9: "Ladestand am Ende des Ladens",
      O10: "Entladen wird gesteuert",
      O11: "Mindestladestand",
      O12: "Maximale Entladeleistung",
      O13: "Laden aus dem Netz erlaubt",
      O14: "Maximale Ladeleistung aus PV-Überschuss",
      O15: "Maximale Einspeiseleistung",
      O16: "Vorgegebene Entladeleistung",
    },
  },
  cap: {
    full: "Die Batterie darf voll entladen.",
    cheap_hold: "Der Strom ist jetzt günstig; die Energie wird für teurere Stunden aufgehoben.",
    near_min_soc: "Der Ladestand ist nahe am Minimum, und vor den teuren Stunden ist kein Laden geplant.",
    ev_charge_block: "Die Wallbox lädt; die Batterie soll nicht in das Auto entladen werden.",
    ev_charge_limit: "Die Wallbox lädt; die Batterie liefert nur den eingestellten Anteil.",
    telemetry_lost:
      "Der Ladestand ist zu alt; aus Sicherheitsgründen wird nicht geladen, Entladen bleibt erlaubt.",
  },
  chargeCap: {
    full: "PV-Überschuss wird gespeichert.",
    pv_later: "PV-Überschuss wird jetzt nicht gespeichert; die Batterie behält Platz für später.",
  },
  following: {
    title: "Die Batterie folgt den Befehlen nicht",
    since: (moment) => `seit ${moment}`,
    causes: {
      none: "",
      no_telemetry: "Es gibt keinen aktuellen Messwert der Batterie.",
      command_changed: "Der Befehl hat sich gerade geändert.",
      not_charging:
        "Sie soll aus dem Netz laden, lädt aber weniger oder gar nicht. Prüfen Sie die Steuerung, die O1 und O2 ausführt.",
      discharges_despite_cap:
        "Sie entlädt, obwohl O12 es sperrt. Prüfen Sie die Steuerung, die O12 ausführt.",
      charges_despite_cap:
        "Sie speichert PV-Überschuss, obwohl O14 es sperrt. Prüfen Sie, ob der Wechselrichter das Laden sperren kann; wenn nicht, entfernen Sie block aus den Befehlen.",
      not_discharging:
        "Sie soll mit fester Leistung entladen, tut es aber nicht. Prüfen Sie die Steuerung, die O16 ausführt.",
      charges_from_grid:
        "Sie lädt ohne Befehl aus dem Netz. Prüfen Sie die Zeitprogramme des Wechselrichters.",
    },
  },
  does: {
    grid_charge: "lädt aus dem Netz",
    pv_charge: "lädt aus PV",
    discharge: "versorgt das Haus",
    export: "speist ein",
    hold: "entlädt nicht",
    idle: "ruht",
  },
  calibration: {
    title: "Erwartete und erreichte Ersparnis",
    caption: "Je Monat, gegenüber derselben Batterie, die nur PV-Überschuss speichert.",
    month: "Monat",
    promised: "Erwartet (EUR)",
    achieved: "Erreicht (EUR)",
    days: "Verglichene Tage",
    notMeasured: "Tage ohne Messwerte",
    explanation:
      "Erwartet: was der Plan am Beginn jedes Tages für diesen Tag berechnet hat. Erreicht: berechnet aus Zählern, PV- und Batteriemesswerten und den damals gültigen Preisen. Tage, an deren Beginn es keinen Plan gab, zählen nicht.",
    none: "Den ersten Vergleich gibt es nach dem ersten Tag mit Plan, Zähler- und Batteriemesswerten.",
  },
  slots: {
    title: "Geräte",
    none: "Keine Geräte eingetragen.",
    now: "läuft jetzt",
    sgReady: { block: "gesperrt", normal: "Normalbetrieb", encourage: "verstärkt", force: "Anlaufbefehl" },
    following: (kw) => `lädt mit ${kw} kW`,
    next: (when) => `startet ${when}`,
    idle: "nichts geplant",
    unplugged: "nicht angesteckt",
    override: { run: "Jetzt starten", skip: "Auslassen", auto: "Nach Plan" },
    overridden: {
      run: (until) => `eingeschaltet bis ${until}`,
      skip: (until) => `ausgelassen bis ${until}`,
      full: (until) => `fertig bis ${until}`,
    },
    unmet: (hours) => `${hours} Stunden passen nicht ins Zeitfenster`,
  },
  quota: {
    title: "Verbleibende Abfragen",
    left: (remaining, limit) => `${remaining} von ${limit}`,
    resets: (when) => `Zurücksetzung: ${when}`,
    more: "Tarif ansehen",
  },
  components: {
    title: "Einige Funktionen sind eingeschränkt",
    degraded: "eingeschränkt",
    down: "ausgefallen",
  },
  yes: "ja",
  no: "nein",
  none: "keine",
  live: "Diese Seite aktualisiert sich von selbst.",
};
