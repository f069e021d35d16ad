import type { englishDashboard } from "../en/dashboard.js";
import { germanOverrides } from "./overrides.js";
import { germanOverview } from "./overview.js";

export const germanDashboard: typeof englishDashboard = {
  title: "Übersicht",
  headline: {
    none: "In den nächsten 7 Tagen lohnt sich kein Laden aus dem Netz",
    missing: {
      battery: "Noch kein Ladeplan: Es ist keine Batterie eingetragen",
      prices: "Noch kein Ladeplan: Es gibt noch keine Preise",
      soc: "Noch kein Ladeplan: Der Ladestand fehlt",
    },
    details: {
      title: "Einzelheiten",
      worth: (ct) =>
        `Eine gespeicherte kWh ist später voraussichtlich ${ct} ct wert. Die Batterie speichert und behält Energie, die weniger kostet, und versorgt das Haus, wo Strom mehr kostet.`,
    },
  },
  steps: {
    title: "So geht es weiter",
    noBattery: "Wenn Sie eine Batterie oder ein Gerät haben, das warten kann, tragen Sie es ein.",
    toBattery: "Batterie eintragen",
    noPrices: "Die Preise werden gerade abgerufen; diese Seite aktualisiert sich von selbst.",
    noSoc:
      "Der Plan braucht den Ladestand der Batterie in Prozent, am besten alle paar Minuten. Eine Nachricht genügt für den ersten Plan.",
    byHttp: "Über HTTP, mit Ihrem API-Schlüssel:",
    byMqtt: "Oder über MQTT, mit dem API-Schlüssel als Passwort:",
    toTopics: "Sendet ein anderes Gerät den Ladestand schon über MQTT? Topic eintragen",
    reference: "Beschreibung der Schnittstelle",
  },
  applyProposal: "Diese Einstellung übernehmen",
  savings: {
    month: "Dieser Monat",
    total: "Seit Inbetriebnahme",
    of: (eur) => `${eur} € in den nächsten 7 Tagen`,
    expected: "Erwartet:",
    explanation:
      "Jeder Betrag vergleicht die Kosten mit denen desselben Hauses ohne Steuerung: Die Batterie speichert PV-Überschuss, versorgt den Haushalt und lädt nie aus dem Netz; das Auto lädt, sobald es angesteckt ist, ein Boiler ohne Zeitfenster heizt zu seinen üblichen Zeiten, andere Geräte laufen ab dem Beginn ihres Zeitfensters. Beträge der Vergangenheit sind aus Messwerten berechnet. Die nächsten 7 Tage sind eine Erwartung für die Batterie, mit den Geräten wie geplant.",
    stored: (eur, isLess) =>
      isLess
        ? `Bereits abgezogen: ${eur} € für Energie, die dann in der Batterie fehlt.`
        : `Davon ${eur} € für Energie, die dann noch in der Batterie gespeichert ist.`,
    cost: (eur, low, high) =>
      `Erwartete Kosten ${eur} €, in 8 von 10 Fällen zwischen ${low} und ${high} €. Sie gelten für Energie und Netz des ganzen geplanten Verbrauchs, ohne Fixbeträge.`,
    bound: (eur) => `Wäre der Verbrauch im Voraus bekannt, ließen sich höchstens ${eur} € mehr sparen.`,
  },
  soc: {
    title: "Ladestand",
    stale: "veraltet; es gilt der Ladestand laut Plan",
    lost: "zu alt: Aus Sicherheitsgründen wird nicht geladen; Entladen bleibt erlaubt",
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
    time: "Zeit",
    price: "Preis (ct/kWh)",
    soc: "Ladestand (%)",
    past: "Befehle der letzten 24 Stunden",
    command: "Befehl",
    reason: "Grund",
    device: (slot) => `Gerät ${slot}`,
    lanes: {
      charge: "Lädt aus dem Netz",
      hold: "Behält die Energie",
      standby: "Ruht",
      discharge: "Entlädt",
      block: "Speichert keinen PV-Überschuss",
    },
    pv: "PV (kW)",
    load: "Verbrauch (kW)",
    action: "Batterie",
    none: "Noch keine Preise.",
  },
  outputsPage: {
    title: "Ausgänge und Dienst",
    lead: "Die Werte, die Steuerungen lesen.",
    link: "Ausgänge für Steuerungen",
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
    title: (last) => `Ausgänge O1 bis ${last}`,
    noPlan: "Sobald es einen Plan gibt, stehen hier die Werte für Steuerungen.",
    output: "Ausgang",
    meaning: "Bedeutung",
    value: "Wert",
    now: "jetzt",
  },
  cap: {
    full: "Die Batterie darf voll entladen.",
    override: "Von Hand vorgegeben: Die Batterie wird nicht entladen.",
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
    standby:
      "Die Batterie ruht und behält ihre Energie; ihr Wechselrichter kann das Entladen nur zusammen mit dem Laden sperren.",
  },
  missingReadings: {
    since: (moment, names) => `Kein Messwert seit ${moment}: ${names}.`,
    names: {
      soc: "Ladestand",
      pv: "PV-Leistung",
      load: "Haushaltsverbrauch",
      battery: "Batterieleistung",
    },
    socStale: (minutes) =>
      `hourgate rechnet inzwischen mit dem Ladestand, den der Plan für jetzt erwartet; nach ${minutes} Minuten ohne Messwert lädt es nicht mehr aus dem Netz.`,
    socLost:
      "Der Ladestand ist zu alt: Zur Sicherheit lädt hourgate die Batterie nicht aus dem Netz; Entladen bleibt erlaubt.",
    powers: "Statt der fehlenden Leistungen verwendet hourgate die PV-Prognose und den üblichen Verbrauch.",
    following: "Ob die Batterie den Befehlen folgt, ist bis dahin nicht erkennbar.",
    where: "Unter „Verbinden“ steht, welche Verbindung nichts mehr sendet",
  },
  following: {
    title: "Die Batterie folgt den Befehlen nicht",
    since: (moment) => `seit ${moment}`,
    causes: {
      none: "",
      no_telemetry: "Es gibt keinen aktuellen Messwert der Batterie.",
      command_changed: "Der Befehl hat sich gerade geändert.",
      not_charging:
        "Sie soll aus dem Netz laden, lädt aber weniger oder gar nicht. Prüfen Sie die Steuerung, die das Laden ausführt.",
      discharges_despite_cap:
        "Sie entlädt, obwohl das gesperrt ist. Prüfen Sie die Steuerung, die das Entladen begrenzt.",
      charges_despite_cap:
        "Sie speichert PV-Überschuss, obwohl das gesperrt ist. Prüfen Sie, ob der Wechselrichter das Laden sperren kann; wenn nicht, entfernen Sie block aus den Befehlen.",
      not_discharging:
        "Sie soll mit fester Leistung entladen, tut es aber nicht. Prüfen Sie die Steuerung, die das Entladen ausführt.",
      charges_from_grid:
        "Sie lädt ohne Befehl aus dem Netz. Prüfen Sie die Zeitprogramme des Wechselrichters.",
      external:
        "Das Gerät wurde von anderer Stelle verändert; hourgate greift eine Weile nicht ein. Siehe Geräte.",
      offline: "Das Gerät ist für hourgate nicht verfügbar. Siehe Geräte.",
      declined: "Das Gerät nimmt den Befehl an, folgt ihm aber derzeit nicht.",
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
  slots: {
    title: "Geräte",
    none: "Keine Geräte eingetragen.",
    now: "läuft jetzt",
    sgReady: { block: "gesperrt", normal: "Normalbetrieb", encourage: "verstärkt", force: "Anlaufbefehl" },
    following: (kw) => `lädt mit ${kw} kW`,
    next: (when) => `startet ${when}`,
    idle: "nichts geplant",
    unplugged: "nicht angesteckt",
    bySchedule: "Nach Plan",
    overridden: {
      run: (until) => `eingeschaltet bis ${until}`,
      skip: (until) => `ausgelassen bis ${until}`,
      full: (until) => `fertig bis ${until}`,
      target: (until) => `Ziel bis ${until}`,
      surplus: (until) => `nur Sonne bis ${until}`,
      guest: (until) => `Gast bis ${until}`,
    },
    cost: (eur) => `${eur} € zu den geplanten Preisen`,
    surplus: (kwh, of) => `PV-Überschuss deckt voraussichtlich ${kwh} von ${of} kWh`,
    unmet: (hours) => `${hours} h passen nicht ins Zeitfenster`,
    overLimit: (hours) => `${hours} h entfallen: Die Bezugsgrenze lässt zu wenig Leistung übrig`,
    takesNothing: (since) =>
      `eingeschaltet seit ${since}, nimmt aber keine Energie auf (Auto schläft, Gerät voll oder ohne Strom?); die Energie wird neu eingeplant`,
    notHot: (celsius) =>
      `gegen Legionellen nicht ${celsius} °C heiß geworden (Thermostat zu niedrig eingestellt?); nächster Versuch am Sonntag`,
  },
  ...germanOverrides,
  ...germanOverview,
  quota: {
    title: "Verbleibende Abfragen",
    left: (remaining, limit) => `${remaining} von ${limit}`,
    resets: (when) => `Zurücksetzung: ${when}`,
    more: "Tarif ansehen",
  },
  yes: "ja",
  no: "nein",
  none: "keine",
};
