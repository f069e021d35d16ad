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
    text: "Es startet gerade oder wird nach einem Fehler in einem Flow neu gestartet. Das Gateway läuft weiter. Diese Seite lädt automatisch neu. Ändert sich nichts, steht der Grund auf der Seite Verwaltung des Portals.",
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

type Figures = Readonly<Record<string, string>>;

function storedText({ storedKw, surplusKw }: Figures): string {
  if (storedKw === undefined) return "";
  return storedKw === surplusKw ? ` (${storedKw} kW)` : ` (${storedKw} von ${surplusKw} kW)`;
}

function laterCt({ laterCtKwh, laterIsExpected }: Figures): string {
  return `${laterIsExpected === undefined ? "" : "etwa "}${laterCtKwh} ct`;
}

function pricesText(figures: Figures, otherwise: string): string {
  const { importCtKwh, laterTime } = figures;
  const later = laterTime === undefined ? otherwise : `, um ${laterTime} aber ${laterCt(figures)}`;
  return `Strom kostet ${importCtKwh} ct/kWh${later}.`;
}

export const germanReasons: typeof englishReasons = {
  recover_min_soc: () => "Der Ladestand liegt unter dem Minimum.",
  paid_to_charge: ({ importCtKwh }) => `Der Strompreis ist negativ (${importCtKwh} ct/kWh).`,
  cheap_import: (figures) => pricesText(figures, " und später wahrscheinlich mehr"),
  pv_surplus: (figures) =>
    figures.laterTime === undefined
      ? `Die Energie${storedText(figures)} ist für den späteren Verbrauch.`
      : `Die Einspeisung brächte ${figures.exportCtKwh} ct/kWh, um ${figures.laterTime} kostet Strom aber ${laterCt(figures)}${storedText(figures)}.`,
  pv_later: ({ exportCtKwh }) =>
    `Die Einspeisung bringt ${exportCtKwh} ct/kWh, und die Batterie behält Platz für späteren Überschuss oder negative Preise.`,
  standby: ({ exportCtKwh }) =>
    `Die Batterie behält ihre Energie für teurere Stunden. Ihr Wechselrichter kann das Entladen nur zusammen mit dem Laden sperren: Überschuss wird um ${exportCtKwh} ct/kWh eingespeist.`,
  dear_import: (figures) => pricesText(figures, "; die Energie zu behalten, würde weniger ersparen"),
  export_pays: ({ exportCtKwh }) =>
    `Eine eingespeiste kWh bringt ${exportCtKwh} ct, mehr als sie später ersparen würde.`,
  import_limit: () => "Der Bezug muss unter der Grenze des Netzanschlusses bleiben.",
  import_limit_ahead: () => "Der Bezug muss auch später unter der Grenze des Netzanschlusses bleiben.",
  kept_for_later: (figures) =>
    figures.laterTime === undefined ? "Teurere Stunden folgen wahrscheinlich noch." : pricesText(figures, ""),
  empty: () => "Die Batterie ist leer; das Haus bezieht Strom aus dem Netz.",
  override: () => "Von Hand eingestellt: Das ersetzt den Plan, bis es endet.",
  nothing_to_do: () =>
    "Es gibt keinen Überschuss oder die Batterie ist voll; das Haus braucht nichts aus ihr, und Laden aus dem Netz lohnt sich nicht.",
};
