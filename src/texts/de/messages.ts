import type {
  englishFleet,
  englishFormat,
  englishMails,
  englishNodeRed,
  englishPvDay,
  englishReasons,
  englishWeather,
} from "../en/messages.js";

export const germanMails: typeof englishMails = {
  confirmation: {
    subject: "Bestätigen Sie Ihre E-Mail-Adresse",
    before: [
      "Guten Tag,",
      "mit dieser Adresse wurde ein Konto bei hourgate angefordert. Wenn Sie das waren, aktivieren Sie es mit diesem Link:",
    ],
    after: [
      "Der Link gilt 24 Stunden und kann einmal verwendet werden.",
      "Wenn Sie es nicht waren, müssen Sie nichts tun: Ohne den Link wird kein Konto angelegt.",
    ],
  },
  invitation: {
    subject: "Ihr Konto bei hourgate",
    before: [
      "Guten Tag,",
      "der Administrator eines Energie-Gateways (hourgate) lädt Sie dazu ein. Öffnen Sie diesen Link, um ein Passwort zu setzen und Ihr Konto anzulegen:",
    ],
    after: [
      "Der Link gilt sieben Tage und kann einmal verwendet werden.",
      "Sagt Ihnen das nichts, ignorieren Sie diese E-Mail: Ohne den Link wird kein Konto angelegt.",
    ],
  },
  alreadyRegistered: {
    subject: "Sie haben bereits ein Konto",
    before: [
      "Guten Tag,",
      "mit dieser Adresse wurde ein Konto bei hourgate angefordert, sie hat aber bereits eines. Hier können Sie sich anmelden:",
    ],
    after: ["Konto und Passwort sind unverändert. Wenn Sie es nicht waren, müssen Sie nichts tun."],
  },
  recovery: {
    subject: "Neues Passwort setzen",
    before: [
      "Guten Tag,",
      "für Ihr hourgate-Konto wurde ein neues Passwort angefordert. Öffnen Sie diesen Link, um eines zu setzen:",
    ],
    after: [
      "Der Link gilt eine Stunde und kann einmal verwendet werden.",
      "Haben Sie das nicht angefordert, ignorieren Sie diese E-Mail.",
    ],
  },
  wrongCodes: {
    subject: "Falsche Codes bei Ihrer Anmeldung",
    before: [
      "Guten Tag,",
      "jemand hat das richtige Passwort Ihres hourgate-Kontos und danach mehrere falsche Codes der Authenticator-App eingegeben. Weitere Codes werden verzögert.",
      "Waren das nicht Sie, ändern Sie hier Ihr Passwort:",
    ],
    after: [
      "Waren Sie es selbst, ist nichts zu tun: Warten Sie etwas, und prüfen Sie die Uhr des Geräts mit der App.",
    ],
  },
};

export const germanNodeRed: typeof englishNodeRed = {
  unavailable: {
    title: "Node-RED ist nicht verfügbar",
    text: "Es startet gerade oder wird nach einem Fehler in einem Flow neu gestartet. Das Gateway läuft weiter. Diese Seite lädt automatisch neu.",
  },
  missing: {
    title: "Node-RED ist nicht installiert",
    text: "Das Gateway läuft ohne ihn. Installieren Sie hourgate mit den optionalen Paketen (npm install --include=optional), oder setzen Sie node_red.enabled auf false.",
  },
};

export const germanFleet: typeof englishFleet = {
  unavailable: {
    title: "Gleich wieder da",
    text: "Der Server dieses Haushalts wird gerade gewechselt. Versuchen Sie es in einigen Sekunden erneut.",
  },
  waiting: {
    title: "Noch keine Aufgabe",
    text: "Dieser Worker wartet auf einen freien Teil der Flotte. Senden Sie Anfragen an den Router.",
  },
  noPath: {
    title: "Diese Adresse gibt es nicht",
    text: "Jedes Konto hat eine eigene Portaladresse; sie steht in den E-Mails an das Konto. Die API ist unter /openapi.json beschrieben.",
  },
};

