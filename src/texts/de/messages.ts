import type { englishMails, englishNodeRed, englishPvDay, englishWeather } from "../en/messages.js";

export const germanMails: typeof englishMails = {
  confirmation: {
    subject: "Bestätigen Sie Ihre E-Mail-Adresse",
    before: [
      "Guten Tag,",
      "mit dieser Adresse wurde ein Konto bei hourgate angefordert. Wenn Sie das waren, aktivieren Sie es mit diesem Link:",
    ],
    after: [
      "Der Link gilt 24 Stunden und kann einmal benutzt werden.",
      "Wenn Sie es nicht waren, müssen Sie nichts tun: Ohne den Link wird kein Konto angelegt.",
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
};

export const germanNodeRed: typeof englishNodeRed = {
  unavailable: {
    title: "Node-RED ist nicht verfügbar",
    text: "Es startet gerade oder wird nach einem Fehler in einem Flow neu gestartet. Das Gateway läuft weiter. Diese Seite lädt automatisch neu.",
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
