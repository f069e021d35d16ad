import type { englishConnect } from "../en/connect.js";

export const germanConnect: typeof englishConnect = {
  links: {
    title: "Links für Steuerungen",
    intro:
      "Für Steuerungen, die keinen API-Schlüssel senden können, etwa Loxone oder evcc. Wer den Link kennt, kann ihn benutzen.",
    none: "Noch kein Link.",
    label: "Name",
    scope: "Darf",
    scopes: {
      read: "nur lesen",
      telemetry: "lesen und Messwerte senden",
      optimizer: "nur der Optimierer für evcc",
    },
    create: "Link anlegen",
    revoke: "Widerrufen",
    revoked: "widerrufen",
    shownOnce: "Ihr neuer Link. Er wird nur jetzt angezeigt:",
    made: "Angelegt",
    start: "Beginnt mit",
  },
  downloads: {
    title: "Loxone-Vorlagen",
    intro:
      "Vorlagen für Loxone Config mit den Adressen dieser Anlage. Mit jeder HTTP-Vorlage wird ein neuer Link angelegt.",
    kinds: {
      "http-input": "Virtuelle HTTP-Eingänge: Loxone liest (XML)",
      "http-output": "Virtuelle Ausgänge: Loxone sendet Messwerte (XML)",
      mqtt: "MQTT-Topics zum Eintragen (XML)",
    },
  },
};
