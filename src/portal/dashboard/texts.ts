import type { Action } from "../../plan/explain.js";
import type { OutputName } from "../../plan/outputs.js";
import type { Language } from "../../plan/reason-text.js";
import type { DischargeReason } from "../../plan/site-plan.js";

/** Everything the dashboard says, apart from the reasons of the plan itself. */
export interface DashboardTexts {
  title: string;
  headline: {
    chargingUntil: (end: string) => string;
    next: (span: string) => string;
    none: string;
    noBattery: string;
    noPrices: string;
    noSoc: string;
    because: string;
    now: string;
  };
  steps: {
    title: string;
    noBattery: string;
    toBattery: string;
    noPrices: string;
    noSoc: string;
    byHttp: string;
    byMqtt: string;
    toTopics: string;
    reference: string;
  };
  savings: {
    title: string;
    of: (eur: string) => string;
    against: string;
    /** What of it is still in the battery at the end. */
    stored: (eur: string) => string;
    none: string;
  };
  soc: {
    title: string;
    age: (age: string) => string;
    stale: string;
    lost: string;
    none: string;
    now: string;
  };
  price: { title: string; quartiles: Record<1 | 2 | 3 | 4, string>; allIn: string; market: string };
  chart: {
    title: string;
    hours: (count: 48 | 168) => string;
    description: string;
    table: string;
    time: string;
    price: string;
    charge: string;
    soc: string;
    pv: string;
    load: string;
    action: string;
    forecast: string;
    none: string;
  };
  actions: {
    title: string;
    none: string;
    charge: (kw: string, ct: string) => string;
    hold: string;
    slot: (label: string) => string;
  };
  outputs: {
    title: string;
    noPlan: string;
    output: string;
    meaning: string;
    value: string;
    names: Record<OutputName, string>;
  };
  cap: Record<DischargeReason, string>;
  does: Record<Action, string>;
  slots: {
    title: string;
    none: string;
    now: string;
    next: (when: string) => string;
    idle: string;
    unplugged: string;
    unmet: (hours: string) => string;
  };
  quota: {
    title: string;
    left: (remaining: string, limit: string) => string;
    resets: (when: string) => string;
    more: string;
  };
  components: { title: string; degraded: string; down: string };
  yes: string;
  no: string;
  none: string;
  live: string;
}

