import type { englishHelp } from "../en/help.js";

export const germanHelp: typeof englishHelp = {
  title: "Hilfe",
  all: "Alle Seiten der Hilfe",
  search: "Hilfe durchsuchen",
  find: "Suchen",
  found: (count) => (count === 1 ? "1 Abschnitt gefunden" : `${count} Abschnitte gefunden`),
  nothing:
    "Kein Abschnitt enthält alle diese Wörter. Versuchen Sie weniger Wörter; die Dokumentation ist auf Englisch.",
  missing:
    "In dieser Installation fehlt der Ordner docs. Installieren Sie das Paket neu, um die Dokumentation hier zu lesen.",
  inEnglish: "Die ausführliche Dokumentation ist auf Englisch.",
  groups: {
    use: "hourgate benutzen",
    connect: "Geräte und Systeme verbinden",
    operate: "Betrieb",
    further: "Weitere Seiten",
  },
  summaries: {
    portal:
      "Die Seiten im Browser: Anmeldung, Übersicht, Verlauf, Einstellungen und Zählerdaten. Alle Seiten gibt es auf Deutsch und Englisch; sie funktionieren auch ohne Skripte.",
    notifications:
      "Was hourgate per E-Mail, ntfy oder Webhook meldet: gestörte Geräte, eine Batterie, die nicht folgt, fehlende Messwerte, negative Preise und den Monatsbericht. Höchstens eine Nachricht jeder Art pro Tag, keine in der Ruhezeit.",
    tariffs:
      "So wird Ihr Stromtarif eingetragen: Energiepreis, Netzentgelte, Abgaben, Einspeisung und Energiegemeinschaften. Für österreichische Netzgebiete und Lieferanten gibt es Vorlagen.",
    savings:
      "So werden Kosten und Ersparnis eines Tages berechnet. Verglichen wird mit derselben Batterie ohne Steuerung, mit demselben Verbrauch und derselben PV-Erzeugung. Ein Tag zählt, wenn mindestens 90 % seiner Viertelstunden gemessen sind.",
    "meter-data":
      "So werden Dateien Ihres Smart Meters importiert. Laden Sie den Export Ihres Netzbetreibers auf der Seite „Zählerdaten“ hoch; hourgate erkennt das Format und zeigt vor dem Speichern, was gelesen wurde.",
    windows:
      "So werden Wallbox, Wärmepumpe und Boiler in die günstigsten Stunden gelegt: nach Anzahl der Stunden, nach einer Abfahrtszeit oder nach dem PV-Überschuss.",
    glossary: "Die Begriffe der Seiten und ihre Bedeutung.",
    actuators:
      "So schaltet hourgate Geräte selbst. Ein neuer Aktor beginnt im Probebetrieb und schaltet erst nach Ihrer Freigabe; jeder Befehl wird zurückgelesen.",
    "home-assistant":
      "So findet Home Assistant die Werte von hourgate automatisch über MQTT, und so sendet es Messwerte. Auch openHAB ist beschrieben.",
    evcc: "So liefert hourgate Preise und einen Optimierer an evcc und steuert dessen Ladepunkte.",
    loxone: "So liest ein Loxone Miniserver die Ausgänge: Schritt für Schritt mit fertigen Vorlagen.",
    "node-red": "Die Node-RED-Nodes von hourgate und Beispiel-Flows auf Deutsch und Englisch.",
    iobroker: "So liest und sendet ioBroker Werte über MQTT.",
    mqtt: "Die Topics des Gateways, und wie Topics anderer Geräte zugeordnet werden, etwa von Victron, evcc oder go-e.",
    controllers:
      "So liest eine einfache Steuerung eine Zeile über HTTP, ohne JSON und ohne Schlüssel im Kopf der Anfrage.",
    configuration: "Jeder Schlüssel der Konfigurationsdatei mit Vorgabe und Grenzen.",
    operations: "Diagnose mit „hourgate doctor“, Protokolle, Sicherung, Aktualisierung und Fehlersuche.",
    docker: "So läuft das Gateway in einem Container, allein oder mit Mosquitto und Node-RED.",
    accounts: "Konten, API-Schlüssel, Links für Steuerungen und der zweite Faktor.",
    security: "Was das Gateway schützt, und was nach dem Verlust eines Schlüssels zu tun ist.",
  },
};