export const germanWeather: typeof englishWeather = {
  clear: "Klar",
  partly_cloudy: "Teils bewölkt",
  cloudy: "Bewölkt",
  fog: "Nebel",
  rain: "Regen",
  snow: "Schneefall",
  thunderstorm: "Gewitter",
};

export const germanPvDay: typeof englishPvDay = {
  usualWeather: "Übliches Wetter",
  none: "kein Ertrag",
  about: (kwh) => `rund ${kwh} kWh`,
};

export const germanFormat: typeof englishFormat = {
  locale: "de-AT",
  decimal: ",",
  today: "heute",
  tomorrow: "morgen",
  left: (time) => `noch ${time}`,
  minutes: (count) => (count === 1 ? "1 Minute" : `${count} Minuten`),
  hours: (count) => (count === 1 ? "1 Stunde" : `${count} Stunden`),
  // In the dative, as after "vor".
  days: (count) => (count === 1 ? "1 Tag" : `${count} Tagen`),
  range: (least, most) => `${least} bis ${most}`,
};

function storedText({ storedKw, surplusKw }: Readonly<Record<string, string>>): string {
  if (storedKw === undefined) return "";
  return storedKw === surplusKw ? ` (${storedKw} kW)` : ` (${storedKw} von ${surplusKw} kW)`;
}

export const germanReasons: typeof englishReasons = {
  recover_min_soc: () => "Lädt, weil der Ladestand unter dem Minimum liegt.",
  paid_to_charge: ({ importCtKwh }) =>
    `Lädt aus dem Netz: Der Strompreis ist negativ (${importCtKwh} ct/kWh).`,
  cheap_import: ({ importCtKwh, storedCtKwh, valueCtKwh }) =>
    valueCtKwh === undefined
      ? `Lädt aus dem Netz: Der Bezug kostet jetzt ${importCtKwh} ct/kWh und später wahrscheinlich mehr.`
      : `Lädt aus dem Netz: Eine gespeicherte kWh kostet ${storedCtKwh} ct und ist später mindestens ${valueCtKwh} ct wert.`,
  pv_surplus: ({ valueCtKwh, exportCtKwh, ...powers }) =>
    valueCtKwh === undefined
      ? `Speichert PV-Überschuss${storedText(powers)} für den späteren Verbrauch.`
      : `Speichert PV-Überschuss${storedText(powers)}: Eine gespeicherte kWh ist später ${valueCtKwh} ct wert, die Einspeisung brächte ${exportCtKwh} ct.`,
  pv_later: ({ exportCtKwh, valueCtKwh }) =>
    `Speichert den PV-Überschuss jetzt nicht: Die Einspeisung bringt ${exportCtKwh} ct, und die Batterie behält Platz für späteren Überschuss oder negative Preise (eine gespeicherte kWh ist ${valueCtKwh} ct wert).`,
  dear_import: ({ importCtKwh, valueCtKwh }) =>
    `Versorgt den Haushalt: Der Bezug kostet jetzt ${importCtKwh} ct/kWh, eine gespeicherte kWh ist ${valueCtKwh} ct wert.`,
  export_pays: ({ exportCtKwh, valueCtKwh }) =>
    `Speist ein: Die Einspeisung bringt jetzt ${exportCtKwh} ct/kWh, eine gespeicherte kWh ist ${valueCtKwh} ct wert.`,
  import_limit: () => "Entlädt, damit der Bezug unter der Grenze des Netzanschlusses bleibt.",
  import_limit_ahead: () =>
    "Lädt im Voraus, damit der Bezug später unter der Grenze des Netzanschlusses bleibt.",
  kept_for_later: ({ savesCtKwh, valueCtKwh }) =>
    valueCtKwh === undefined
      ? "Hält die Energie für teurere Stunden, die wahrscheinlich folgen."
      : `Hält die Energie: Jetzt spart eine gespeicherte kWh ${savesCtKwh} ct, später ist sie ${valueCtKwh} ct wert.`,
  empty: () => "Die Batterie ist leer; der Haushalt bezieht aus dem Netz.",
  override: () => "Vorgabe von Hand: Sie ersetzt den Plan, bis sie abläuft.",
  nothing_to_do: () => "Ruht: Es gibt weder Überschuss noch Bedarf, und Laden lohnt sich nicht.",
};