const de: DashboardTexts = {
  title: "Übersicht",
  headline: {
    chargingUntil: (end) => `Lädt jetzt aus dem Netz, bis ${end}`,
    next: (span) => `Lädt das nächste Mal ${span}`,
    none: "In den nächsten 7 Tagen lohnt sich kein Laden aus dem Netz",
    noBattery: "Noch kein Ladeplan: Es ist keine Batterie eingetragen",
    noPrices: "Noch kein Ladeplan: Es gibt noch keine Preise",
    noSoc: "Noch kein Ladeplan: Der Ladestand fehlt",
    because: "Warum:",
    now: "Jetzt:",
  },
  steps: {
    title: "So geht es weiter",
    noBattery: "Tragen Sie ein, welche Batterie im Haus steht.",
    toBattery: "Batterie eintragen",
    noPrices: "Die Preise werden gerade geholt; diese Seite aktualisiert sich von selbst.",
    noSoc:
      "Der Plan braucht den Ladestand der Batterie (soc_pct, 0 bis 100), am besten alle paar Minuten. Eine Nachricht genügt für den ersten Plan.",
    byHttp: "Mit HTTP, mit Ihrem API-Schlüssel:",
    byMqtt: "Oder mit MQTT, mit dem API-Schlüssel als Passwort:",
    toTopics: "Ein anderes Gerät veröffentlicht ihn schon mit MQTT? Topic eintragen",
    reference: "Beschreibung der Schnittstelle",
  },
  savings: {
    title: "Ersparnis",
    of: (eur) => `${eur} EUR in den nächsten 7 Tagen`,
    against: "gegenüber demselben Haus, das die Batterie nur mit PV lädt.",
    stored: (eur) => `Davon ${eur} EUR als Energie, die dann noch in der Batterie ist.`,
    none: "Sobald ein Plan da ist, steht hier, was er spart.",
  },
  soc: {
    title: "Ladestand",
    age: (age) => `vor ${age} gemeldet`,
    stale: "veraltet, wird aus dem Plan fortgeschrieben",
    lost: "zu alt: Laden ist aus Sicherheit aus, Entladen frei",
    none: "nicht bekannt",
    now: "eben gemeldet",
  },
  price: {
    title: "Strompreis jetzt",
    quartiles: {
      1: "im günstigsten Viertel des Tages",
      2: "unter der Mitte des Tages",
      3: "über der Mitte des Tages",
      4: "im teuersten Viertel des Tages",
    },
    allIn: "mit Tarif, alles inbegriffen",
    market: "Börsenpreis ohne Tarif",
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
    pv: "PV (kW)",
    load: "Verbrauch (kW)",
    action: "Batterie",
    forecast: "Prognose",
    none: "Noch keine Preise.",
  },
  actions: {
    title: "Was als Nächstes geschieht",
    none: "Nichts geplant.",
    charge: (kw, ct) => `Laden aus dem Netz mit ${kw} kW, im Mittel ${ct} ct/kWh`,
    hold: "Batterie hält ihre Energie, Entladen gesperrt",
    slot: (label) => `${label} läuft`,
  },
  outputs: {
    title: "Ausgänge O1 bis O13",
    noPlan: "Sobald ein Plan da ist, stehen hier die Werte für Steuerungen.",
    output: "Ausgang",
    meaning: "Bedeutung",
    value: "Wert",
    names: {
      O1: "Laden jetzt",
      O2: "Ladeleistung jetzt",
      O3: "Ladestunden gesamt",
      O4: "Ladestunden heute",
      O5: "Energie zu laden",
      O6: "Zeit bis zum nächsten Laden",
      O7: "Preisviertel jetzt (1 günstig, 4 teuer)",
      O8: "Preis jetzt",
      O9: "Laden endet bei Ladestand",
      O10: "Entladen wird gesteuert",
      O11: "Kleinster Ladestand",
      O12: "Entladen höchstens",
      O13: "Laden aus dem Netz erlaubt",
    },
  },
  cap: {
    full: "Die Batterie darf voll entladen.",
    cheap_hold: "Der Strom ist jetzt günstig; die Energie wird für teurere Stunden gehalten.",
    near_min_soc: "Der Ladestand ist nahe am Minimum, und vor den teuren Stunden ist kein Laden geplant.",
    ev_charge_block: "Die Wallbox lädt; die Batterie soll nicht ins Auto entladen.",
    ev_charge_limit: "Die Wallbox lädt; die Batterie gibt nur den eingestellten Anteil dazu.",
    telemetry_lost: "Der Ladestand ist zu alt; aus Sicherheit wird nicht geladen und Entladen bleibt frei.",
  },
  does: {
    grid_charge: "lädt aus dem Netz",
    pv_charge: "lädt aus PV",
    discharge: "versorgt das Haus",
    export: "speist ein",
    hold: "hält",
    idle: "ruht",
  },
  slots: {
    title: "Geräte",
    none: "Keine Geräte eingetragen.",
    now: "läuft jetzt",
    next: (when) => `startet ${when}`,
    idle: "nichts zu tun",
    unplugged: "nicht angesteckt",
    unmet: (hours) => `${hours} Stunden passen nicht ins Zeitfenster`,
  },
  quota: {
    title: "Abfragen übrig",
    left: (remaining, limit) => `${remaining} von ${limit}`,
    resets: (when) => `wieder voll ${when}`,
    more: "Plan ansehen",
  },
  components: { title: "Nicht alles läuft wie gewohnt", degraded: "eingeschränkt", down: "ausgefallen" },
  yes: "ja",
  no: "nein",
  none: "keines",
  live: "Diese Seite aktualisiert sich von selbst.",
};

const en: DashboardTexts = {
  title: "Dashboard",
  headline: {
    chargingUntil: (end) => `Charging from the grid now, until ${end}`,
    next: (span) => `Charges next ${span}`,
    none: "Charging from the grid does not pay in the next 7 days",
    noBattery: "No charging plan yet: no battery is entered",
    noPrices: "No charging plan yet: there are no prices yet",
    noSoc: "No charging plan yet: the state of charge is missing",
    because: "Why:",
    now: "Now:",
  },
  steps: {
    title: "What to do next",
    noBattery: "Enter the battery of the house.",
    toBattery: "Enter the battery",
    noPrices: "The prices are being fetched; this page updates by itself.",
    noSoc:
      "The plan needs the battery's state of charge (soc_pct, 0 to 100), best every few minutes. One message is enough for the first plan.",
    byHttp: "By HTTP, with your API key:",
    byMqtt: "Or by MQTT, with the API key as password:",
    toTopics: "Another device publishes it by MQTT already? Enter its topic",
    reference: "Description of the interface",
  },
  savings: {
    title: "Savings",
    of: (eur) => `${eur} EUR in the next 7 days`,
    against: "against the same house that charges its battery from PV only.",
    stored: (eur) => `Of it ${eur} EUR as energy that is still in the battery then.`,
    none: "As soon as there is a plan, this shows what it saves.",
  },
  soc: {
    title: "State of charge",
    age: (age) => `reported ${age} ago`,
    stale: "old, carried forward by the plan",
    lost: "too old: charging is off for safety, discharging is free",
    none: "not known",
    now: "reported just now",
  },
  price: {
    title: "Price now",
    quartiles: {
      1: "in the cheapest quarter of the day",
      2: "below the middle of the day",
      3: "above the middle of the day",
      4: "in the dearest quarter of the day",
    },
    allIn: "all-in, with your tariff",
    market: "market price without a tariff",
  },
  chart: {
    title: "Price and plan",
    hours: (count) => (count === 48 ? "48 hours" : "7 days"),
    description: "Price by hour, hours that charge from the grid, state of charge, PV and load.",
    table: "Values as a table",
    time: "Time",
    price: "Price (ct/kWh)",
    charge: "Charging (kWh)",
    soc: "State of charge (%)",
    pv: "PV (kW)",
    load: "Load (kW)",
    action: "Battery",
    forecast: "forecast",
    none: "No prices yet.",
  },
  actions: {
    title: "What happens next",
    none: "Nothing is planned.",
    charge: (kw, ct) => `Charges from the grid with ${kw} kW, at ${ct} ct/kWh on average`,
    hold: "Battery keeps its energy, discharging is blocked",
    slot: (label) => `${label} runs`,
  },
  outputs: {
    title: "Outputs O1 to O13",
    noPlan: "As soon as there is a plan, this shows the values for controllers.",
    output: "Output",
    meaning: "Meaning",
    value: "Value",
    names: {
      O1: "Charge now",
      O2: "Charging power now",
      O3: "Hours of charging in all",
      O4: "Hours of charging today",
      O5: "Energy to charge",
      O6: "Time to the next charging",
      O7: "Price quarter now (1 cheap, 4 dear)",
      O8: "Price now",
      O9: "Charging stops at",
      O10: "Discharging is controlled",
      O11: "Lowest state of charge",
      O12: "Discharge at most",
      O13: "Charging from the grid allowed",
    },
  },
  cap: {
    full: "The battery may discharge fully.",
    cheap_hold: "The price is low now; the energy is kept for dearer hours.",
    near_min_soc:
      "The state of charge is near its minimum, and no charging is planned before the dear hours.",
    ev_charge_block: "The wallbox is charging; the battery is not to discharge into the car.",
    ev_charge_limit: "The wallbox is charging; the battery gives only the share that is set.",
    telemetry_lost: "The state of charge is too old; for safety nothing charges and discharging stays free.",
  },
  does: {
    grid_charge: "charges from the grid",
    pv_charge: "charges from PV",
    discharge: "feeds the house",
    export: "feeds the grid",
    hold: "keeps",
    idle: "rests",
  },
  slots: {
    title: "Devices",
    none: "No devices are entered.",
    now: "runs now",
    next: (when) => `starts ${when}`,
    idle: "nothing to do",
    unplugged: "not plugged in",
    unmet: (hours) => `${hours} hours do not fit into the window`,
  },
  quota: {
    title: "Calls left",
    left: (remaining, limit) => `${remaining} of ${limit}`,
    resets: (when) => `full again ${when}`,
    more: "See the plan",
  },
  components: { title: "Not everything works as usual", degraded: "limited", down: "down" },
  yes: "yes",
  no: "no",
  none: "none",
  live: "This page updates by itself.",
};

/** The texts of the dashboard in a language. */
export function dashboardTexts(language: Language): DashboardTexts {
  return language === "de" ? de : en;
}
